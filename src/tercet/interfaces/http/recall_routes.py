"""Before and after an answer: search, recall, capture; and the files behind what they find."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tercet.interfaces import wire, wire_shapes
from tercet.interfaces.http.operations import Call, Operation
from tercet.interfaces.http.requests import Capturing, Reading, Recalling, Searching
from tercet.model import SHARED, Reach

if TYPE_CHECKING:
    from collections.abc import Sequence


async def _search(call: Call) -> dict[str, Any]:
    given = call.of(Searching)
    whose = call.whose(given)
    async with call.memory(whose) as memory:
        options = given.options(memory.default_options.limit)
        if given.shared_only and not whose.is_bound:
            # A bound token sees what its session sees; a group's may not even see what is shared.
            options = replace(options, reach=Reach(whose.agent, (SHARED,)))
        found = await memory.search(given.query, options, session_key=whose.session_key)
    call.service.metrics.degraded(found.degraded)
    return wire.result_json(found, whole=given.whole)


async def _recall(call: Call) -> dict[str, Any]:
    given = call.of(Recalling)
    whose = call.whose(given)
    async with call.memory(whose) as memory:
        section = await memory.recall(given.message, whose.session_key, given.now, given.budget_tokens)
    call.service.metrics.recalled(section.skipped_reason)
    call.service.metrics.degraded(section.degraded)
    return wire.section_json(section, whole=given.whole)


async def _capture(call: Call) -> dict[str, Any]:
    given = call.of(Capturing)
    whose = call.whose(given)
    async with call.memory(whose) as memory:
        await memory.agent_end(given.turn(whose.session_key or "main"))
    call.service.metrics.accepted()
    return {"accepted": sum(each.role == "user" and bool(each.text.strip()) for each in given.messages)}


async def _read(call: Call) -> dict[str, Any]:
    given = call.of(Reading)
    whose = call.whose(given)
    async with call.memory(whose) as memory:
        return wire.file_json(await memory.read(given.ref, given.start, given.lines, session_key=whose.session_key))


OPERATIONS: Sequence[Operation] = (
    Operation(
        "search",
        "POST",
        "/v1/search",
        "Find passages by meaning and by words, best first.",
        _search,
        wire_shapes.SearchShape,
        body=Searching,
    ),
    Operation(
        "recall",
        "POST",
        "/v1/recall",
        "Return the section of a prompt for a message, before the agent answers it.",
        _recall,
        wire_shapes.SectionShape,
        body=Recalling,
    ),
    Operation(
        "capture",
        "POST",
        "/v1/capture",
        "Hand over what was said; answered as soon as it is durable, worked into entries afterwards.",
        _capture,
        wire_shapes.AcceptedShape,
        body=Capturing,
        status=202,
    ),
    Operation(
        "readFile",
        "GET",
        "/v1/files",
        "Return lines of what a ref points at.",
        _read,
        wire_shapes.FileShape,
        query=Reading,
    ),
)
