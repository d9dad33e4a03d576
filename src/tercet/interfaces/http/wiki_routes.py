"""The notes of the vault: search, show, write, link, lint."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tercet.interfaces import note_shapes, wire, wire_shapes
from tercet.interfaces.http.note_requests import (
    AppendingToNote,
    NamingNote,
    ReplacingNote,
    SearchingNotes,
    WritingNote,
)
from tercet.interfaces.http.operations import Call, Operation
from tercet.interfaces.http.requests import AboutSession
from tercet.interfaces.wiki_wire import finding_json, links_json, note_json
from tercet.model import SearchOptions

if TYPE_CHECKING:
    from collections.abc import Sequence


async def _search(call: Call) -> dict[str, Any]:
    given = call.of(SearchingNotes)
    whose = call.whose(given)
    options = SearchOptions(limit=given.limit, min_score=given.min_score, categories=given.types, explain=given.explain)
    async with call.memory(whose) as memory:
        found = await memory.wiki.search(given.query, options, session_key=whose.session_key)
    call.service.metrics.degraded(found.degraded)
    return wire.result_json(found, whole=given.whole)


async def _show(call: Call) -> dict[str, Any]:
    given = call.of(NamingNote)
    whose = call.whose(given)
    async with call.memory(whose) as memory:
        return note_json(await memory.wiki.show(given.ref, session_key=whose.session_key))


async def _new(call: Call) -> dict[str, Any]:
    given = call.of(WritingNote)
    whose = call.whose(given)
    async with call.memory(whose) as memory:
        made = await memory.wiki.new(
            given.title,
            body=given.body,
            type=given.type,
            tags=given.tags,
            aliases=given.aliases,
            sources=given.sources,
            session_key=whose.session_key,
        )
    return note_json(made)


async def _replace(call: Call) -> dict[str, Any]:
    given = call.of(ReplacingNote)
    whose = call.whose(given)
    async with call.memory(whose) as memory:
        return note_json(
            await memory.wiki.replace(given.ref, given.text, given.expected, session_key=whose.session_key)
        )


async def _append(call: Call) -> dict[str, Any]:
    given = call.of(AppendingToNote)
    whose = call.whose(given)
    async with call.memory(whose) as memory:
        made = await memory.wiki.append(
            given.title, given.heading, given.text, given.sources, session_key=whose.session_key
        )
    return note_json(made)


async def _links(call: Call) -> dict[str, Any]:
    given = call.of(NamingNote)
    whose = call.whose(given)
    async with call.memory(whose) as memory:
        return links_json(await memory.wiki.links(given.ref, session_key=whose.session_key))


async def _lint(call: Call) -> dict[str, Any]:
    whose = call.whose(call.of(AboutSession))
    async with call.memory(whose) as memory:
        findings = await memory.wiki.lint(session_key=whose.session_key)
    return {"findings": [finding_json(finding) for finding in findings]}


OPERATIONS: Sequence[Operation] = (
    Operation(
        "searchNotes",
        "POST",
        "/v1/wiki/search",
        "Find notes by words, best first.",
        _search,
        wire_shapes.SearchShape,
        body=SearchingNotes,
    ),
    Operation(
        "showNote",
        "GET",
        "/v1/wiki/notes",
        "Return a note by title, alias, path or id.",
        _show,
        note_shapes.NoteShape,
        query=NamingNote,
    ),
    Operation(
        "newNote",
        "POST",
        "/v1/wiki/notes",
        "Write a new note; another one of that title keeps its own file.",
        _new,
        note_shapes.NoteShape,
        body=WritingNote,
        status=201,
    ),
    Operation(
        "replaceNote",
        "PUT",
        "/v1/wiki/notes",
        "Put an edited text in place of a note that is still what was read.",
        _replace,
        note_shapes.NoteShape,
        body=ReplacingNote,
    ),
    Operation(
        "appendToNote",
        "POST",
        "/v1/wiki/append",
        "Add text under a heading of a note, which is made when there is none; drops nothing.",
        _append,
        note_shapes.NoteShape,
        body=AppendingToNote,
    ),
    Operation(
        "noteLinks",
        "GET",
        "/v1/wiki/links",
        "Return where a note's links lead, and what leads to it.",
        _links,
        note_shapes.LinksShape,
        query=NamingNote,
    ),
    Operation(
        "lintNotes",
        "GET",
        "/v1/wiki/lint",
        "Return what is wrong in the vault, by path and line.",
        _lint,
        note_shapes.LintShape,
        query=AboutSession,
    ),
)
