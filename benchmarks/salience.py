"""Salience of a large memory: what scoring 10,000 files and entries costs, and how that grows."""

from __future__ import annotations

import asyncio
import statistics
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
from tables import Table

from tercet.access_notes import AccessNotes
from tercet.adapters.sqlite.ledger import SqliteLedger
from tercet.model import SHARED, Entry, Reach, Scope
from tercet.ports import Stored
from tercet.ports.ledger import FileRecord, PassageRecord, RootRecord
from tercet.tending import Tending

SMALL, LARGE = 1_000, 10_000
ROUNDS = 5
TOP = 10
QUESTIONS = 200
WORDS = 120
VOCABULARY = 20_000
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
SCOPE = Scope("main")
REACH = Reach("main", (SHARED,))


class _Clock:
    def now(self) -> datetime:
        return NOW


def measure() -> Table:
    """Return the median CPU seconds of one call in two sizes, half of each files and half entries."""
    small, large = (asyncio.run(_measure(count)) for count in (SMALL, LARGE))
    row = (f"top {TOP}, {QUESTIONS} questions in vain", f"{small:.3f} s", f"{large:.3f} s", f"{large / small:.1f}")
    header = ("", f"{SMALL:,} items", f"{LARGE:,} items", f"ratio ({LARGE // SMALL} times the items)")
    return Table("salience", "Salience, half files and half entries (CPU time, median)", header, (row,))


async def _measure(count: int) -> float:
    with tempfile.TemporaryDirectory() as home:
        ledger = await SqliteLedger.open(Path(home))
        try:
            await _fill(ledger, count)
            notes = AccessNotes(ledger.accesses, _Clock())
            tending = Tending("main", ledger, _reach, notes)
            return statistics.median([await _timed(tending) for _ in range(ROUNDS)])
        finally:
            await ledger.close()


async def _timed(tending: Tending) -> float:
    started = time.process_time()
    await tending.salience(TOP, NOW)
    return time.process_time() - started


async def _reach(session_key: str | None) -> Reach:
    del session_key
    return REACH


async def _fill(ledger: SqliteLedger, count: int) -> None:
    draw = np.random.default_rng(7)
    files = [f"{number % 40:02}/n{number}.md" for number in range(count // 2)]
    await ledger.manifest.add_root(RootRecord("notes", "/notes", SCOPE))
    written = {
        path: (
            FileRecord("notes", path, 200 + 13 * number, int(_days_ago(number % 90).timestamp()) * 10**9, "0", 1),
            [PassageRecord(f"p{number}", _words(draw), has_vector=False)],
        )
        for number, path in enumerate(files)
    }
    await ledger.manifest.commit_files(SCOPE, written, (), "notes")
    entries = [
        Entry(f"e{number}", SCOPE, " ".join(_words(draw)), said_at=_days_ago(number % 90))
        for number in range(count // 2)
    ]
    changes = [Stored(entry, PassageRecord(entry.id, tuple(entry.text.split()), has_vector=False)) for entry in entries]
    await ledger.journal.apply(changes, at=NOW)
    await ledger.accesses.note([f"notes:{path}" for path in files[::5]], "search", _days_ago(3))
    for number in range(QUESTIONS):
        shown = [f"p{number}", f"e{number}", f"p{number + 1}"]
        await ledger.log_query(" ".join(_words(draw)[:8]), shown, _days_ago(1), best=0.1, reach=REACH)


def _days_ago(days: int) -> datetime:
    return NOW - timedelta(days=days)


def _words(draw: np.random.Generator) -> tuple[str, ...]:
    # As frequent as in a language (Zipf 1935): the n-th of them 1/n as often as the first.
    return tuple(f"w{rank}" for rank in np.minimum(draw.zipf(1.3, WORDS), VOCABULARY))
