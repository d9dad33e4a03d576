"""``ServiceCrossReferences``: the graph over HTTP, with the values of the facade's own."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from tercet.insight.graph import Edge, Evidence, Graph, GraphStatistics, Neighbour
from tercet.insight.salience import Item, Question, Salient
from tercet.relating import CrossrefReport

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    Ask = Callable[[str, str, Mapping[str, Any]], Awaitable[dict[str, Any]]]
    """(method, path, what is given) -> the answer; Any: JSON."""


class ServiceCrossReferences:
    """Builds and shows what belongs together; each method is documented at ``AsyncMemory.graph``."""

    def __init__(self, ask: Ask) -> None:
        """Hold how the service is asked."""
        self._ask = ask

    async def build(
        self, *, threshold: float | None = None, full: bool = False, session_key: str | None = None
    ) -> CrossrefReport:
        """Take in changed files, and bring the graph up to date."""
        body = {"threshold": threshold, "full": full, "sessionKey": session_key}
        value = await self._ask("POST", "/v1/crossref/build", body)
        return CrossrefReport(_statistics_of(value), value["asked"], value["threshold"], value["degraded"])

    async def show(self, ref: str, *, session_key: str | None = None) -> tuple[str, list[Neighbour]]:
        """Return the node that a ref means, and what it is linked to."""
        value = await self._ask("GET", "/v1/crossref/neighbours", {"ref": ref, "sessionKey": session_key})
        found = [Neighbour(each["ref"], each["weight"], _evidence_of(each)) for each in value["neighbours"]]
        return value["ref"], found

    async def graph(self, *, session_key: str | None = None) -> Graph:
        """Return the graph as last built."""
        value = await self._ask("GET", "/v1/crossref/graph", {"sessionKey": session_key})
        edges = tuple(Edge(each["one"], each["two"], _evidence_of(each)) for each in value["edges"])
        return Graph({node["ref"]: node["kind"] for node in value["nodes"]}, edges)


def salient_of(value: dict[str, Any]) -> Salient:
    """Return what ``salient_json(..., whole=True)`` wrote; of questions without the terms and the hits."""
    item = value["item"]
    accessed = item["accessedAt"]
    return Salient(
        Item(
            ref=value["ref"],
            name=item["name"],
            kind=value["kind"],
            weight=item["weight"],
            size=item["size"],
            changed_at=datetime.fromisoformat(item["changedAt"]),
            accesses=value["accesses"],
            accessed_at=datetime.fromisoformat(accessed) if accessed else None,
            questions=tuple(
                Question(each["text"], frozenset(), each["times"], frozenset()) for each in value["questions"]
            ),
        ),
        item["importance"],
        item["staleness"],
        item["daysUnseen"],
    )


def _statistics_of(value: dict[str, Any]) -> GraphStatistics:
    return GraphStatistics(
        value["nodes"],
        value["edges"],
        value["byKind"],
        value["components"],
        tuple((hub["ref"], hub["edges"]) for hub in value["hubs"]),
        tuple(value["orphans"]),
    )


def _evidence_of(value: dict[str, Any]) -> tuple[Evidence, ...]:
    return tuple(
        Evidence(each["kind"], each["weight"], each["detail"], each["oneLine"], each["twoLine"])
        for each in value["evidence"]
    )
