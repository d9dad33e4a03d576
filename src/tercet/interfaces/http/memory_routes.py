"""Entries by hand: list, store, read, correct, forget, bring back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tercet.interfaces import wire, wire_shapes
from tercet.interfaces.correcting import correct, entry_of
from tercet.interfaces.grants import ScopeRefusedError, Whose
from tercet.interfaces.http.operations import Call, Operation
from tercet.interfaces.http.requests import AboutSession, Correcting, Forgetting, Listing, Remembering, Restoring

if TYPE_CHECKING:
    from collections.abc import Sequence


async def _list(call: Call) -> dict[str, Any]:
    given = call.of(Listing)
    whose = call.whose(given)
    async with call.memory(whose) as memory:
        entries = await memory.list_entries(whose.session_key, given.since)
    return {"entries": [wire.entry_json(entry) for entry in entries]}


async def _add(call: Call) -> dict[str, Any]:
    given = call.of(Remembering)
    whose = call.whose(given)
    async with call.memory(whose) as memory:
        entry = await memory.remember(
            given.text,
            category=given.category,
            importance=given.importance,
            session_key=whose.session_key,
            supersedes=given.supersedes,
        )
    return {"entry": wire.entry_json(entry)}


async def _get(call: Call) -> dict[str, Any]:
    whose = call.whose(call.of(AboutSession))
    async with call.memory(whose) as memory:
        return {"entry": wire.entry_json(await entry_of(memory, call.path["id"], whose))}


async def _history(call: Call) -> dict[str, Any]:
    whose = call.whose(call.of(AboutSession))
    async with call.memory(whose) as memory:
        chain = await memory.history(call.path["id"], whose.session_key)
    return {"entries": [wire.entry_json(entry) for entry in chain]}


async def _correct(call: Call) -> dict[str, Any]:
    given = call.of(Correcting)
    whose = call.whose(given)
    async with call.memory(whose) as memory:
        entry = await correct(
            memory,
            call.path["id"],
            whose,
            text=given.text,
            category=given.category,
            importance=given.importance,
        )
    return {"entry": wire.entry_json(entry)}


async def _delete(call: Call) -> dict[str, Any]:
    whose = call.whose(call.of(AboutSession))
    async with call.memory(whose) as memory:
        return wire.forget_json(await memory.forget([call.path["id"]], session_key=whose.session_key))


async def _forget(call: Call) -> dict[str, Any]:
    given = call.of(Forgetting)
    whose = call.whose(given)
    _check_bound(call, given, whose)
    async with call.memory(whose) as memory:
        report = await memory.forget(
            given.ids,
            query=given.query,
            session=given.session,
            anchor=given.anchor,
            session_key=whose.session_key,
            confirm=given.confirm,
        )
    return wire.forget_json(report)


def _check_bound(call: Call, given: Forgetting, whose: Whose) -> None:
    """Refuse a bound token what reaches beyond its session: a link's name may mean several people."""
    if not whose.is_bound:
        return
    if given.session is not None:
        call.grant.whose(given.agent, given.session, call.service.pool.default_agent)
    if given.anchor is not None:
        msg = "This token is bound to one session: forget by ids, by query, or by that session."
        raise ScopeRefusedError(msg)


async def _undo(call: Call) -> dict[str, Any]:
    given = call.of(Restoring)
    call.grant.refuse_if_bound("undo")
    whose = call.whose(given)
    async with call.memory(whose) as memory:
        return {"restored": await memory.undo(given.ids)}


OPERATIONS: Sequence[Operation] = (
    Operation(
        "listMemories",
        "GET",
        "/v1/memories",
        "List live entries that a session sees, newest first.",
        _list,
        wire_shapes.EntriesShape,
        query=Listing,
    ),
    Operation(
        "addMemory",
        "POST",
        "/v1/memories",
        "Store one fact; the entry returned may be an older one that says the same.",
        _add,
        wire_shapes.OneEntryShape,
        body=Remembering,
        status=201,
    ),
    Operation(
        "forgetMemories",
        "POST",
        "/v1/memories/forget",
        "Take entries out of every read: by ids, query, session, or everything about a person.",
        _forget,
        wire_shapes.ForgetShape,
        body=Forgetting,
    ),
    Operation(
        "undoForget",
        "POST",
        "/v1/memories/undo",
        "Bring back what the last forget took, or these ids, within the hour.",
        _undo,
        wire_shapes.RestoredShape,
        body=Restoring,
    ),
    Operation(
        "getMemory",
        "GET",
        "/v1/memories/{id}",
        "Return one entry, live or replaced.",
        _get,
        wire_shapes.OneEntryShape,
        query=AboutSession,
    ),
    Operation(
        "updateMemory",
        "PATCH",
        "/v1/memories/{id}",
        "Replace an entry by one that differs in what is given; the old one stays in its history.",
        _correct,
        wire_shapes.OneEntryShape,
        body=Correcting,
    ),
    Operation(
        "deleteMemory",
        "DELETE",
        "/v1/memories/{id}",
        "Take one entry out of every read; undo brings it back within the hour.",
        _delete,
        wire_shapes.ForgetShape,
        query=AboutSession,
    ),
    Operation(
        "getHistory",
        "GET",
        "/v1/memories/{id}/history",
        "Return what an entry replaced and what replaced it, oldest first.",
        _history,
        wire_shapes.EntriesShape,
        query=AboutSession,
    ),
)
