"""Asks the questions: many at a time for the answers, one by one for the time they take."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tercet.evaluation.abstention import is_refused
from tercet.evaluation.judgement import judge
from tercet.model import SearchOptions
from tercet.text.weights import HEAVY_WEIGHT, weighted_length

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from datetime import datetime

    from tercet.evaluation.judgement import Judged
    from tercet.evaluation.questions import Question
    from tercet.evaluation.systems import System
    from tercet.model import Hit, Reach, SearchResult

    Search = Callable[[str, SearchOptions], Awaitable[SearchResult]]
    Progress = Callable[[int, int], None]

AT_A_TIME = 8
LATENCY_SAMPLE = 50
DEADLINE_S = 600.0
"""Far above any search: a busy machine must not turn into wrong answers."""


@dataclass(frozen=True, slots=True)
class Task:
    """One question, and where it is asked."""

    question: Question
    corpus: str = ""
    """Name of the corpus; empty for an indexed workspace."""
    reach: Reach | None = None
    """None is what the agent's owner sees."""
    now: datetime | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """What one question got."""

    question: Question
    corpus: str
    hits: tuple[Hit, ...]
    """Those at or above the threshold, best first."""
    best_score: float
    """Before the threshold; 0.0 without a hit."""
    judged: Judged | None
    """None for a question without an answer."""
    degraded: str | None

    @property
    def tokens_per_hit(self) -> float | None:
        """Mean size of a hit, at four weighted characters a token; None without hits."""
        if not self.hits:
            return None
        return sum(weighted_length(hit.passage.text) for hit in self.hits) / HEAVY_WEIGHT / len(self.hits)


@dataclass(frozen=True, slots=True)
class Latency:
    """Of single searches, one after the other, in milliseconds."""

    p50: float
    p95: float
    searches: int


def options_for(task: Task, system: System, limit: int, *, explain: bool = False) -> SearchOptions:
    """Return the options of one search; the threshold is applied afterwards, so nothing is cut here."""
    return SearchOptions(
        limit=limit,
        min_score=0.0,
        mode=system.mode,
        preset=system.preset,
        weights=system.constants,
        reach=task.reach,
        now=task.question.asked_at or task.now,
        explain=explain,
        deadline_s=DEADLINE_S,
    )


async def ask_all(
    search: Search, tasks: Sequence[Task], system: System, *, limit: int, threshold: float, progress: Progress | None
) -> list[Outcome]:
    """Ask every question, ``AT_A_TIME`` side by side, and judge the hits.

    Returns:
        One outcome per task, in their order.
    """
    gate = asyncio.Semaphore(AT_A_TIME)
    done = 0

    async def ask(task: Task) -> Outcome:
        nonlocal done
        async with gate:
            result = await search(task.question.text, options_for(task, system, limit))
        done += 1
        if progress is not None:
            progress(done, len(tasks))
        return _outcome(task, result, threshold)

    async with asyncio.TaskGroup() as group:
        asked = [group.create_task(ask(task)) for task in tasks]
    return [each.result() for each in asked]


async def measure_latency(search: Search, tasks: Sequence[Task], system: System, *, limit: int) -> Latency:
    """Time a sample of the questions, spread evenly over all, after one search that warms up."""
    step = max(1, len(tasks) // LATENCY_SAMPLE)
    sample = tasks[::step][:LATENCY_SAMPLE]
    warm = replace(sample[0], question=replace(sample[0].question, text="warm up"))
    await search(warm.question.text, options_for(warm, system, limit))
    times: list[float] = []
    for task in sample:
        started = time.perf_counter()
        await search(task.question.text, options_for(task, system, limit))
        times.append((time.perf_counter() - started) * 1000)
    times.sort()
    return Latency(_percentile(times, 0.5), _percentile(times, 0.95), len(times))


def _outcome(task: Task, result: SearchResult, threshold: float) -> Outcome:
    best = result[0].score if result else 0.0
    hits = tuple(hit for hit in result if not is_refused(hit.score, threshold))
    question = task.question
    judged = judge(question, [hit.passage for hit in hits]) if question.gold else None
    return Outcome(question, task.corpus, hits, best, judged, result.degraded)


def _percentile(ordered: Sequence[float], share: float) -> float:
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]
