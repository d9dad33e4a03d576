"""The windows behind the common interface: what was said just now, found by its words."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Final

from tercet.errors import InvalidInputError, NotFoundError
from tercet.identity import owner_reach
from tercet.layers.active.retrieval import row_of_message, search_rows
from tercet.model import BackendStatus, FileText, Probe, SearchResult
from tercet.text.counted import counted
from tercet.text.lines import split_lines

if TYPE_CHECKING:
    from tercet.model import Reach, Row, SearchOptions
    from tercet.ports.manager import Clock
    from tercet.ports.windows import SessionWindows

BY_WORDS: Final = "the active layer searches by words; it makes no vectors"


class ActiveLayer:
    """A ``MemorySearchManager`` over the windows in reach; needs neither embedder nor vector store."""

    def __init__(self, agent: str, windows: SessionWindows, clock: Clock) -> None:
        """Search the windows of one agent."""
        self._agent = agent
        self._windows = windows
        self._clock = clock
        self._rows: dict[str, Row] = {}
        """Of the last search, by key: a message never changes."""

    async def search(self, query: str, options: SearchOptions) -> SearchResult:
        """Return the messages that answer a query, best first.

        Raises:
            InvalidInputError: an option is out of range (permanent).
            LedgerBusyError: transient.
        """
        started = time.perf_counter()
        reach = options.reach or owner_reach(self._agent)
        messages = await self._windows.in_reach(reach)
        known = self._rows

        def find() -> tuple[list[Row], SearchResult]:
            rows = [known.get(each.key) or row_of_message(session, each) for session, each in messages]
            return rows, SearchResult(search_rows(query, rows, options, options.now or self._clock.now()))

        # Counting the words of many windows would hold everything else up.
        rows, result = await asyncio.to_thread(find)
        self._rows = {row.passage.id: row for row in rows}
        result.took_ms = (time.perf_counter() - started) * 1000
        return result

    async def read_file(
        self, ref: str, start: int | None = None, lines: int | None = None, *, reach: Reach | None = None
    ) -> FileText:
        """Return lines of a message, by its id.

        Raises:
            NotFoundError: no window in reach holds it (any more).
            InvalidInputError: the lines are out of range.
        """
        sought = ref.strip()
        for _, message in await self._windows.in_reach(reach or owner_reach(self._agent)):
            if message.key == sought:
                return _lines_of(message.key, message.text, start or 1, lines)
        msg = f"{ref!r} is no message of a conversation's window: it may have left it since; search again."
        raise NotFoundError(msg)

    async def status(self) -> BackendStatus:
        """Return how much the windows hold, and which sessions wait for another try."""
        sessions = await self._windows.sessions(self._agent)
        notes = [f"{counted(len(sessions), 'session')} in the ledger."] if sessions else []
        notes += [
            f"The session {each.session.key} was not extracted: {each.reason}" for each in sessions if each.reason
        ]
        return BackendStatus(
            layer="active",
            healthy=True,
            rows=sum(each.messages for each in sessions),
            bytes_on_disk=sum(each.bytes_on_disk for each in sessions),
            notes=tuple(notes),
        )

    async def probe_embedding_availability(self) -> Probe:
        """Say that search by meaning is not for this layer."""
        return Probe(ok=False, reason=BY_WORDS, permanent=True)

    async def probe_vector_availability(self) -> Probe:
        """Say that this layer has no vectors."""
        return Probe(ok=False, reason=BY_WORDS, permanent=True)


def _lines_of(key: str, text: str, first: int, count: int | None) -> FileText:
    held = split_lines(text)
    if not 1 <= first <= max(len(held), 1) or (count is not None and count < 1):
        msg = f"{key} has {counted(len(held), 'line')}: give a first line of those and a number of lines from 1."
        raise InvalidInputError(msg)
    last = len(held) if count is None else min(len(held), first + count - 1)
    return FileText("".join(held[first - 1 : last]).rstrip("\r\n"), key, first, last, len(held))
