"""The first hits of every question as arrays, so that weights are tried without searching again."""

from __future__ import annotations

import asyncio
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from tercet.evaluation.judgement import is_answer
from tercet.evaluation.runner import AT_A_TIME, options_for
from tercet.ranking.sources import SOURCES, source_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from tercet.evaluation.runner import Search, Task
    from tercet.evaluation.systems import System
    from tercet.model import Hit
    from tercet.ranking.presets import Preset
    from tercet.ranking.sources import Source

FITTED: tuple[str, ...] = ("vector", "keyword", "header", "path", "date", "parent")
"""The signals whose weights are worth fitting to some dozens of questions."""
DEPTH = 100
"""Hits looked at per question; one that stands lower hardly comes first by a change of weights."""
_NOT_IN_ORDER = frozenset({"scale", "order"})
"""Multipliers that shape the score shown and leave the order alone."""


@dataclass(frozen=True, slots=True, eq=False)
class SignalTable:
    """q questions with an answer, ``DEPTH`` hits each, f signals of ``FITTED``; short lists are padded."""

    addends: NDArray[np.float64]
    """(q, depth, f) weight times value times the factors of the hit."""
    rest: NDArray[np.float64]
    """(q, depth) the sum of all other addends; -inf where there is no hit."""
    right: NDArray[np.bool_]
    """(q, depth)"""
    groups: tuple[str, ...]
    """(q,) questions that must not be parted."""
    sources: tuple[Source, ...]
    """Kinds of source among the hits, in the order of the presets."""

    def reciprocal_ranks(self, keys: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return (q,) 1 / rank of the best right hit under these keys (q, depth); ties keep their order."""
        at: NDArray[np.intp] = np.argmax(np.where(self.right, keys, -np.inf), axis=1)
        best: NDArray[np.float64] = np.take_along_axis(keys, at[:, None], axis=1)
        places = np.arange(keys.shape[1], dtype=np.intp)
        earlier: NDArray[np.bool_] = np.less(places[None, :], at[:, None])
        ahead: NDArray[np.bool_] = (keys > best) | ((keys == best) & earlier)
        ranks: NDArray[np.intp] = 1 + ahead.sum(axis=1)
        return np.where(self.right.any(axis=1), 1.0 / ranks, 0.0)

    def part(self, which: NDArray[np.intp]) -> SignalTable:
        """Return some of the questions."""
        numbers: list[int] = which.tolist()
        groups = tuple(self.groups[i] for i in numbers)
        return SignalTable(self.addends[which], self.rest[which], self.right[which], groups, self.sources)


async def collect_signals(
    search: Search,
    tasks: Sequence[Task],
    system: System,
    preset: Preset,
    progress: Callable[[str, int, int], None] | None,
) -> SignalTable:
    """Search once per answerable question and keep what every score is made of."""
    asked = [task for task in tasks if task.question.gold]
    table = SignalTable(
        addends=np.zeros((len(asked), DEPTH, len(FITTED))),
        rest=np.full((len(asked), DEPTH), -np.inf),
        right=np.zeros((len(asked), DEPTH), dtype=np.bool_),
        groups=tuple(task.question.group or task.question.id for task in asked),
        sources=(),
    )
    gate = asyncio.Semaphore(AT_A_TIME)
    seen: set[Source] = set()
    done = 0

    async def ask(number: int, task: Task) -> None:
        nonlocal done
        async with gate:
            hits = await search(task.question.text, options_for(task, system, DEPTH, explain=True))
        answers = (*task.question.gold, *task.question.also_acceptable)
        for rank, hit in enumerate(hits):
            _fill(table, number, rank, hit, preset)
            table.right[number, rank] = any(is_answer(answer, hit.passage) for answer in answers)
            seen.add(source_of(hit.passage))
        done += 1
        if progress is not None:
            progress("collecting signals", done, len(asked))

    async with asyncio.TaskGroup() as group:
        for number, task in enumerate(asked):
            group.create_task(ask(number, task))
    return replace(table, sources=tuple(source for source in SOURCES if source in seen))


def configured_weights(preset: Preset, source: Source) -> Mapping[str, float]:
    """Return the fitted signals' weights of one kind of source, those of 0 left out."""
    weights = {name: float(getattr(preset.weights[source], name)) for name in FITTED}
    return {name: weight for name, weight in weights.items() if weight}


def _fill(table: SignalTable, number: int, rank: int, hit: Hit, preset: Preset) -> None:
    table.rest[number, rank] = 0.0
    if hit.explanation is None:
        return
    factors = [factor for name, factor in hit.explanation.multipliers if name not in _NOT_IN_ORDER]
    factor = math.prod(factors)
    weights = configured_weights(preset, source_of(hit.passage))
    for part in hit.explanation.parts:
        # A weight that a rule has changed (no vectors, weak keywords) does not follow the setting.
        if math.isclose(part.weight, weights.get(part.name, math.nan), rel_tol=1e-9):
            table.addends[number, rank, FITTED.index(part.name)] = part.contribution * factor
        else:
            table.rest[number, rank] += part.contribution * factor
