"""The tools that change something: store, update, forget."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from mcp.types import CallToolResult, ToolAnnotations
from pydantic import Field

from tercet.interfaces import wire
from tercet.interfaces.correcting import correct
from tercet.interfaces.mcp.asking import Asked  # noqa: TC001 - the SDK reads the annotations
from tercet.interfaces.mcp.reading_calls import Session  # noqa: TC001 - as above
from tercet.interfaces.mcp.texts import answer, entry_text, forgotten_text
from tercet.interfaces.wire_shapes import ForgetShape, OneEntryShape
from tercet.model import Category  # noqa: TC001 - as above

if TYPE_CHECKING:
    from mcp.server import MCPServer

    from tercet.interfaces.mcp.asking import Callers

ADDS = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
REPLACES = ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=False)

Fact = Annotated[str, Field(min_length=1, description="One fact, complete in itself: names instead of pronouns.")]
Importance = Annotated[float, Field(ge=0, le=1, description="How much it matters, 0 to 1.")]
EntryId = Annotated[str, Field(min_length=1, description="Whole id, as memory_search gives it.")]


def add_writing_tools(server: MCPServer, callers: Callers) -> None:
    """Register them."""

    async def memory_store(
        text: Fact,
        context: Asked,
        category: Annotated[Category, Field(description="What it is.")] = "fact",
        importance: Importance = 0.7,
        supersedes: Annotated[tuple[str, ...], Field(description="Ids of entries that it replaces.")] = (),
        session_key: Session = None,
    ) -> Annotated[CallToolResult, OneEntryShape]:
        """Store one fact for later: a preference, a decision, who somebody is.

        Secrets in it are blacked out. What is known already is not stored twice.
        """
        async with callers.memory(context, session_key) as (memory, whose):
            entry = await memory.remember(
                text,
                category=category,
                importance=importance,
                session_key=whose.session_key,
                supersedes=supersedes,
            )
        return answer(f"Stored: {entry_text(entry)}", {"entry": wire.entry_json(entry)})

    async def memory_update(
        id: EntryId,  # noqa: A002 - the name of the field in every result
        context: Asked,
        text: Annotated[str | None, Field(min_length=1, description="The corrected fact.")] = None,
        category: Annotated[Category | None, Field(description="What it is.")] = None,
        importance: Annotated[float | None, Field(ge=0, le=1, description="How much it matters.")] = None,
        session_key: Session = None,
    ) -> Annotated[CallToolResult, OneEntryShape]:
        """Correct a stored fact; the old one is no longer found, and stays in its history."""
        async with callers.memory(context, session_key) as (memory, whose):
            entry = await correct(memory, id, whose, text=text, category=category, importance=importance)
        return answer(f"Corrected: {entry_text(entry)}", {"entry": wire.entry_json(entry)})

    async def memory_forget(
        context: Asked,
        ids: Annotated[tuple[str, ...], Field(description="Whole ids of what is to be forgotten.")] = (),
        query: Annotated[str | None, Field(min_length=1, description="What it is about, to see the ids first.")] = None,
        session_key: Session = None,
    ) -> Annotated[CallToolResult, ForgetShape]:
        """Forget stored facts by id; with a query it only shows what would be meant.

        Files are never changed. For an hour a person can bring forgotten facts back.
        """
        async with callers.memory(context, session_key) as (memory, whose):
            report = await memory.forget(ids, query=query, session_key=whose.session_key)
        return answer(forgotten_text(report, is_confirmed=not query), wire.forget_json(report))

    server.add_tool(memory_store, title="Store a fact", annotations=ADDS)
    server.add_tool(memory_update, title="Correct a fact", annotations=REPLACES)
    server.add_tool(memory_forget, title="Forget facts", annotations=REPLACES)
