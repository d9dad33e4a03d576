"""From candidates to an order with its reasons; the door of the room for a layer.

A layer calls, in this order: ``analyse_query``, ``query_texts`` (to embed), ``candidate_count``,
``keyword_leg_terms``, then its engine's two legs, ``merge_legs``, ``neighbour_places`` (rows by
``place``), ``with_neighbours``, ``rank``; and where ``expansion`` gives terms, one more round with
``rank_expanded``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple, get_args

import numpy as np

from tercet.errors import InvalidInputError
from tercet.model import Leg, Mode
from tercet.ranking.abstention import limit_of, reason_for_nothing, rule_against, threshold_of
from tercet.ranking.calibration import BackgroundCosines, background_in_effect
from tercet.ranking.candidates import (
    Candidate,
    candidate_count,
    keyword_leg_terms,
    merge_legs,
    merge_pools,
    neighbour_places,
    with_dated,
    with_neighbours,
)
from tercet.ranking.diversity import redundant
from tercet.ranking.explain import IMPORTANCE, ORDER, explanation_of, fit, recompute, signal_parts
from tercet.ranking.feedback import feedback_terms, is_feedback_due
from tercet.ranking.query import QueryAnalysis, analyse_query, focused_text, query_texts, with_expansion
from tercet.ranking.scoring import FACTORS, Scored, score_pool
from tercet.ranking.signals import mean_vector, query_vector, vectors_to_compare

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from numpy.typing import NDArray

    from tercet.model import Row, SignalPart, TermStatistics
    from tercet.ranking.formula import Preset

__all__ = [
    "BackgroundCosines",
    "Candidate",
    "Dropped",
    "QueryAnalysis",
    "RankedHit",
    "Ranking",
    "analyse_query",
    "background_in_effect",
    "candidate_count",
    "expanded_text",
    "expansion",
    "explanation_of",
    "focused_text",
    "keyword_leg_terms",
    "merge_legs",
    "merge_pools",
    "neighbour_places",
    "query_texts",
    "query_vector",
    "rank",
    "rank_expanded",
    "with_dated",
    "with_neighbours",
]


_LEAN = 0.15
"""Share of a calibrated score that the order decides."""
_LEGS: tuple[Leg, ...] = get_args(Leg)
_PLACE = attrgetter("root", "path", "start_line", "session", "ordinal", "id")
"""Of a passage: what equal keys stand by."""


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


class Dropped(NamedTuple):
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
    best_relevance: float
    """Of the first candidate, before importance."""
    notes: tuple[str, ...] = ()
    """Rules that acted on the whole query, in plain words."""


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
    """Rank candidates; every one gets every signal, whichever leg found it (R18, R19).

    Args:
        analysis: The query.
        candidates: In any order; equal keys stand by root, path, line, session, turn and id.
        statistics: Counts over the query's whole reach of at least ``analysis.terms``.
        preset: The formula.
        query_vectors: float32 (m, dimensions), one row per text of ``query_texts``; None without
            an embedder, and then the mode is ``keyword``.
        background: Of the store, for the calibrated score; None takes the preset's own.
        limit: At most this many hits; None is the preset's.
        min_score: Threshold on the score returned; None is the preset's.
        mode: None is ``hybrid``.
        now: Aware, with the asker's zone.

    Raises:
        InvalidInputError: limit, threshold, mode or query vectors are out of range (permanent).
        SpaceMismatchError: vectors of another length than the query's (permanent).
    """
    scope = _Scope(statistics, preset, background, *_mode_in_effect(mode, query_vectors, preset), now)
    rows = _in_tie_order(candidates)
    return _finish(rows, scope.score(analysis, rows), scope, limit, min_score, ())


def expansion(ranking: Ranking, analysis: QueryAnalysis, preset: Preset) -> list[str] | None:
    """Return terms to search again with, or None when the first answer stands.

    Due when the best relevance is below the preset's ``prf_below`` and the query names no date.
    """
    if not ranking.hits or not is_feedback_due(ranking.best_relevance, analysis, preset):
        return None
    return feedback_terms([h.row for h in ranking.hits], analysis, preset) or None


def expanded_text(analysis: QueryAnalysis, extra: Sequence[str]) -> str:
    """Return what to embed for the second round."""
    return " ".join([analysis.text, *extra])


def rank_expanded(
    analysis: QueryAnalysis,
    extra: Sequence[str],
    candidates: Sequence[Candidate],
    statistics: TermStatistics,
    preset: Preset,
    *,
    query_vectors: NDArray[np.float32] | None,
    expanded_vectors: NDArray[np.float32] | None = None,
    background: BackgroundCosines | None = None,
    limit: int | None = None,
    min_score: float | None = None,
    mode: Mode | None = None,
    now: datetime,
) -> Ranking:
    """Rank the pool of both rounds; each passage keeps the better of its two scores (R27).

    The second score is under the query with ``extra`` terms at ``prf_weight`` and the mean of both
    vectors, so that the first query weighs and drift stays bounded.

    Args:
        analysis: The first query.
        extra: What ``expansion`` gave.
        candidates: ``merge_pools`` of both rounds.
        statistics: Counts of the first query's terms and of ``extra``.
        preset: As for ``rank``, like the other arguments.
        query_vectors: Of the first query.
        expanded_vectors: float32 (1, dimensions) of ``expanded_text``; None leaves the first query's.
        background: As for ``rank``.
        limit: As for ``rank``.
        min_score: As for ``rank``.
        mode: As for ``rank``.
        now: As for ``rank``.
    """
    scope = _Scope(statistics, preset, background, *_mode_in_effect(mode, query_vectors, preset), now)
    rows = _in_tie_order(candidates)
    first = scope.score(analysis, rows)
    if scope.queries is not None and expanded_vectors is not None:
        wider = query_vector(expanded_vectors, preset)
        scope = replace(scope, queries=np.stack([mean_vector(np.stack([own, wider])) for own in scope.queries]))
    second = scope.score(with_expansion(analysis, extra, preset.prf_weight), rows)
    note = f"Feedback added {', '.join(extra)}; each passage keeps its better score."
    return _finish(rows, first.better_of(second), scope, limit, min_score, (note,))


@dataclass(frozen=True, slots=True, eq=False)
class _Scope:
    """What scoring needs besides the query's words and the rows."""

    statistics: TermStatistics
    preset: Preset
    background: BackgroundCosines | None
    mode: Mode
    queries: NDArray[np.float32] | None
    now: datetime

    def score(self, analysis: QueryAnalysis, candidates: Sequence[Candidate]) -> Scored:
        return score_pool(
            analysis,
            [c.row for c in candidates],
            self.statistics,
            self.preset,
            queries=self.queries,
            background=self.background,
            mode=self.mode,
            now=self.now,
        )


def _mode_in_effect(
    mode: Mode | None, query_vectors: NDArray[np.float32] | None, preset: Preset
) -> tuple[Mode, NDArray[np.float32] | None]:
    wanted = mode or "hybrid"
    if wanted not in get_args(Mode):
        msg = f"Unknown mode {wanted!r}: use one of {', '.join(get_args(Mode))}."
        raise InvalidInputError(msg)
    if wanted == "keyword" or query_vectors is None:
        return "keyword", None
    return wanted, vectors_to_compare(query_vectors, preset)


def _in_tie_order(candidates: Sequence[Candidate]) -> list[Candidate]:
    places = [_PLACE(candidate.row.passage) for candidate in candidates]
    return [candidates[i] for i in sorted(range(len(places)), key=places.__getitem__)]


def _finish(
    candidates: Sequence[Candidate],
    scored: Scored,
    scope: _Scope,
    limit: int | None,
    min_score: float | None,
    notes: tuple[str, ...],
) -> Ranking:
    """Order, leave out, cut; what stays first never depends on where the list is cut."""
    preset = scope.preset
    most, threshold = limit_of(limit, preset), threshold_of(min_score, preset, scope.mode)
    order: list[int] = np.argsort(-scored.key, kind="stable").tolist()
    repeats = redundant([candidates[i].row.passage for i in order]) if preset.collapse else {}
    stays = np.ones(len(order), dtype=np.bool_)
    stays[list(repeats)] = False
    shown = _levelled(scored.score[order], stays)
    if preset.score_form == "logistic":
        shown = shown * _leaning(scored.key[order])
    hits: list[RankedHit] = []
    dropped: list[Dropped] = []
    top = 1.0
    for position, (index, score) in enumerate(zip(order, shown.tolist(), strict=True)):
        candidate = candidates[index]
        rule = repeats.get(position) or rule_against(score, threshold) or ("limit" if len(hits) >= most else "")
        if rule:
            ranks = candidate.vector_rank, candidate.keyword_rank
            dropped.append(Dropped(candidate.row.passage.id, rule, position + 1, score, *ranks))
        else:
            hits.append(_hit(candidate, scored, index, score, top))
            top = hits[-1].score
    if scored.weak:
        notes = (*notes, f"No candidate holds {preset.weak_below:g} of the query's terms: the vector decides.")
    if not hits:
        notes = (*notes, reason_for_nothing(len(order), float(shown.max(initial=0.0)), threshold))
    return Ranking(
        hits=tuple(hits),
        dropped=tuple(dropped),
        preset=preset.name,
        mode=scope.mode,
        best_score=float(shown.max(initial=0.0)),
        best_relevance=float(scored.relevance[order[0]]) if order else 0.0,
        notes=notes,
    )


def _levelled(scores: NDArray[np.float64], stays: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the scores non-increasing: each at least the best of those that stand below it.

    Ordering uses more than the calibrated score does. Lifting, rather than lowering what follows,
    keeps a threshold from cutting strong evidence that stands behind weaker one.
    """
    kept = np.where(stays, scores, 0.0)
    levelled: NDArray[np.float64] = np.maximum.accumulate(kept[::-1])[::-1]
    return levelled


def _leaning(keys: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a factor in [1 - ``_LEAN``, 1) that falls with the key, so that levelled scores still differ.

    Pooling such scores to their mean (isotonic regression) would break two laws: strong evidence
    behind weaker one would fall below a threshold that it reaches by itself, and a passage with a
    raised signal could show a lower score.
    """
    factor: NDArray[np.float64] = 1.0 - _LEAN * np.exp(-2.0 * np.clip(keys, 0.0, None))
    return factor


def _hit(candidate: Candidate, scored: Scored, index: int, score: float, top: float) -> RankedHit:
    parts = signal_parts(scored.values[index], scored.weights[index])
    factors = zip(FACTORS, scored.factors[index].tolist(), strict=True)
    multipliers = tuple((name, factor) for name, factor in factors if factor != 1.0)
    multipliers = fit(parts, multipliers, ORDER, score, top)
    before = tuple(m for m in multipliers if m[0] != IMPORTANCE)
    return RankedHit(
        row=candidate.row,
        score=recompute(parts, multipliers),
        relevance=min(1.0, recompute(parts, before)),
        key=float(scored.key[index]),
        parts=parts,
        multipliers=multipliers,
        legs=tuple(leg for leg in _LEGS if leg in candidate.legs),
        vector_rank=candidate.vector_rank,
        keyword_rank=candidate.keyword_rank,
    )
