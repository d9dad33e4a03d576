"""BM25 over the candidates from counts of the whole reach, and its absolute form.

The engine's own text score only picks candidates. Computed here, ranks do not move with other
tenants' rows and are the same on every engine.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tercet.model import TermStatistics
    from tercet.ranking.term_table import TermTable

SATURATION = 0.6
"""Share of the best possible sum at which the saturated score is one half."""


def inverse_document_frequency(frequency: NDArray[np.float64], documents: int) -> NDArray[np.float64]:
    """Return ln(1 + (N - df + .5) / (df + .5)), always > 0.

    Args:
        frequency: Passages that hold the term; clamped to [0, documents].
        documents: N, passages in reach; 0 counts as 1.

    >>> float(inverse_document_frequency(np.array([1.0]), 100).round(3)[0])
    4.211
    """
    n = max(documents, 1)
    df = np.clip(frequency, 0.0, float(n))
    result: NDArray[np.float64] = np.log1p((n - df + 0.5) / (df + 0.5))
    return result


def bm25(
    table: TermTable, statistics: TermStatistics, *, k1: float, b: NDArray[np.float64], long_terms: int = 0
) -> NDArray[np.float64]:
    """Return the raw BM25 sum of every candidate, >= 0.

    Among messages of a line or two a longer one tells more, so that b is best small; a message of
    pages then holds every word of every question. ``long_terms`` is where the one turns into the
    other: what a candidate has above it counts as with b = 1.

    Args:
        table: Counts of the query's terms.
        statistics: For the mean length; without documents every passage counts as of mean length.
        k1: >= 0; 0 counts a term as there or not.
        b: (n,) length normalisation of each candidate in [0, 1].
        long_terms: Terms from which on all of the length counts; 0 is never.

    Source: Robertson and Zaragoza 2009; k1 1.2 and b .75 as in RANKING.md 2.
    """
    mean_length = statistics.total_length / statistics.documents if statistics.documents else 0.0
    relative = table.lengths / mean_length if mean_length > 0 else np.ones_like(table.lengths)
    norm = k1 * (1.0 - b + b * relative)
    if long_terms and mean_length > 0:
        norm += k1 * (1.0 - b) * np.maximum(0.0, table.lengths - long_terms) / mean_length
    with np.errstate(invalid="ignore", divide="ignore"):
        gain = table.counts * (k1 + 1.0) / (table.counts + norm[:, None])
    # A count of 0 gains 0, also where k1 = 0 makes it 0 / 0.
    gain = np.where(table.counts > 0, gain, 0.0)
    result: NDArray[np.float64] = gain @ (table.idf * table.weights)
    return np.round(result, 9)


def saturate(raw: NDArray[np.float64], terms: float, documents: int) -> NDArray[np.float64]:
    """Map a raw BM25 sum to [0, 1), steady across corpus sizes and never relative to the batch (R2).

    s / (s + .6 * nq * ln(1 + (N - .5) / 1.5)): with three terms and 1,000 passages a raw sum of 8
    is 8 / (8 + .6 * 3 * 6.50) = .406. A better BM25 always scores higher (R24).

    Args:
        raw: >= 0.
        terms: nq, distinct query terms (the sum of their weights); 0 gives 0.
        documents: N, passages in reach.

    Source: reference figures in RANKING.md 3, steady from 118 to 50,000 passages.
    """
    if terms <= 0:
        return np.zeros_like(raw)
    scale = SATURATION * terms * math.log1p((max(documents, 1) - 0.5) / 1.5)
    result: NDArray[np.float64] = raw / (raw + scale)
    return result


def weighted_share(present: NDArray[np.bool_], weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the share of the columns' weight that is present in each row, in [0, 1].

    With weights of 1 it is the share of the query's terms found: 2 of 5 terms are .4. With no
    column it is 0.
    """
    total = float(weight.sum())
    if total <= 0:
        return np.zeros(len(present))
    share: NDArray[np.float64] = np.clip((present * weight).sum(axis=1) / total, 0.0, 1.0)
    return share
