"""Notes what answers showed, behind them: no answer waits for it, and none fails with it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from tercet.errors import TercetError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tercet.model import FileText, Hit, Passage
    from tercet.ports import AccessKind, AccessLog, Clock, EventSink

MOST_SHOWN = 10
"""Of each answer, the first so many hits count as looked at."""
GOOD_SCORE = 0.45
"""A hit below was shown in vain, and a query whose best hit is below found nothing good."""
MOST_PENDING = 100
"""Answers whose notes may wait while the ledger is busy; more are not noted."""


class AccessNotes:
    """Writes to an ``AccessLog`` in tasks of its own."""

    def __init__(self, log: AccessLog, clock: Clock, events: EventSink | None = None) -> None:
        """Hold the log; ``events`` counts notes that were lost (``access.lost``)."""
        self._log = log
        self._clock = clock
        self._events = events
        self._pending: set[asyncio.Task[None]] = set()

    def note(self, items: Sequence[str], kind: AccessKind) -> None:
        """Note that these were looked at now; returns at once and never raises."""
        if not items:
            return
        if len(self._pending) >= MOST_PENDING:
            self._lost()
            return
        task = asyncio.create_task(self._write(items, kind))
        self._pending.add(task)
        task.add_done_callback(self._pending.discard)

    async def settled(self) -> None:
        """Wait until everything noted so far is written, or lost."""
        if self._pending:
            await asyncio.wait(tuple(self._pending))

    async def _write(self, items: Sequence[str], kind: AccessKind) -> None:
        try:
            await self._log.note(items, kind, self._clock.now())
        except TercetError:
            # Trigger: the ledger is busy or full. Why: the answer was given already. Outcome: the
            # items look a little staler than they are; the loss is counted.
            self._lost()

    def _lost(self) -> None:
        if self._events is not None:
            self._events.count("access.lost")


def shown_items(hits: Iterable[Hit]) -> list[str]:
    """Return the items that good hits show, each once, best first."""
    good = [item_of(hit.passage) for hit in hits if hit.score >= GOOD_SCORE]
    return list(dict.fromkeys(good))[:MOST_SHOWN]


def item_of(passage: Passage) -> str:
    """Return the name under which accesses of a passage are kept: its file's, or an entry's id."""
    if not passage.path:
        return passage.id
    return f"{passage.root}:{passage.path}" if passage.root else passage.path


def read_item(ref: str, text: FileText) -> str:
    """Return the name under which a read is kept; the root is known only where the ref names it."""
    if not text.path:
        return ref
    named = ref.partition("#")[0]
    return named if named.endswith(f":{text.path}") else text.path
