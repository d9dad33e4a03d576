"""The tools for notes: search, get, write."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from mcp.types import CallToolResult, ToolAnnotations
from pydantic import Field

from tercet.interfaces import wire
from tercet.interfaces.mcp.asking import Asked  # noqa: TC001 - the SDK reads the annotations
from tercet.interfaces.mcp.reading_calls import READ_ONLY, Limit, Query, Session
from tercet.interfaces.mcp.texts import answer, found_text
from tercet.interfaces.note_shapes import NoteShape
from tercet.interfaces.wiki_wire import note_json
from tercet.interfaces.wire_shapes import SearchShape
from tercet.model import SearchOptions

if TYPE_CHECKING:
    from mcp.server import MCPServer

    from tercet.interfaces.mcp.asking import Callers

APPENDS = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False)


def add_wiki_tools(server: MCPServer, callers: Callers) -> None:
    """Register them."""

    async def wiki_search(
        query: Query, context: Asked, limit: Limit = 5, session_key: Session = None
    ) -> Annotated[CallToolResult, SearchShape]:
        """Search the notes: what is durably known about a person, a thing or a topic."""
        async with callers.memory(context, session_key) as (memory, whose):
            options = SearchOptions(limit=limit)
            found = await memory.wiki.search(query, options, session_key=whose.session_key)
        return answer(found_text(found), wire.result_json(found))

    async def wiki_get(
        ref: Annotated[str, Field(min_length=1, description="A note's title, alias, path or id.")],
        context: Asked,
        session_key: Session = None,
    ) -> Annotated[CallToolResult, NoteShape]:
        """Read a whole note, with the sha256 that wiki_write expects when it replaces it."""
        async with callers.memory(context, session_key) as (memory, whose):
            found = await memory.wiki.show(ref, session_key=whose.session_key)
        return answer(found.text, note_json(found))

    async def wiki_write(
        title: Annotated[str, Field(min_length=1, description="The note's title; it is made when there is none.")],
        text: Annotated[str, Field(min_length=1, description="Markdown; [[links]] lead to other notes.")],
        context: Asked,
        heading: Annotated[str, Field(min_length=1, description="Under which heading it is added.")] = "Notes",
        sources: Annotated[tuple[str, ...], Field(description="What it rests on.")] = (),
        expected: Annotated[
            str | None,
            Field(pattern=r"^[0-9a-f]{64}$", description="sha256 of wiki_get: replace the whole note by text."),
        ] = None,
        session_key: Session = None,
    ) -> Annotated[CallToolResult, NoteShape]:
        """Add to a note under a heading, or with ``expected`` replace it whole.

        Adding drops nothing. Replacing is refused when somebody else changed the note meanwhile.
        """
        async with callers.memory(context, session_key) as (memory, whose):
            if expected is None:
                made = await memory.wiki.append(title, heading, text, sources, session_key=whose.session_key)
            else:
                made = await memory.wiki.replace(title, text, expected, session_key=whose.session_key)
        return answer(f"Written: {made.note.path} (sha256 {made.sha256}).", note_json(made))

    server.add_tool(wiki_search, title="Search notes", annotations=READ_ONLY)
    server.add_tool(wiki_get, title="Read a note", annotations=READ_ONLY)
    server.add_tool(wiki_write, title="Write a note", annotations=APPENDS)
