"""What a memory says about itself: what matters and was not looked at for long, what belongs together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tercet.interfaces import insight_shapes as shapes
from tercet.interfaces import insight_wire as wire
from tercet.interfaces.http.insight_requests import AskingSalience, BuildingGraph, NamingItem
from tercet.interfaces.http.operations import Call, Operation
from tercet.interfaces.http.requests import AboutSession

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tercet.insight.graph import Graph


async def _salience(call: Call) -> dict[str, Any]:
    given = call.of(AskingSalience)
    call.grant.refuse_if_bound("salience")
    async with call.memory(call.whose(given)) as memory:
        found = await memory.salience(given.top, given.now)
    return {"items": [wire.salient_json(each, whole=given.whole) for each in found]}


async def _build(call: Call) -> dict[str, Any]:
    given = call.of(BuildingGraph)
    whose = call.whose(given)
    async with call.memory(whose) as memory:
        report = await memory.graph.build(threshold=given.threshold, full=given.full, session_key=whose.session_key)
    call.service.metrics.degraded(report.degraded)
    return wire.report_json(report)


async def _graph_of(call: Call) -> Graph:
    whose = call.whose(call.of(AboutSession))
    async with call.memory(whose) as memory:
        return await memory.graph.graph(session_key=whose.session_key)


async def _graph(call: Call) -> dict[str, Any]:
    return wire.graph_json(await _graph_of(call))


async def _statistics(call: Call) -> dict[str, Any]:
    return wire.statistics_json((await _graph_of(call)).statistics())


async def _neighbours(call: Call) -> dict[str, Any]:
    given = call.of(NamingItem)
    whose = call.whose(given)
    async with call.memory(whose) as memory:
        return wire.neighbours_json(*await memory.graph.show(given.ref, session_key=whose.session_key))


OPERATIONS: Sequence[Operation] = (
    Operation(
        "salience",
        "GET",
        "/v1/salience",
        "Say what matters and was not looked at for long, the most salient first.",
        _salience,
        shapes.SalienceShape,
        query=AskingSalience,
    ),
    Operation(
        "buildCrossReferences",
        "POST",
        "/v1/crossref/build",
        "Link what belongs together of all that a session sees, or bring its graph up to date.",
        _build,
        shapes.BuiltGraphShape,
        body=BuildingGraph,
    ),
    Operation(
        "crossReferences",
        "GET",
        "/v1/crossref/graph",
        "Return the graph of a session as last built.",
        _graph,
        shapes.GraphShape,
        query=AboutSession,
    ),
    Operation(
        "crossReferenceStatistics",
        "GET",
        "/v1/crossref/statistics",
        "Return the figures of that graph: nodes, edges, groups, hubs, orphans.",
        _statistics,
        shapes.StatisticsShape,
        query=AboutSession,
    ),
    Operation(
        "crossReferenceNeighbours",
        "GET",
        "/v1/crossref/neighbours",
        "Return what a file or an entry is linked to and why, the strongest first.",
        _neighbours,
        shapes.NeighboursShape,
        query=NamingItem,
    ),
)
