"""Builders for ranking tests: rows with real terms, unit vectors of a chosen cosine, counts."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterable
from datetime import UTC, datetime

import numpy as np
import pytest

from tercet.model import Passage, Row, Scope, TermStatistics, TimeRange
from tercet.ranking.candidates import Candidate
from tercet.ranking.query import QueryAnalysis
from tercet.text.terms import query_terms, terms

NOW = datetime(2026, 3, 10, 12, 0, tzinfo=UTC)
QUERY_VECTOR = np.array([[1.0, 0.0, 0.0, 0.0]], dtype=np.float32)


def unit(cosine: float, turn: float = 0.0) -> np.ndarray:
    """Return a unit vector with this cosine to QUERY_VECTOR, turned about it by ``turn`` radians."""
    side = math.sqrt(max(0.0, 1.0 - cosine * cosine))
    return np.array([cosine, side * math.cos(turn), side * math.sin(turn), 0.0], dtype=np.float32)


class Build:
    """What most tests need, by short calls."""

    now = NOW
    query_vectors = QUERY_VECTOR
    unit = staticmethod(unit)

    def row(self, ident: str, text: str = "", *, cosine: float | None = None, **fields: object) -> Row:
        passage = Passage(id=ident, kind=fields.pop("kind", "entry"), scope=Scope("main"), text=text, **fields)
        indexed = " ".join(part for part in (passage.header, passage.text) if part)
        return Row(passage, tuple(terms(indexed)), None if cosine is None else unit(cosine))

    def candidates(self, rows: Iterable[Row]) -> list[Candidate]:
        return [Candidate(r, frozenset({"vector"} if r.vector is not None else {"keyword"})) for r in rows]

    def statistics(self, rows: Iterable[Row], *, documents: int | None = None) -> TermStatistics:
        held = list(rows)
        frequency = Counter(t for r in held for t in set(r.terms))
        return TermStatistics(
            documents=documents or len(held),
            total_length=sum(len(r.terms) for r in held) * (documents or len(held)) // max(1, len(held)),
            document_frequency=frequency,
        )

    def asks(self, text: str, *, intervals: Iterable[TimeRange] = (), **fields: object) -> QueryAnalysis:
        """Build an analysis without the date grammar, which has tests of its own."""
        asked = tuple(query_terms(text))
        return QueryAnalysis(
            text=text,
            terms=asked,
            pairs=tuple(dict.fromkeys(itertools.pairwise(asked))),
            numbers=frozenset(t for t in asked if any(c.isdigit() for c in t)),
            words=frozenset(terms(text)),
            intervals=tuple(intervals),
            **fields,
        )

    def day(self, year: int, month: int, day: int) -> TimeRange:
        start = datetime(year, month, day, tzinfo=UTC)
        return TimeRange(start, start.replace(day=day + 1))


@pytest.fixture(scope="session")
def build() -> Build:
    return Build()


BuildFixture = Build
RowFactory = Callable[..., Row]
