"""A graph of what belongs together: its figures, and its forms for other programs."""

from __future__ import annotations

import html
import math
import re
from collections import Counter, defaultdict
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from tercet.errors import AmbiguousRefError, NotFoundError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from collections.abc import Set as AbstractSet

    from tercet.insight.items import ItemKind

EvidenceKind = Literal["similar", "wikilink", "same_entity", "same_day", "supersedes"]
HUBS: Final = 10
_NOT_IN_XML: Final = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True, order=True)
class Evidence:
    """One reason to link two items."""

    kind: EvidenceKind
    weight: float
    """In (0, 1]; a cosine for ``similar``."""
    detail: str = ""
    """The name, the day, the link's target; empty for the others."""
    one_line: int = 0
    """Where in the edge's first item, from 1; 0 when it is no one line."""
    two_line: int = 0


@dataclass(frozen=True, slots=True)
class Edge:
    """Two items that belong together, in the order of their refs; a pair has one edge."""

    one: str
    two: str
    evidence: tuple[Evidence, ...]

    @property
    def weight(self) -> float:
        """All reasons together, each as if it were independent of the others: 1 - product of (1 - weight)."""
        return round(1 - math.prod(1 - min(each.weight, 1.0) for each in self.evidence), 4)


@dataclass(frozen=True, slots=True)
class Neighbour:
    """An item that another is linked to, and why."""

    ref: str
    weight: float
    evidence: tuple[Evidence, ...]
    """With ``one_line`` in the item asked about."""


@dataclass(frozen=True, slots=True)
class GraphStatistics:
    """Figures of a graph."""

    nodes: int
    edges: int
    by_kind: Mapping[str, int]
    """Edges that have evidence of this kind."""
    components: int
    """Groups of two or more linked items."""
    hubs: tuple[tuple[str, int], ...]
    """The items with the most edges, and how many."""
    orphans: tuple[str, ...]
    """Items without an edge."""


@dataclass(frozen=True, slots=True)
class Graph:
    """Items by ref, and the edges between them, both in order."""

    nodes: Mapping[str, ItemKind]
    edges: tuple[Edge, ...]

    def resolve(self, ref: str) -> str:
        """Return the node that a ref, or a bare path, means.

        Raises:
            NotFoundError: there is none (permanent).
            AmbiguousRefError: a bare path lies in several folders (permanent).
        """
        wanted = ref.strip().removeprefix("./")
        if wanted in self.nodes:
            return wanted
        found = [node for node, kind in self.nodes.items() if kind == "file" and node.partition(":")[2] == wanted]
        if not found:
            msg = f"{ref!r} is not in the graph: give a path or an id from 'tercet search', or run 'crossref build'."
            raise NotFoundError(msg)
        if len(found) > 1:
            msg = f"{ref!r} lies in several folders: say which, {' or '.join(found)}."
            raise AmbiguousRefError(msg)
        return found[0]

    def neighbours(self, node: str) -> list[Neighbour]:
        """Return what a node is linked to, the strongest first."""
        return self.neighbours_of({node})[node]

    def neighbours_of(self, nodes: AbstractSet[str]) -> dict[str, list[Neighbour]]:
        """Return the same of several nodes; an unknown one is linked to nothing."""
        found: dict[str, list[Neighbour]] = {node: [] for node in nodes}
        for edge in self.edges:
            if edge.one in nodes:
                found[edge.one].append(Neighbour(edge.two, edge.weight, edge.evidence))
            if edge.two in nodes:
                found[edge.two].append(Neighbour(edge.one, edge.weight, tuple(map(_turned, edge.evidence))))
        for neighbours in found.values():
            neighbours.sort(key=lambda each: (-each.weight, each.ref))
        return found

    def without(self, gone: AbstractSet[str]) -> Graph:
        """Return the graph that is left when these nodes are taken out."""
        if not gone:
            return self
        nodes: dict[str, ItemKind] = {ref: kind for ref, kind in self.nodes.items() if ref not in gone}
        return Graph(nodes, tuple(edge for edge in self.edges if edge.one in nodes and edge.two in nodes))

    def statistics(self) -> GraphStatistics:
        """Return the figures."""
        near = self._adjacency()
        hubs = sorted(near, key=lambda node: (-len(near[node]), node))[:HUBS]
        kinds = Counter(kind for edge in self.edges for kind in {each.kind for each in edge.evidence})
        return GraphStatistics(
            len(self.nodes),
            len(self.edges),
            dict(sorted(kinds.items())),
            _components(near),
            tuple((node, len(near[node])) for node in hubs),
            tuple(node for node in self.nodes if node not in near),
        )

    def _adjacency(self) -> dict[str, set[str]]:
        near: defaultdict[str, set[str]] = defaultdict(set)
        for edge in self.edges:
            near[edge.one].add(edge.two)
            near[edge.two].add(edge.one)
        return dict(near)


def merged(pairs: Iterable[tuple[str, str, Evidence]]) -> tuple[Edge, ...]:
    """Return one edge a pair with all its evidence; of one kind and detail the strongest stands.

    A pair may come in either order; nothing is linked to itself.
    """
    best: dict[tuple[str, str], dict[tuple[str, str], Evidence]] = {}
    for one, two, evidence in pairs:
        if one == two:
            continue
        pair, reason = ((one, two), evidence) if one < two else ((two, one), _turned(evidence))
        reasons = best.setdefault(pair, {})
        key = (reason.kind, reason.detail)
        reasons[key] = max(reasons.get(key, reason), reason)
    return tuple(Edge(*pair, tuple(sorted(reasons.values()))) for pair, reasons in sorted(best.items()))


def as_json(graph: Graph) -> dict[str, Any]:
    """Return nodes and edges as plain values; ``from_json`` reads them back."""
    return {
        "nodes": [{"ref": ref, "kind": kind} for ref, kind in graph.nodes.items()],
        "edges": [
            {"one": edge.one, "two": edge.two, "weight": edge.weight, "evidence": [asdict(e) for e in edge.evidence]}
            for edge in graph.edges
        ],
    }


def from_json(value: Mapping[str, Any]) -> Graph:
    """Read ``as_json`` back; KeyError or TypeError for what is something else."""
    edges = (
        Edge(edge["one"], edge["two"], tuple(Evidence(**each) for each in edge["evidence"])) for edge in value["edges"]
    )
    return Graph({node["ref"]: node["kind"] for node in value["nodes"]}, tuple(edges))


def as_graphml(graph: Graph) -> str:
    """Return the graph as GraphML, which Gephi, yEd and NetworkX read; a node's id is its ref."""
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">',
        '<key id="kind" for="node" attr.name="kind" attr.type="string"/>',
        '<key id="weight" for="edge" attr.name="weight" attr.type="double"/>',
        '<key id="evidence" for="edge" attr.name="evidence" attr.type="string"/>',
        '<graph edgedefault="undirected">',
    ]
    lines += [f'<node id="{_xml(ref)}"><data key="kind">{kind}</data></node>' for ref, kind in graph.nodes.items()]
    for edge in graph.edges:
        kinds = " ".join(sorted({each.kind for each in edge.evidence}))
        data = f'<data key="weight">{edge.weight}</data><data key="evidence">{kinds}</data>'
        lines.append(f'<edge source="{_xml(edge.one)}" target="{_xml(edge.two)}">{data}</edge>')
    return "\n".join([*lines, "</graph>", "</graphml>", ""])


def _xml(text: str) -> str:
    return html.escape(_NOT_IN_XML.sub("\ufffd", text))


def _turned(evidence: Evidence) -> Evidence:
    return Evidence(evidence.kind, evidence.weight, evidence.detail, evidence.two_line, evidence.one_line)


def _components(near: Mapping[str, set[str]]) -> int:
    seen: set[str] = set()
    count = 0
    for node in near:
        if node in seen:
            continue
        count += 1
        waiting = [node]
        while waiting:
            reached = waiting.pop()
            if reached not in seen:
                seen.add(reached)
                waiting += near[reached] - seen
    return count
