"""From candidates to an order with its reasons; the door of the room for a layer.

A layer calls, in this order: ``analyse_query``, ``query_texts`` (to embed), ``candidate_count``,
``keyword_leg_terms``, then its engine's two legs, ``merge_legs``, ``neighbour_places`` (rows by
``place``), ``with_neighbours``, ``rank``; and where ``expansion`` gives terms, one more round with
``rank_expanded``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tercet.ranking.calibration import BackgroundCosines
from tercet.ranking.candidates import (
    Candidate,
    candidate_count,
    keyword_leg_terms,
    merge_legs,
    merge_pools,
    neighbour_places,
    with_neighbours,
)
from tercet.ranking.query import QueryAnalysis, analyse_query, focused_text, query_texts

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    import numpy as np
    from numpy.typing import NDArray

    from tercet.model import Leg, Mode, Row, SignalPart, TermStatistics, Vector
    from tercet.ranking.presets import Preset

__all__ = [
    "BackgroundCosines",
    "Candidate",
    "Dropped",
    "QueryAnalysis",
    "RankedHit",
    "Ranking",
    "analyse_query",
    "candidate_count",
    "expansion",
    "focused_text",
    "keyword_leg_terms",
    "merge_legs",
    "merge_pools",
    "neighbour_places",
    "query_texts",
    "query_vector",
    "rank",
    "rank_expanded",
    "with_neighbours",
]


@dataclass(frozen=True, slots=True, eq=False)
class RankedHit:
    """A passage in its place, with all that its score is made of."""

    row: Row
    score: float
    """Composite in [0, 1], non-increasing down the hits."""
    relevance: float
    """Before importance, in [0, 1]."""
    key: float
    """What the order is by: unclamped, descending."""
    parts: tuple[SignalPart, ...]
    """Addends; their sum times ``multipliers`` is the score."""
    multipliers: tuple[tuple[str, float], ...]
    legs: tuple[Leg, ...]
    vector_rank: int | None
    """In the vector leg, from 1; None when that leg did not find it."""
    keyword_rank: int | None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Dropped:
    """A candidate that is no hit, and the rule that left it out."""

    id: str
    rule: str
    """``limit``, ``min_score``, ``zero``, ``duplicate``, ``template`` ..."""
    position: int
    """After fusion, from 1, among all candidates."""
    score: float
    vector_rank: int | None = None
    keyword_rank: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """The outcome for one query."""

    hits: tuple[RankedHit, ...]
    dropped: tuple[Dropped, ...]
    preset: str
    mode: Mode
    """The mode in effect: ``keyword`` when there was no query vector."""
    best_score: float
    """Of all candidates, before ``min_score``; 0.0 without candidates."""
    notes: tuple[str, ...] = ()
    """Rules that acted on the whole query, in plain words."""


def query_vector(query_vectors: NDArray[np.float32], preset: Preset) -> Vector:
    """Return the vector for the engine's vector leg: the mean of the texts', L2-normalised."""
    raise NotImplementedError


def rank(
    analysis: QueryAnalysis,
    candidates: Sequence[Candidate],
    statistics: TermStatistics,
    preset: Preset,
    *,
    query_vectors: NDArray[np.float32] | None,
    background: BackgroundCosines | None = None,
    limit: int | None = None,
    min_score: float | None = None,
    mode: Mode | None = None,
    now: datetime,
) -> Ranking:
    """Rank candidates; every one gets every signal, whichever leg found it (R18, R19)."""
    raise NotImplementedError


def expansion(ranking: Ranking, analysis: QueryAnalysis, preset: Preset) -> list[str] | None:
    """Return terms to search again with, or None when the first answer stands."""
    raise NotImplementedError


def rank_expanded(
    analysis: QueryAnalysis,
    extra: Sequence[str],
    candidates: Sequence[Candidate],
    statistics: TermStatistics,
    preset: Preset,
    *,
    query_vectors: NDArray[np.float32] | None,
    background: BackgroundCosines | None = None,
    limit: int | None = None,
    min_score: float | None = None,
    mode: Mode | None = None,
    now: datetime,
) -> Ranking:
    """Rank the pool of both rounds; each passage keeps the better of its two scores (R27)."""
    raise NotImplementedError
