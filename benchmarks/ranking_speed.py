"""What ranking adds to the engine's own two queries at 100,000 passages, in every preset.

Every query is near other passages, so that their headings and texts are new to the process. Ranking
runs in one thread: its CPU time is taken, which a busy machine moves less than the clock on the wall.
"""

from __future__ import annotations

import asyncio
import random
import statistics
import tempfile
import time
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from folders import NOTES
from tables import Table

from tercet.adapters.lancedb import LanceEngine
from tercet.filters import Filter
from tercet.model import Passage, Reach, Row, Scope, Space, TermStatistics
from tercet.ranking import pipeline
from tercet.ranking.presets import PRESETS, preset_named
from tercet.text.terms import terms

PASSAGES = 100_000
QUERIES = 60
DIMENSIONS = 512
BATCH = 5000
QUESTIONS = (
    "what did we decide about the heating in the new house",
    "when is the next dentist appointment",
    "which port does the home server use",
    "妈妈的生日是哪一天",
    "what happened on 14 November 2025",
    "how much did the train tickets to the coast cost",
)


def measure() -> Table:
    """Return milliseconds of the engine's queries (elapsed) and of ranking (CPU), medians, and their ratio."""
    return asyncio.run(_measure())


async def _measure() -> Table:
    rng = np.random.default_rng(11)
    rows = _rows(rng)
    counts = _statistics(rows)
    with tempfile.TemporaryDirectory() as scratch:
        engine = LanceEngine(str(Path(scratch) / "store"))
        await engine.open(Space("synthetic", "random", DIMENSIONS))
        for start in range(0, len(rows), BATCH):
            await engine.upsert(rows[start : start + BATCH])
        await engine.maintain(120.0)
        lines = [await _of_preset(engine, preset, counts, rng) for preset in PRESETS if preset != "entry"]
        await engine.close()
    header = ("preset", "engine's two queries, p50", "ranking, CPU, p50", "ranking / engine", "wanted")
    return Table("ranking-speed", f"Ranking at {PASSAGES:,} passages", header, tuple(lines))


async def _of_preset(
    engine: LanceEngine, name: str, counts: TermStatistics, rng: np.random.Generator
) -> tuple[str, ...]:
    preset = preset_named(name)
    where = Filter(Reach("main"))
    now = datetime(2026, 3, 1, 12, tzinfo=UTC)
    engine_ms: list[float] = []
    ranking_ms: list[float] = []
    k = pipeline.candidate_count(preset, 10)
    for number in range(QUERIES):
        vectors = _unit(rng.standard_normal((1, DIMENSIONS)))
        analysis = pipeline.analyse_query(QUESTIONS[number % len(QUESTIONS)], now)
        started = time.perf_counter()
        near = await engine.vector_topk(vectors[0], k, where)
        worded = await engine.text_topk(pipeline.keyword_leg_terms(analysis, counts), k, where)
        engine_ms.append((time.perf_counter() - started) * 1000)
        asked = time.thread_time()
        pool = pipeline.merge_legs(near, worded)
        pipeline.rank(analysis, pool, counts, preset, query_vectors=vectors, limit=10, now=now)
        ranking_ms.append((time.thread_time() - asked) * 1000)
        del pool  # freeing the rows of this query is no part of ranking the next one
    engine_p50, ranking_p50 = statistics.median(engine_ms), statistics.median(ranking_ms)
    return (name, f"{engine_p50:.1f} ms", f"{ranking_p50:.1f} ms", f"{ranking_p50 / engine_p50:.2f}", "< 10 ms")


def _rows(rng: np.random.Generator) -> list[Row]:
    lines = [
        line.strip()
        for path in sorted(NOTES.rglob("*.md"))
        for line in path.read_text("utf-8").splitlines()
        if len(line.strip()) > 40
    ]
    termed = [(line, tuple(terms(line))) for line in lines]
    pick = random.Random(5)
    rows: list[Row] = []
    for start in range(0, PASSAGES, BATCH):
        vectors = _unit(rng.standard_normal((BATCH, DIMENSIONS)))
        for offset in range(BATCH):
            number = start + offset
            chosen = [pick.choice(termed) for _ in range(6)]
            passage = Passage(
                f"{number:08x}",
                "chunk",
                Scope("main"),
                "\n".join(line for line, _ in chosen),
                header=f"Notes > Part {number}",
                root="r",
                path=f"{number % 400:03}/note-{number}.md",
                start_line=1,
                end_line=6,
            )
            rows.append(Row(passage, tuple(term for _, own in chosen for term in own), vectors[offset]))
    return rows


def _statistics(rows: list[Row]) -> TermStatistics:
    frequency: Counter[str] = Counter()
    for row in rows:
        frequency.update(set(row.terms))
    return TermStatistics(len(rows), sum(len(row.terms) for row in rows), frequency)


def _unit(vectors: np.ndarray) -> np.ndarray:
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
