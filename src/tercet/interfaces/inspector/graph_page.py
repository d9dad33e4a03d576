"""The graph of cross-references: a picture to move in, and the same as tables."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Final

from pydantic import BaseModel, Field
from starlette.responses import JSONResponse, Response

from tercet.errors import NotFoundError
from tercet.interfaces.inspector.rendering import HEADERS
from tercet.text.counted import counted

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from tercet.insight.graph import Graph
    from tercet.interfaces.inspector.visits import Visit
    from tercet.memory import AsyncMemory

MOST_NODES: Final = 2000
"""Drawn; of more, those with the most edges."""
MOST_EDGES: Final = 8000
"""Drawn; of more, the strongest."""
LISTED: Final = 25
"""Rows of the table of nodes on one page."""
MOST_REPLACED: Final = 500
"""Replaced entries that are called by their words, the latest; older ones by their ids."""
LABEL_CHARS: Final = 60
KINDS: Final = {
    "similar": "say similar things",
    "wikilink": "one links to the other",
    "same_entity": "name the same person or thing",
    "same_day": "are of the same day",
    "supersedes": "one replaced the other",
}


class _Looking(BaseModel):
    at: str = ""
    """Ref of the node to begin at."""
    q: str = ""
    """Words of the nodes that are listed."""
    page: Annotated[int, Field(ge=1, le=100_000)] = 1


class _Node(BaseModel):
    ref: str


async def _show(visit: Visit) -> Response:
    looking = visit.given(_Looking)
    run = visit.upkeep.run_of(visit.whose.agent, visit.session_key)
    try:
        graph = await visit.memory.graph.graph(session_key=visit.session_key)
    except NotFoundError:
        return visit.page("graph_empty.html", here="graph", run=run, progress="graph/progress")
    degrees = _degrees(graph)
    labels = await _labels(visit)
    wanted = looking.q.casefold().split()
    found = [ref for ref in graph.nodes if all(word in f"{ref} {labels.get(ref, '')}".casefold() for word in wanted)]
    found.sort(key=lambda ref: (-degrees.get(ref, 0), ref))
    start = (looking.page - 1) * LISTED
    return visit.page(
        "graph.html",
        here="graph",
        run=run,
        progress="graph/progress",
        looking=looking,
        figures=graph.statistics(),
        kinds=KINDS,
        listed=[(ref, labels.get(ref, ref), graph.nodes[ref], degrees.get(ref, 0)) for ref in found[start:][:LISTED]],
        found=len(found),
        last=max(1, -(-len(found) // LISTED)),
        most=MOST_NODES,
        open_url=partial(_open_url, visit, graph),
    )


async def _data(visit: Visit) -> Response:
    graph = await visit.memory.graph.graph(session_key=visit.session_key)
    return JSONResponse(drawn(graph, await _labels(visit)), headers=dict(HEADERS))


async def _node(visit: Visit) -> Response:
    ref = visit.given(_Node).ref
    graph = await visit.memory.graph.graph(session_key=visit.session_key)
    node = graph.resolve(ref)
    labels = await _labels(visit)
    return visit.page(
        "graph_node.html",
        here="graph",
        ref=node,
        label=labels.get(node, node),
        kind=graph.nodes[node],
        neighbours=[(each, labels.get(each.ref, each.ref)) for each in graph.neighbours(node)],
        kinds=KINDS,
        open_url=partial(_open_url, visit, graph),
    )


async def _build(visit: Visit) -> Response:
    session_key = visit.session_key

    async def work(memory: AsyncMemory, _: Callable[[int, int], None]) -> str:
        report = await memory.graph.build(session_key=session_key)
        figures = report.statistics
        told = f"{counted(figures.nodes, 'node')}, {counted(figures.edges, 'edge')}, similar from {report.threshold:g}"
        return f"{told}; {report.degraded}" if report.degraded else told

    visit.upkeep.start(visit.whose.agent, "graph", work, session_key)
    return visit.moved("graph")


async def _progress(visit: Visit) -> Response:
    run = visit.upkeep.run_of(visit.whose.agent, visit.session_key)
    answer = visit.page("run.html", here="graph", run=run, progress="graph/progress")
    if run is not None and run.is_over:
        answer.headers["HX-Redirect"] = visit.url("graph")
    return answer


def drawn(graph: Graph, labels: Mapping[str, str]) -> dict[str, Any]:
    """Return what is drawn of a graph: numbers for nodes, so that an edge is short; no node without an edge.

    Args:
        graph: Of any size.
        labels: What an entry says, by its id.
    """
    degrees = _degrees(graph)
    shown = sorted(degrees, key=lambda ref: (-degrees[ref], ref))[:MOST_NODES]
    numbers = {ref: number for number, ref in enumerate(shown)}
    edges = [edge for edge in graph.edges if edge.one in numbers and edge.two in numbers]
    edges = sorted(edges, key=lambda edge: (-edge.weight, edge.one, edge.two))[:MOST_EDGES]
    return {
        "nodes": [
            {"ref": ref, "label": _short(labels.get(ref, ref)), "kind": graph.nodes[ref], "degree": degrees[ref]}
            for ref in shown
        ],
        "edges": [
            {
                "one": numbers[edge.one],
                "two": numbers[edge.two],
                "weight": edge.weight,
                "kinds": sorted({each.kind for each in edge.evidence}),
            }
            for edge in edges
        ],
        "nodesLeftOut": len(degrees) - len(shown),
        "edgesLeftOut": len(graph.edges) - len(edges),
    }


def _short(label: str) -> str:
    # Of a file its name says most, and the folder's label is the same for all.
    name = label.rpartition("/")[2] if "/" in label and " " not in label else label
    return name if len(name) <= LABEL_CHARS else f"{name[: LABEL_CHARS - 1]}…"


def _degrees(graph: Graph) -> dict[str, int]:
    found: dict[str, int] = {}
    for edge in graph.edges:
        for ref in (edge.one, edge.two):
            found[ref] = found.get(ref, 0) + 1
    return found


async def _labels(visit: Visit) -> dict[str, str]:
    """Return what each entry says, by its id; a file is called by its ref."""
    live = await visit.memory.list_entries(visit.session_key)
    replaced = await visit.memory.browse.timeline(
        session_key=visit.session_key, states=("superseded",), limit=MOST_REPLACED
    )
    entries = [*live, *(item.entry for item in replaced.items)]
    return {entry.id: " ".join(entry.text.split()) for entry in entries}


def _open_url(visit: Visit, graph: Graph, ref: str) -> str:
    """Return where a node is read."""
    if graph.nodes.get(ref) == "file":
        return visit.url("files/view", ref=ref)
    return visit.url("timeline", entry=ref)


PAGES: Sequence[tuple[str, str, Callable[[Visit], Awaitable[Response]]]] = (
    ("GET", "graph", _show),
    ("GET", "graph/data", _data),
    ("GET", "graph/node", _node),
    ("POST", "graph/build", _build),
    ("GET", "graph/progress", _progress),
)
