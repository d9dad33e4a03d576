"""What stands beside a passage: the turns before and after, and its whole file or conversation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tercet.ranking.sources import group_of, source_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from tercet.model import Passage
    from tercet.ranking.sources import Group

_NONE = -1


@dataclass(frozen=True, slots=True, eq=False)
class Surroundings:
    """Who stands beside whom in a pool, by position; -1 is nobody."""

    before: NDArray[np.int64]
    """(n,) the turn before, in the same conversation."""
    after: NDArray[np.int64]
    group: NDArray[np.int64]
    """(n,) number of the file or conversation; -1 for a lone entry."""


def surroundings(passages: Sequence[Passage]) -> Surroundings:
    """Find neighbours and groups within a pool; only turns have neighbours."""
    number: dict[Group, int] = {}
    at: dict[tuple[int, int], int] = {}
    group = np.full(len(passages), _NONE, dtype=np.int64)
    turns: list[tuple[int, int, int]] = []
    for i, passage in enumerate(passages):
        key = group_of(passage)
        if key is None:
            continue
        group[i] = own = number.setdefault(key, len(number))
        if source_of(passage) == "turn":
            at[own, passage.ordinal] = i
            turns.append((i, own, passage.ordinal))
    before, after = np.full((2, len(passages)), _NONE, dtype=np.int64)
    for i, own, ordinal in turns:
        before[i] = at.get((own, ordinal - 1), _NONE)
        after[i] = at.get((own, ordinal + 1), _NONE)
    return Surroundings(before, after, group)


def neighbour_signal(around: Surroundings, seeds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the better seed of the turns before and after; 0 without any.

    Source: RANKING.md 2, nb; it helps conversations only, so lone entries and files have none.
    """
    with_nobody = np.append(seeds, 0.0)
    better: NDArray[np.float64] = np.maximum(with_nobody[around.before], with_nobody[around.after])
    return better


def parent_signal(around: Surroundings, seeds: NDArray[np.float64], depth: int) -> NDArray[np.float64]:
    """Return the mean of the ``depth`` best seeds of the passage's file or conversation.

    With depth 1 it is the best one. A group with fewer passages in the pool is filled up with
    zeros; a lone entry's is its own seed, so that kinds of source stay comparable.

    Source: RANKING.md 2, grp, which is depth 1.
    """
    order, place = _places(around, seeds)
    counted = order[place < depth]
    sums = np.bincount(
        around.group[counted] + 1, weights=seeds[counted], minlength=int(around.group.max(initial=0)) + 2
    )
    return np.where(around.group == _NONE, seeds, sums[around.group + 1] / depth)


def sibling_signal(around: Surroundings, seeds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the best seed of the other passages of the same file or conversation; 0 without any."""
    order, place = _places(around, seeds)
    best, second = np.zeros((2, int(around.group.max(initial=0)) + 2))
    for target, rank in ((best, 0), (second, 1)):
        chosen = order[place == rank]
        target[around.group[chosen] + 1] = seeds[chosen]
    is_best = np.zeros(len(seeds), dtype=np.bool_)
    is_best[order[place == 0]] = True
    others = np.where(is_best, second[around.group + 1], best[around.group + 1])
    return np.where(around.group == _NONE, 0.0, others)


def _places(around: Surroundings, seeds: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return positions sorted by group and falling seed, and the rank of each in its group from 0."""
    order = np.lexsort((-seeds, around.group))
    groups = around.group[order]
    starts = np.flatnonzero(np.append(True, groups[1:] != groups[:-1])[: len(groups)])
    lengths = np.diff(np.append(starts, len(groups)))
    return order, np.arange(len(groups)) - np.repeat(starts, lengths)
