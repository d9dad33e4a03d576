"""Accesses and weak queries in memory, for the tests of what stands on them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tercet.errors import InvalidInputError
from tercet.ports.accesses import Accesses, WeakQuery

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from tercet.model import Reach
    from tercet.ports.accesses import AccessKind

_KEPT_ACCESSES = 20_000


@dataclass(frozen=True, slots=True)
class _Asked:
    query: str
    hit_ids: tuple[str, ...]
    at: datetime
    best: float
    reach: Reach


class MemoryAccessLog:
    """See ``tercet.ports.accesses.AccessLog``."""

    def __init__(self, is_forgotten: Callable[[str], bool]) -> None:
        self._is_forgotten = is_forgotten
        self._noted: list[tuple[str, datetime]] = []
        self._asked: list[_Asked] = []

    async def note(self, items: Sequence[str], kind: AccessKind, at: datetime) -> None:
        """Note one access of each item."""
        del kind
        if at.tzinfo is None:
            msg = f"The time {at.isoformat()} has no zone: give an aware datetime."
            raise InvalidInputError(msg)
        self._noted.extend((item, at) for item in items if not self._is_forgotten(item))
        del self._noted[:-_KEPT_ACCESSES]

    async def counts(self, since: datetime) -> dict[str, Accesses]:
        """Return the accesses from ``since`` on, by item."""
        found: dict[str, Accesses] = {}
        for item, at in self._noted:
            if at >= since:
                held = found.get(item, Accesses(0, at))
                found[item] = Accesses(held.count + 1, max(held.latest, at))
        return found

    async def weak_queries(self, reach: Reach, since: datetime, below: float) -> list[WeakQuery]:
        """Return what was asked within reach and found nothing as good as ``below``, the latest first."""
        weak = [
            each
            for each in reversed(self._asked)
            if each.best < below
            and each.at >= since
            and each.reach.agent == reach.agent
            and set(each.reach.anchors) <= set(reach.anchors)
        ]
        times = Counter(each.query for each in weak)
        latest = {each.query: each for each in reversed(weak)}
        return [WeakQuery(query, count, latest[query].hit_ids) for query, count in times.items()]

    def asked(self, query: str, hit_ids: Sequence[str], at: datetime, best: float, reach: Reach) -> None:
        """Log a query with its best score."""
        self._asked.append(_Asked(query, tuple(hit_ids), at, best, reach))

    def forget(self, ids: set[str]) -> None:
        """Drop accesses of these, and queries that found them."""
        self._noted = [(item, at) for item, at in self._noted if item not in ids]
        self._asked = [each for each in self._asked if not ids.intersection(each.hit_ids)]
