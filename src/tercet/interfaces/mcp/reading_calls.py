"""The tools that only read: search, get, recall, status."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from mcp.types import CallToolResult, ToolAnnotations
from pydantic import AwareDatetime, Field

from tercet.interfaces import wire
from tercet.interfaces.mcp.asking import Asked  # noqa: TC001 - the SDK reads the annotations
from tercet.interfaces.mcp.texts import answer, found_text, status_text
from tercet.interfaces.wire_shapes import FileShape, SearchShape, SectionShape, StatusShape
from tercet.model import LayerName, SearchOptions

if TYPE_CHECKING:
    from mcp.server import MCPServer

    from tercet.interfaces.mcp.asking import Callers

READ_ONLY = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)

Session = Annotated[
    str | None,
    Field(description="Whose memory, e.g. telegram:123; leave it out for the owner's or the server's own session."),
]
Query = Annotated[str, Field(min_length=1, description="What is sought, in words, in any language.")]
Limit = Annotated[int, Field(ge=1, le=50, description="How many hits at most.")]
DEFAULT_LINES = 120


def add_reading_tools(server: MCPServer, callers: Callers) -> None:
    """Register them."""

    async def memory_search(
        query: Query,
        context: Asked,
        limit: Limit = 10,
        min_score: Annotated[float | None, Field(ge=0, le=1, description="Leave out what scores less.")] = None,
        layer: Annotated[LayerName | None, Field(description="Only this layer.")] = None,
        mode: Annotated[Literal["hybrid", "vector", "keyword"] | None, Field(description="How to search.")] = None,
        now: Annotated[AwareDatetime | None, Field(description="Relative dates in the query count from it.")] = None,
        session_key: Session = None,
        *,
        related: Annotated[
            int, Field(ge=0, le=20, description="How many refs each hit tells that it is linked to.")
        ] = 0,
    ) -> Annotated[CallToolResult, SearchShape]:
        """Search long-term memory: facts, decisions, preferences, notes and Markdown files.

        Call it before answering about earlier work, people, dates or choices. Each hit names a ref
        that memory_get reads.
        """
        async with callers.memory(context, session_key) as (memory, whose):
            options = SearchOptions(
                limit=limit,
                min_score=min_score,
                layers=(layer,) if layer else None,
                mode=mode,
                now=now,
                related=related,
            )
            found = await memory.search(query, options, session_key=whose.session_key)
        return answer(found_text(found), wire.result_json(found))

    async def memory_get(
        ref: Annotated[str, Field(min_length=1, description="An id, a path, or root:path#L1-L4, as a hit names it.")],
        context: Asked,
        start: Annotated[int | None, Field(ge=1, description="First line.")] = None,
        lines: Annotated[int, Field(ge=1, le=2000, description="How many lines.")] = DEFAULT_LINES,
        session_key: Session = None,
    ) -> Annotated[CallToolResult, FileShape]:
        """Read the lines that a hit of memory_search points at, or more of the same file."""
        async with callers.memory(context, session_key) as (memory, whose):
            wanted = None if "#L" in ref and start is None else lines
            file = await memory.read(ref, start, wanted, session_key=whose.session_key)
        more = f"\n(use start={file.end_line + 1} for more)" if file.end_line < file.total_lines else ""
        return answer(f"{file.text}{more}", wire.file_json(file))

    async def memory_recall(
        message: Annotated[str, Field(min_length=1, description="The user's message, as it came.")],
        context: Asked,
        budget_tokens: Annotated[int | None, Field(ge=1, le=100_000, description="Size of the section.")] = None,
        session_key: Session = None,
    ) -> Annotated[CallToolResult, SectionShape]:
        """Return what memory has to say to a message, ready to stand before the answer.

        Empty with a reason when the message needs no memory.
        """
        async with callers.memory(context, session_key) as (memory, whose):
            section = await memory.recall(message, whose.session_key, None, budget_tokens)
        text = section.text or f"Nothing to recall: {section.skipped_reason}."
        return answer(text, wire.section_json(section))

    async def memory_status(context: Asked) -> Annotated[CallToolResult, StatusShape]:
        """Say how the memory is: what is indexed, what is down, what waits."""
        async with callers.memory(context) as (memory, _):
            callers.refuse_if_bound(context, "the status")
            status = await memory.status()
        return answer(status_text(status), wire.status_json(status))

    server.add_tool(memory_search, title="Search memory", annotations=READ_ONLY)
    server.add_tool(memory_get, title="Read from memory", annotations=READ_ONLY)
    server.add_tool(memory_recall, title="Recall for a message", annotations=READ_ONLY)
    server.add_tool(memory_status, title="Status of memory", annotations=READ_ONLY)
