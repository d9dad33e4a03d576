"""An engine that holds everything in memory and searches by reading everything.

For tests: the oracle against which a real engine is compared, and a fast stand-in for one. It
keeps every promise of ``tercet.ports.Engine`` but to outlive the process.
"""

from __future__ import annotations

import asyncio
import math
from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import numpy as np

from tercet.errors import EngineUnavailableError, InvalidInputError, SpaceMismatchError
from tercet.filters import Eq, Filter, HasTag, HasVector, In, Range
from tercet.model import Match, Probe, Row
from tercet.ports.engine import EngineStats

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from tercet.filters import Condition
    from tercet.model import Passage, Space, Vector

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(slots=True)
class _Stored:
    row: Row
    """Without its vector."""
    vectors: dict[Space, Vector] = field(default_factory=dict["Space", "Vector"])


@dataclass(slots=True)
class MemoryStore:
    """What several engines may share, as processes share a folder."""

    rows: dict[str, _Stored] = field(default_factory=dict[str, _Stored])
    active: Space | None = None
    filling: Space | None = None


class MemoryEngine:
    """``Engine`` and ``ReembeddableEngine`` over a ``MemoryStore``."""

    def __init__(self, store: MemoryStore | None = None) -> None:
        self.store = MemoryStore() if store is None else store
        self._space: Space | None = None
        self._is_open = False
        self._handed_out: dict[str, Passage] = {}

    async def open(self, space: Space | None) -> None:
        """See ``Engine.open``."""
        self._is_open, self._space = True, space
        if space is None or space == self.store.active:
            return
        if any(self.store.active in stored.vectors for stored in self.store.rows.values()):
            raise self._mismatch()
        self.store.active = space

    async def upsert(self, rows: Sequence[Row]) -> None:
        """See ``Engine.upsert``."""
        self._check_open()
        for row in rows:
            _check_row(row, self._space)
        await asyncio.sleep(0)
        kept = self._space if self._space in {self.store.active, self.store.filling} else None
        for row in rows:
            stored = _Stored(replace(row, vector=None))
            if row.vector is not None and kept is not None:
                stored.vectors[kept] = np.array(row.vector, dtype=np.float32)
            self.store.rows[row.passage.id] = stored

    async def delete(self, what: Sequence[str] | Filter) -> None:
        """See ``Engine.delete``."""
        self._check_open()
        ids = [row.passage.id for row in self._select(what)] if isinstance(what, Filter) else what
        for identifier in ids:
            self.store.rows.pop(identifier, None)

    async def get(self, ids: Sequence[str]) -> list[Row]:
        """See ``Engine.get``; an id asked for twice comes once."""
        self._check_open()
        return [self._row(self.store.rows[key]) for key in dict.fromkeys(ids) if key in self.store.rows]

    async def vector_topk(self, vector: Vector, k: int, where: Filter, *, exact: bool = False) -> list[Match]:
        """See ``Engine.vector_topk``; always exact."""
        del exact
        self._check_open()
        _check_vector(vector, self._space, "The query vector")
        if self._space is None or k <= 0:
            return []
        if self._space != self.store.active:
            raise self._mismatch()
        query = vector.astype(np.float32)
        found = [
            Match(row, float(np.square(row.vector - query).sum()))
            for row in self._select(where)
            if row.vector is not None
        ]
        return sorted(found, key=lambda match: (match.raw, match.row.passage.id))[:k]

    async def text_topk(self, terms: Sequence[str], k: int, where: Filter) -> list[Match]:
        """See ``Engine.text_topk``; the score is BM25 over all rows (k1 1.2, b 0.75)."""
        self._check_open()
        wanted = set(terms)
        found = [row for row in self._select(where) if wanted.intersection(row.terms)]
        scored = [Match(row, self._bm25(row, wanted)) for row in found]
        return sorted(scored, key=lambda match: (-match.raw, match.row.passage.id))[: max(0, k)]

    async def scan(self, where: Filter, *, after: str = "", limit: int = 1000) -> list[Row]:
        """See ``Engine.scan``."""
        self._check_open()
        return [row for row in self._select(where) if row.passage.id > after][: max(0, limit)]

    async def stats(self) -> EngineStats:
        """See ``Engine.stats``; takes no disk."""
        self._check_open()
        rows = [self._row(stored) for stored in self.store.rows.values()]
        return EngineStats(len(rows), sum(row.vector is None for row in rows), 0, 1, 0)

    async def probe(self) -> Probe:
        """See ``Engine.probe``."""
        return Probe(ok=True) if self._is_open else Probe(ok=False, reason="The memory engine is not open.")

    async def maintain(self, budget_s: float) -> str:
        """See ``Engine.maintain``; there is nothing to do."""
        del budget_s
        self._check_open()
        return "Nothing to maintain in memory."

    async def close(self) -> None:
        """See ``Engine.close``."""
        self._is_open = False

    async def begin_reembed(self, space: Space) -> None:
        """See ``ReembeddableEngine.begin_reembed``."""
        self._check_open()
        if self.store.active is None:
            self.store.active = space
        former = self.store.filling
        if former is not None and former not in {space, self.store.active}:
            for stored in self.store.rows.values():
                stored.vectors.pop(former, None)
        self.store.filling = space
        self._handed_out.clear()

    async def rows_to_reembed(self, limit: int) -> list[Row]:
        """See ``ReembeddableEngine.rows_to_reembed``."""
        space = self._target()
        waiting = [stored.row for stored in self.store.rows.values() if space not in stored.vectors]
        rows = sorted(waiting, key=lambda row: row.passage.id)[: max(0, limit)]
        self._handed_out.update((row.passage.id, row.passage) for row in rows)
        return rows

    async def fill_reembed(self, ids: Sequence[str], vectors: NDArray[np.float32]) -> None:
        """See ``ReembeddableEngine.fill_reembed``; a row changed since it was listed waits again."""
        space = self._target()
        if vectors.shape != (len(ids), space.dimensions):
            msg = f"Vectors of shape {vectors.shape} for {len(ids)} ids: give ({len(ids)}, {space.dimensions})."
            raise InvalidInputError(msg)
        for vector in vectors:
            _check_vector(vector, space, "A vector to store", allow_zero=False)
        for identifier, vector in zip(ids, vectors, strict=True):
            stored = self.store.rows.get(identifier)
            if stored and self._handed_out.pop(identifier, stored.row.passage) == stored.row.passage:
                stored.vectors[space] = np.array(vector, dtype=np.float32)

    async def finish_reembed(self) -> None:
        """See ``ReembeddableEngine.finish_reembed``."""
        space = self._target()
        missing = sum(space not in stored.vectors for stored in self.store.rows.values())
        if missing:
            msg = f"{missing} rows have no vector in the new space yet: embed them before the switch."
            raise InvalidInputError(msg)
        for stored in self.store.rows.values():
            stored.vectors = {space: stored.vectors[space]}
        self.store.active, self.store.filling, self._space = space, None, space

    def _select(self, where: Filter) -> list[Row]:
        reach = where.reach
        rows = (self._row(stored) for stored in self.store.rows.values())
        found = [
            row
            for row in rows
            if row.passage.scope.agent == reach.agent
            and row.passage.scope.anchor in reach.anchors
            and all(_meets(row, condition) for condition in where.conditions)
        ]
        return sorted(found, key=lambda row: row.passage.id)

    def _row(self, stored: _Stored) -> Row:
        return replace(stored.row, vector=None if self._space is None else stored.vectors.get(self._space))

    def _bm25(self, row: Row, wanted: Iterable[str]) -> float:
        lengths = [len(stored.row.terms) for stored in self.store.rows.values()]
        counts, norm = Counter(row.terms), 0.25 + 0.75 * len(row.terms) * len(lengths) / sum(lengths)
        total = 0.0
        for term in wanted:
            holders = sum(term in stored.row.terms for stored in self.store.rows.values())
            idf = math.log(1 + (len(lengths) - holders + 0.5) / (holders + 0.5))
            total += idf * counts[term] * 2.2 / (counts[term] + 1.2 * norm)
        return total

    def _target(self) -> Space:
        self._check_open()
        if self.store.filling is None:
            msg = "No re-embedding has begun in this store: call begin_reembed first."
            raise InvalidInputError(msg)
        return self.store.filling

    def _check_open(self) -> None:
        if not self._is_open:
            msg = "The memory engine is not open: call open() first."
            raise EngineUnavailableError(msg)

    def _mismatch(self) -> SpaceMismatchError:
        return SpaceMismatchError(
            f"The index holds vectors of {self.store.active}, the configured model makes {self._space}. "
            "Run 'tercet reembed', or set the old model again."
        )


def _meets(row: Row, condition: Condition) -> bool:
    passage = row.passage
    match condition:
        case Eq(name, value):
            return _text(passage, name) == value
        case In(name, values):
            return _text(passage, name) in values
        case HasTag(tag):
            return tag in passage.tags
        case HasVector(present):
            return (row.vector is not None) is present
        case Range(name, low, high):
            number = _number(passage, name)
            return number is not None and (low is None or low <= number) and (high is None or number < high)


def _text(passage: Passage, name: str) -> str:
    if name == "place":
        return f"{passage.session}#{passage.ordinal}" if passage.session else ""
    return str(getattr(passage, name))


def _number(passage: Passage, name: str) -> float | None:
    if name == "timestamp_ms":
        moment = passage.timestamp
        return None if moment is None else (moment - _EPOCH) // timedelta(milliseconds=1)
    value: float | None = getattr(passage, name)
    return value


def _check_row(row: Row, space: Space | None) -> None:
    if any(term.split() != [term] for term in row.terms):
        msg = f"Row {row.passage.id!r} has a term that is empty or holds white space: split it before indexing."
        raise InvalidInputError(msg)
    if not row.passage.id:
        msg = "A passage id is empty: give another."
        raise InvalidInputError(msg)
    if row.vector is not None:
        _check_vector(row.vector, space, f"The vector of {row.passage.id!r}", allow_zero=False)


def _check_vector(vector: Vector, space: Space | None, what: str, *, allow_zero: bool = True) -> None:
    if vector.ndim != 1 or (space is not None and len(vector) != space.dimensions):
        msg = f"{what} has the shape {vector.shape}, the space is {space}: use the index's own model."
        raise InvalidInputError(msg)
    if not bool(np.isfinite(vector).all()) or not (allow_zero or vector.any()):
        msg = f"{what} is zero or holds NaN or infinity: the model that made it is broken."
        raise InvalidInputError(msg)
