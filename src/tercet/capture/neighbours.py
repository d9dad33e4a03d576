"""The live entries of a scope that something new is compared with."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from tercet.capture.entry_sync import entry_row
from tercet.capture.subjects import statement_of
from tercet.errors import EngineUnavailableError, SpaceMismatchError
from tercet.filters import Eq, Filter
from tercet.model import Reach
from tercet.text.same_text import text_digest
from tercet.text.terms import query_terms

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from tercet.model import Entry, Row, Scope, Vector
    from tercet.ports.capture import Journal
    from tercet.ports.engine import Engine

MOST: Final = 20
"""Of the nearest by meaning, and of those with shared words."""
_MOST_READ: Final = 500
"""Without an engine only so many of the newest entries are looked at."""


class Neighbours:
    """Finds what is near in exactly one scope: in the engine, and among what it was not told yet."""

    def __init__(self, journal: Journal, engine: Callable[[], Awaitable[Engine]]) -> None:
        """Use the journal as the truth, the engine for candidates."""
        self._journal = journal
        self._engine = engine
        self._fresh: dict[Scope, dict[str, Row]] = {}

    def add(self, row: Row) -> None:
        """Remember a row that the engine does not have yet."""
        self._fresh.setdefault(row.passage.scope, {})[row.passage.id] = row

    def rows(self) -> dict[str, Row]:
        """Return what was added since ``clear``, by id."""
        return {key: row for rows in self._fresh.values() for key, row in rows.items()}

    def clear(self) -> None:
        """Forget what was added: the engine has it."""
        self._fresh.clear()

    async def same(self, scope: Scope, text: str) -> Entry | None:
        """Return the live entry of this scope with the same normalised text."""
        digest = text_digest(text)
        return (await self._journal.by_text(scope, [digest])).get(digest)

    async def near(self, row: Row) -> list[tuple[Entry, float]]:
        """Return live entries of the row's scope with their squared L2, nearest first, infinity unknown."""
        scope = row.passage.scope
        reach = Reach(scope.agent, (scope.anchor,))
        words = query_terms(row.passage.text)
        try:
            found = await self._from_engine(row, words, Filter(reach, (Eq("kind", "entry"),)))
        except (EngineUnavailableError, SpaceMismatchError):
            # Trigger: the index is away or of another model. Why: the journal is written all the
            # same. Outcome: the newest entries are compared by their words.
            others = [entry_row(entry) for entry in await self._journal.live(reach, limit=_MOST_READ)]
            found = {other.passage.id: math.inf for other in _sharing(others, words)}
        fresh = [each for each in self._fresh.get(scope, {}).values() if each.passage.id != row.passage.id]
        for other in [*_nearest(fresh, row.vector), *_sharing(fresh, words)]:
            found[other.passage.id] = squared_l2(other.vector, row.vector)
        entries = await self._journal.get(list(found), reach)
        live = [(entry, found[entry.id]) for entry in entries if entry.state == "live"]
        return sorted(live, key=lambda pair: pair[1])

    async def _from_engine(self, row: Row, words: Sequence[str], where: Filter) -> dict[str, float]:
        engine = await self._engine()
        found: dict[str, float] = {}
        # What only shares words matters where it may be about the same attribute, or nothing else is known.
        if row.vector is None or statement_of(row.passage.text) is not None:
            found = {match.row.passage.id: math.inf for match in await engine.text_topk(words, MOST, where)}
        if row.vector is not None:
            matches = await engine.vector_topk(row.vector, MOST, where)
            found |= {match.row.passage.id: match.raw for match in matches}
        found.pop(row.passage.id, None)
        return found


def squared_l2(one: Vector | None, other: Vector | None) -> float:
    """Return the squared distance of two vectors, infinity where one is missing."""
    if one is None or other is None:
        return math.inf
    gap = one - other
    return float(gap @ gap)


def _nearest(rows: Sequence[Row], vector: Vector | None) -> list[Row]:
    return sorted(rows, key=lambda other: squared_l2(other.vector, vector))[:MOST]


def _sharing(rows: Sequence[Row], words: Sequence[str]) -> list[Row]:
    wanted = set(words)
    shared = [(len(wanted.intersection(other.terms)), other) for other in rows]
    return [other for count, other in sorted(shared, key=lambda pair: -pair[0])[:MOST] if count]
