"""The cross-reference graph of a growing memory: how its build grows, and what one changed file costs."""

from __future__ import annotations

import asyncio
import tempfile
import time
from typing import TYPE_CHECKING

import numpy as np
from tables import Table

from tercet.adapters.lancedb import LanceEngine
from tercet.graph_building import build_graph
from tercet.insight.neighbours import THRESHOLD
from tercet.model import Passage, Reach, Row, Scope, Space
from tercet.testing.memory_ledger import MemoryLedger

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tercet.graph_building import Built
    from tercet.ports import Engine

SMALL, LARGE = 1_000, 20_000
CHUNKS_A_FILE = 10
DIMENSIONS = 512
WORDS_A_CHUNK = 120
VOCABULARY = 20_000
FILES_A_TOPIC = 5
DATED = 4
"""One chunk of so many names a day."""
REACH = Reach("main")


def measure() -> Table:
    """Return CPU seconds of a first build and of one after a changed file, in two sizes, and how they grow."""
    small, large = (asyncio.run(_measure(count)) for count in (SMALL, LARGE))
    names = ("first build", "again, nothing changed", "again, one file changed")
    rows = tuple(
        (name, f"{one:,.2f} s", f"{two:,.2f} s", f"{two / one:.1f}")
        for name, one, two in zip(names, small, large, strict=True)
    )
    header = ("", f"{SMALL:,} chunks", f"{LARGE:,} chunks", f"ratio ({LARGE // SMALL} times the chunks)")
    return Table("crossref", f"Cross-references, {CHUNKS_A_FILE} chunks a file (CPU time)", header, rows)


async def _measure(count: int) -> tuple[float, float, float]:
    rows = _rows(count)
    with tempfile.TemporaryDirectory() as scratch:
        engine = LanceEngine(scratch)
        await engine.open(Space("synthetic", "topics", DIMENSIONS))
        for start in range(0, count, 1000):
            await engine.upsert(rows[start : start + 1000])
        await engine.maintain(60)
        first_s, built = await _timed(engine, None)
        again_s, _ = await _timed(engine, built)
        await engine.delete([rows[0].passage.id])
        changed_s, _ = await _timed(engine, built)
        await engine.close()
    return first_s, again_s, changed_s


async def _timed(engine: Engine, before: Built | None) -> tuple[float, Built]:
    started = time.process_time()
    known = before.known if before is not None else {}
    built = await build_graph(engine, MemoryLedger().journal, REACH, known, THRESHOLD)
    return time.process_time() - started, built


def _rows(count: int) -> Sequence[Row]:
    """Return chunks of files on topics: those of one topic are near each other, others are not."""
    draw = np.random.default_rng(7)
    topics = draw.standard_normal((count // CHUNKS_A_FILE // FILES_A_TOPIC + 1, DIMENSIONS)).astype(np.float32)
    found: list[Row] = []
    for number in range(count):
        file, place = divmod(number, CHUNKS_A_FILE)
        vector = topics[file // FILES_A_TOPIC] + 0.5 * draw.standard_normal(DIMENSIONS).astype(np.float32)
        day = f"On 2026-{1 + number % 12:02}-{1 + file % 28:02} " if number % DATED == 0 else ""
        # Words as frequent as in a language (Zipf 1935): the n-th of them 1/n as often as the first.
        words = tuple(f"w{rank}" for rank in np.minimum(draw.zipf(1.3, WORDS_A_CHUNK), VOCABULARY))
        passage = Passage(
            f"c{number:06}",
            "chunk",
            Scope("main"),
            day + " ".join(words),
            root="notes",
            path=f"{file % 40:02}/w{1000 + file}.md",
            start_line=1 + 20 * place,
        )
        found.append(Row(passage, words, vector / np.linalg.norm(vector)))
    return found
