"""Pure: passages that stand in the top ten of many queries which have nothing to do with each other."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tercet.text.terms import query_terms

if TYPE_CHECKING:
    from collections.abc import Sequence

MIN_UNRELATED = 5
"""Fewer queries than this may share a passage by chance."""
MIN_SHARE = 0.2
"""Of the unrelated queries in the log: a passage that answers a fifth of everything answers nothing."""


@dataclass(frozen=True, slots=True)
class Magnet:
    """One junk magnet."""

    id: str
    queries: int
    """Mutually unrelated queries in whose top ten it stands."""
    of: int
    """Mutually unrelated queries in the log."""


def junk_magnets(logged: Sequence[tuple[str, Sequence[str]]]) -> list[Magnet]:
    """Return the magnets, worst first.

    Two queries are unrelated when they share no term. They are picked greedily, newest first, so
    that one topic asked about a hundred times counts once.

    Args:
        logged: (query, ids of its first ten hits), newest first.
    """
    unrelated_of_all = _unrelated([query for query, _ in logged])
    by_passage: dict[str, list[str]] = defaultdict(list)
    for query, ids in logged:
        for passage_id in ids:
            by_passage[passage_id].append(query)
    found = [
        Magnet(passage_id, count, unrelated_of_all)
        for passage_id, queries in by_passage.items()
        if (count := _unrelated(queries)) >= MIN_UNRELATED and count >= MIN_SHARE * unrelated_of_all
    ]
    return sorted(found, key=lambda magnet: (-magnet.queries, magnet.id))


def _unrelated(queries: Sequence[str]) -> int:
    taken: set[str] = set()
    count = 0
    for query in dict.fromkeys(queries):
        words = set(query_terms(query))
        if words and taken.isdisjoint(words):
            taken |= words
            count += 1
    return count
