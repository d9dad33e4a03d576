"""What stands beside a passage: the turns before and after, and its whole file or conversation."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

from tercet.ranking.sources import group_of, source_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from tercet.model import Passage
    from tercet.ranking.sources import Group


def neighbour_signal(passages: Sequence[Passage], seeds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the better seed of the turns before and after, within the pool; 0 without any.

    Source: RANKING.md 2, nb; it helps conversations only, so lone entries and files have none.
    """
    result = np.zeros(len(passages))
    at: dict[tuple[Group, int], int] = {}
    turns: list[tuple[int, Group, int]] = []
    for i, passage in enumerate(passages):
        group = group_of(passage)
        if group is not None and source_of(passage) == "turn":
            at[group, passage.ordinal] = i
            turns.append((i, group, passage.ordinal))
    for i, group, ordinal in turns:
        beside = (at.get((group, ordinal - 1)), at.get((group, ordinal + 1)))
        result[i] = max((float(seeds[j]) for j in beside if j is not None), default=0.0)
    return result


def parent_signal(passages: Sequence[Passage], seeds: NDArray[np.float64], depth: int) -> NDArray[np.float64]:
    """Return the mean of the ``depth`` best seeds of the passage's file or conversation.

    With depth 1 it is the best one. A group with fewer passages in the pool is filled up with
    zeros; a lone entry is its own group of one, so that kinds of source stay comparable.

    Source: RANKING.md 2, grp, which is depth 1.
    """
    result = seeds.astype(np.float64)
    for members in _members(passages):
        best = np.sort(seeds[members])[::-1][:depth]
        result[members] = best.sum() / depth
    return result


def sibling_signal(passages: Sequence[Passage], seeds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the best seed of the other passages of the same file or conversation; 0 without any."""
    result = np.zeros(len(passages))
    for members in _members(passages):
        if len(members) > 1:
            own = seeds[members]
            first, second = np.sort(own)[::-1][:2]
            # Of several equal best ones each has another of the same seed beside it.
            result[members] = np.where(own == first, second if (own == first).sum() == 1 else first, first)
    return result


def _members(passages: Sequence[Passage]) -> list[list[int]]:
    """Return the positions of each file's or conversation's passages; lone entries are in none."""
    groups: defaultdict[Group, list[int]] = defaultdict(list)
    for i, passage in enumerate(passages):
        group = group_of(passage)
        if group is not None:
            groups[group].append(i)
    return list(groups.values())
