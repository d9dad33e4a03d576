"""The signals of (query, passage): arrays over the candidates, every value in [0, 1].

Made apart from how they are weighed, so that a weight of 0 removes a signal and nothing else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tercet.errors import InvalidInputError, SpaceMismatchError
from tercet.ranking.bm25 import bm25, saturate, weighted_share
from tercet.ranking.query import text_terms
from tercet.ranking.sources import is_assistant, is_role
from tercet.ranking.term_table import presence_in
from tercet.text.term_beginnings import beginnings, may_hold

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from tercet.model import Mode, Passage, Row, TermStatistics, Vector
    from tercet.ranking.formula import Preset
    from tercet.ranking.query import QueryAnalysis
    from tercet.ranking.term_table import TermTable

_RARE_POWER = 3
"""Of the idf; with 2 a Chinese question's frame of bigrams still outweighs the name in it."""
_NO_TERMS: frozenset[str] = frozenset()
_COSINE_DECIMALS = 6
"""Equal vectors must tie, and the last bits of a float32 dot product depend on the row's place."""


def similarity_from_squared_l2(squared_l2: float) -> float:
    """Return 1 / (1 + d), in (0, 1]; d is *squared* L2, as LanceDB's ``l2`` gives it (R23).

    >>> similarity_from_squared_l2(0.0), similarity_from_squared_l2(1.0)
    (1.0, 0.5)
    """
    return 1.0 / (1.0 + max(0.0, squared_l2))


def query_vector(query_vectors: NDArray[np.float32], preset: Preset) -> Vector:
    """Return the one vector a query is searched and ranked with.

    Args:
        query_vectors: float32 (m, dimensions), one row per text of ``query_texts``.
        preset: Without ``focus`` only the first row counts.

    Returns:
        float32 (dimensions,): the mean of text and focused text, L2-normalised; zeros stay zeros.

    Raises:
        InvalidInputError: not of that shape, or not finite (permanent).
    """
    if query_vectors.ndim != 2 or not query_vectors.size or not np.isfinite(query_vectors).all():  # noqa: PLR2004 (rows)
        msg = f"Query vectors of shape {query_vectors.shape} are empty or not finite: give float32 (m, dimensions)."
        raise InvalidInputError(msg)
    return mean_vector(query_vectors[:2] if preset.focus else query_vectors[:1])


def mean_vector(vectors: NDArray[np.float32]) -> Vector:
    """Return the mean of float32 (m, dimensions), L2-normalised; zeros stay zeros."""
    mean = vectors.astype(np.float64).mean(axis=0)
    norm = float(np.sqrt(mean @ mean))
    result: Vector = (mean / norm if norm > 0 else mean).astype(np.float32)
    return result


def vectors_to_compare(query_vectors: NDArray[np.float32], preset: Preset) -> NDArray[np.float32]:
    """Return float32 (2 + s, dimensions): the query's own vector, that of ``query_vector``, its s sentences'."""
    focused = query_vector(query_vectors, preset)
    sentences = query_vectors[2:] if any(preset.sentences.values()) else query_vectors[:0]
    return np.stack([mean_vector(query_vectors[:1]), focused, *(mean_vector(row[None]) for row in sentences)])


def cosines(rows: Sequence[Row], queries: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return (n, m) cosines in [-1, 1]; NaN for a row that waits for its vector or holds a bad one.

    Args:
        rows: n rows.
        queries: float32 (m, dimensions), L2-normalised.

    Raises:
        SpaceMismatchError: a row's vector is of another length than the query's (permanent).
    """
    result = np.full((len(rows), len(queries)), np.nan)
    having = [(i, r.vector) for i, r in enumerate(rows) if r.vector is not None]
    if not having:
        return result
    wrong = next((v for _, v in having if v.shape != queries.shape[1:]), None)
    if wrong is not None:
        msg = (
            f"The query has {queries.shape[1]} numbers, a passage of the index {wrong.shape[0]}. "
            "Run 'tercet reembed', or set the old model again."
        )
        raise SpaceMismatchError(msg)
    # One joining of many short arrays is several times faster than np.stack, which looks at each.
    products = np.concatenate([v for _, v in having]).reshape(len(having), -1) @ queries.T
    result[[i for i, _ in having]] = np.round(np.clip(products.astype(np.float64), -1.0, 1.0), _COSINE_DECIMALS)
    return result


def vector_signal(cosine: NDArray[np.float64], preset: Preset) -> NDArray[np.float64]:
    """Return the vector signal: the cosine clamped to [0, 1], or 1 / (1 + squared L2); NaN is 0."""
    if preset.vector_form == "inverse_distance":
        return np.nan_to_num(1.0 / (1.0 + (2.0 - 2.0 * cosine)), nan=0.0)
    return np.clip(np.nan_to_num(cosine, nan=0.0), 0.0, 1.0)


def sentence_gain(cosine: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return (n,) how much nearer the best sentence is than the whole question, >= 0; NaN is 0.

    Args:
        cosine: (n, 2 + s) as ``cosines`` gives it for ``vectors_to_compare``.
    """
    if cosine.shape[1] <= 2:  # noqa: PLR2004 - the query and its focus
        return np.zeros(len(cosine))
    gain: NDArray[np.float64] = np.nan_to_num(cosine[:, 2:].max(axis=1) - cosine[:, 0], nan=0.0)
    return np.clip(gain, 0.0, 1.0)


def saturation_signal(
    table: TermTable, statistics: TermStatistics, preset: Preset, length_b: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return (n,) saturated BM25."""
    raw = bm25(table, statistics, k1=preset.k1, b=length_b, long_terms=preset.long_terms)
    return saturate(raw, float(table.weights.sum()), statistics.documents)


def lexical_signals(
    analysis: QueryAnalysis,
    passages: Sequence[Passage],
    table: TermTable,
    saturation: NDArray[np.float64],
    preset: Preset,
    *,
    mode: Mode,
) -> dict[str, NDArray[np.float64]]:
    """Return keyword, coverage, rare, pair, number, header and path."""
    present = table.present
    plain, informed = table.weights, table.weights * table.idf
    power = preset.keyword_power_alone if mode == "keyword" else preset.keyword_power
    is_share = preset.keyword_form == "share"
    field_weight = plain if is_share else informed
    # A passage's own terms hold those of its headings and of its file's stem, so where no term of
    # the query is among them only the folders can have one: most headings need not be read at all.
    holds: list[bool] = (present.sum(axis=1) > 0).tolist()
    named = list(zip(passages, holds, strict=True))
    headers = [p.header if found else "" for p, found in named] if preset.weighs("header") else []
    paths = [p.path if found else p.path.rpartition("/")[0] for p, found in named] if preset.weighs("path") else []
    return {
        "keyword": weighted_share(present, plain) if is_share else saturation**power,
        "coverage": weighted_share(present, informed),
        "rare": weighted_share(present, plain * table.idf**_RARE_POWER),
        "pair": weighted_share(table.close_pairs, table.pair_idf),
        "number": weighted_share(present[:, table.is_number], plain[table.is_number]),
        "header": _field_share(headers, len(passages), analysis.terms, field_weight),
        "path": _field_share(paths, len(passages), analysis.terms, field_weight),
    }


def _field_share(
    texts: Sequence[str], count: int, terms: Sequence[str], weight: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return (count,) what share of the terms' weight each short text holds; 0 where there are no texts."""
    if not texts:
        return np.zeros(count)
    heads = beginnings(terms)
    fields = [text_terms(text) if may_hold(text, heads) else _NO_TERMS for text in texts]
    return weighted_share(presence_in(fields, terms), weight)


def speaker_signal(analysis: QueryAnalysis, passages: Sequence[Passage]) -> NDArray[np.float64]:
    """Return 1 where the query names the passage's speaker; a role ("user") is no name."""
    named = {s for s in {p.speaker for p in passages} if s and not is_role(s) and text_terms(s) & analysis.words}
    return np.array([p.speaker in named for p in passages], dtype=np.float64)


def assistant_signal(analysis: QueryAnalysis, passages: Sequence[Passage]) -> NDArray[np.float64]:
    """Return 1 for an assistant's message, unless the query asks what the assistant said.

    A property of the question, not of the store: RANKING.md 2 saw the habit in one set only.
    """
    return np.zeros(len(passages)) if analysis.asks_assistant else _by_assistant(passages)


def reply_signal(analysis: QueryAnalysis, passages: Sequence[Passage]) -> NDArray[np.float64]:
    """Return 1 for an assistant's message where the query asks what the assistant said."""
    return _by_assistant(passages) if analysis.asks_assistant else np.zeros(len(passages))


def _by_assistant(passages: Sequence[Passage]) -> NDArray[np.float64]:
    return np.array([is_assistant(p) for p in passages], dtype=np.float64)
