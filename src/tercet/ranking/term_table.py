"""Where the query's terms stand in the candidates, as arrays."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import compress, count
from typing import TYPE_CHECKING

import numpy as np

from tercet.ranking.bm25 import inverse_document_frequency

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from tercet.model import Row, TermStatistics
    from tercet.ranking.query import QueryAnalysis

PAIR_WINDOW = 2
"""Two terms stand close together when they are at most this many positions apart."""


@dataclass(frozen=True, slots=True, eq=False)
class TermTable:
    """Counts of m query terms in n candidates."""

    counts: NDArray[np.float64]
    """(n, m) occurrences."""
    lengths: NDArray[np.float64]
    """(n,) terms of the candidate."""
    idf: NDArray[np.float64]
    """(m,) inverse document frequency over the query's whole reach, > 0."""
    weights: NDArray[np.float64]
    """(m,) 1, or less for terms that came by feedback."""
    close_pairs: NDArray[np.bool_]
    """(n, p) whether the terms of a query pair stand close together."""
    pair_idf: NDArray[np.float64]
    """(p,) sum of the idf of both terms."""
    is_number: NDArray[np.bool_]
    """(m,) the term holds a digit."""

    @property
    def present(self) -> NDArray[np.bool_]:
        """(n, m) whether a candidate holds a term."""
        return self.counts > 0


def tabulate(analysis: QueryAnalysis, rows: Sequence[Row], statistics: TermStatistics) -> TermTable:
    """Count the query's terms, and find its pairs, in every row in one pass."""
    terms = analysis.terms
    index = {term: column for column, term in enumerate(terms)}
    lengths = np.fromiter((len(r.terms) for r in rows), dtype=np.int64, count=len(rows))
    at, owner, columns = _occurrences(index, rows)
    counts = np.bincount(owner * len(terms) + columns, minlength=len(rows) * len(terms))
    idf = inverse_document_frequency(
        np.array([statistics.document_frequency.get(t, 0) for t in terms], dtype=np.float64), statistics.documents
    )
    pairs = [(index[a], index[b]) for a, b in analysis.pairs]
    return TermTable(
        counts=counts.reshape(len(rows), len(terms)).astype(np.float64),
        lengths=lengths.astype(np.float64),
        idf=idf,
        weights=np.array([analysis.term_weights.get(t, 1.0) for t in terms], dtype=np.float64),
        close_pairs=_close_pairs(at, owner, columns, pairs, (len(rows), len(terms))),
        pair_idf=np.array([idf[a] + idf[b] for a, b in pairs], dtype=np.float64),
        is_number=np.array([t in analysis.numbers for t in terms], dtype=np.bool_),
    )


def share_of_idf(table: TermTable, chosen: NDArray[np.bool_], documents: int) -> float:
    """Return the idf of the chosen terms together, in idf of a term that one passage alone holds, >= 0."""
    top = float(inverse_document_frequency(np.array([1.0]), documents)[0])
    return float(table.idf[chosen].sum()) / top


def presence_in(fields: Sequence[frozenset[str]], terms: Sequence[str]) -> NDArray[np.bool_]:
    """Return (n, m): whether the terms of a short field hold each query term."""
    wanted = frozenset(terms)
    result = np.zeros((len(fields), len(terms)), dtype=np.bool_)
    index = {term: column for column, term in enumerate(terms)}
    for row, field in enumerate(fields):
        for term in wanted & field:
            result[row, index[term]] = True
    return result


def _occurrences(
    index: Mapping[str, int], rows: Sequence[Row]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return position, row and column of every occurrence of a query term, in order.

    Positions run through the rows one after the other.
    """
    wanted = frozenset(index)
    at: list[int] = []
    owner: list[int] = []
    columns: list[int] = []
    start = 0
    for number, row in enumerate(rows):
        terms = row.terms
        # Most rows of the vector leg hold none: those are passed over at the speed of a set.
        if not wanted.isdisjoint(terms):
            own = list(compress(count(), map(wanted.__contains__, terms)))
            at += [start + place for place in own]
            owner += [number] * len(own)
            columns += [index[terms[place]] for place in own]
        start += len(terms)
    return np.array(at, dtype=np.int64), np.array(owner, dtype=np.int64), np.array(columns, dtype=np.int64)


def _close_pairs(
    at: NDArray[np.int64],
    owner: NDArray[np.int64],
    columns: NDArray[np.int64],
    pairs: Sequence[tuple[int, int]],
    shape: tuple[int, int],
) -> NDArray[np.bool_]:
    rows, terms = shape
    found = np.zeros((rows, len(pairs)), dtype=np.bool_)
    if not pairs:
        return found
    number = np.full((terms, terms), -1, dtype=np.int64)
    for pair, (first, second) in enumerate(pairs):
        number[first, second] = number[second, first] = pair
    # Between two occurrences at most two positions apart stands at most one other occurrence.
    for step in range(1, PAIR_WINDOW + 1):
        left, right = slice(None, -step), slice(step, None)
        which = number[columns[left], columns[right]]
        is_close = (at[right] - at[left] <= PAIR_WINDOW) & (owner[left] == owner[right]) & (which >= 0)
        found[owner[left][is_close], which[is_close]] = True
    return found
