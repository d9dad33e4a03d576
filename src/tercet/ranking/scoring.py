"""All signals of all candidates, and what they come to."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from tercet.ranking.calibration import calibrated
from tercet.ranking.context import neighbour_signal, parent_signal, sibling_signal, surroundings
from tercet.ranking.formula import SIGNALS
from tercet.ranking.fusion import bend, fuse, is_weak, stack, upper_bound, weight_rows
from tercet.ranking.importance import importance_factor
from tercet.ranking.signals import (
    assistant_signal,
    cosines,
    lexical_signals,
    reply_signal,
    saturation_signal,
    sentence_gain,
    speaker_signal,
    vector_signal,
)
from tercet.ranking.sources import source_of
from tercet.ranking.template_text import template_factor
from tercet.ranking.temporal import DateReading, date_signals, later_signal, newness_signal
from tercet.ranking.term_table import share_of_idf, tabulate

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from numpy.typing import NDArray

    from tercet.model import Mode, Passage, Row, TermStatistics
    from tercet.ranking.calibration import BackgroundCosines
    from tercet.ranking.formula import Preset
    from tercet.ranking.query import QueryAnalysis
    from tercet.ranking.term_table import TermTable

_CONTENT = 0.25
_DATE = SIGNALS.index("date")
_AROUND = [SIGNALS.index(name) for name in ("neighbour", "parent", "sibling")]
_USUAL = importance_factor(None)
_OTHER = ("date", "number", "speaker", "newness")


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """n candidates, scored; every array is along them."""

    values: NDArray[np.float64]
    """(n, signals), each in [0, 1]."""
    weights: NDArray[np.float64]
    """(n, signals)."""
    factors: NDArray[np.float64]
    """(n, 4): date, template, scale, importance; the sum times all is the score."""
    sums: NDArray[np.float64]
    """(n,) ``fuse`` of values and weights."""
    key: NDArray[np.float64]
    """(n,) what the order is by: unclamped, without the scale."""
    weak: bool
    """The weights for weak keywords were in effect."""

    @property
    def relevance(self) -> NDArray[np.float64]:
        """(n,) before importance, in [0, 1]."""
        return self._product(3)

    @property
    def score(self) -> NDArray[np.float64]:
        """(n,) composite, in [0, 1]."""
        return self._product(4)

    def better_of(self, other: Scored) -> Scored:
        """Return for every candidate whichever of two scorings is higher (R27)."""
        wins = other.key > self.key
        return replace(
            self,
            values=np.where(wins[:, None], other.values, self.values),
            weights=np.where(wins[:, None], other.weights, self.weights),
            factors=np.where(wins[:, None], other.factors, self.factors),
            sums=np.where(wins, other.sums, self.sums),
            key=np.where(wins, other.key, self.key),
        )

    def _product(self, count: int) -> NDArray[np.float64]:
        total = self.sums
        for column in range(count):
            total = total * self.factors[:, column]
        return np.clip(total, 0.0, 1.0)


FACTORS = ("date", "template", "scale", "importance")


def score_pool(
    analysis: QueryAnalysis,
    rows: Sequence[Row],
    statistics: TermStatistics,
    preset: Preset,
    *,
    queries: NDArray[np.float32] | None,
    background: BackgroundCosines | None,
    mode: Mode,
    now: datetime,
) -> Scored:
    """Score rows; ``queries`` is what ``vectors_to_compare`` gives.

    None means that there are no vectors, and ``mode`` then is ``keyword``.
    """
    passages = [r.passage for r in rows]
    table = tabulate(analysis, rows, statistics)
    alone = _date_alone(analysis, table, statistics) if preset.date_alone != 1.0 else 0.0
    table = _without_relative(table, analysis, alone)
    length_b = np.array([preset.length_b[source_of(p)] for p in passages], dtype=np.float64)
    saturation = saturation_signal(table, statistics, preset, length_b)
    cosine = None if queries is None else cosines(rows, queries)
    signals = lexical_signals(analysis, passages, table, saturation, preset, mode=mode)
    signals["vector"] = np.zeros(len(rows)) if cosine is None else _vector_signal(cosine, passages, preset)
    weak = is_weak(preset, signals["keyword"], mode)
    weights = weight_rows(preset, passages, mode, weak=weak, asks_latest=analysis.asks_latest)
    signals["speaker"] = speaker_signal(analysis, passages)
    signals["assistant"] = assistant_signal(analysis, passages)
    signals["reply"] = reply_signal(analysis, passages)
    signals["later"] = later_signal(passages, now)
    if analysis.asks_latest:
        signals["newness"] = newness_signal(passages, now, preset.newness_days)
    seeds = _seeds(signals, weights, preset)
    if weights[:, _AROUND].any():
        around = surroundings(passages)
        signals["neighbour"] = neighbour_signal(around, seeds)
        signals["parent"] = parent_signal(around, seeds, preset.parent_depth)
        signals["sibling"] = sibling_signal(around, seeds)
    so_far = fuse(stack(signals, len(rows)), weights)
    weights[:, _DATE] *= 1.0 + (preset.date_alone - 1.0) * alone
    signals["date"], is_exact = _dates(analysis, passages, preset, now, weights, so_far, alone)

    values = stack(signals, len(rows))
    factors = np.ones((len(rows), len(FACTORS)))
    factors[:, 0] = np.where(is_exact, preset.date_multiplier, 1.0)
    if preset.template_penalty:
        factors[:, 1] = [template_factor(p.text, preset.template_penalty) for p in passages]
    if preset.importance:
        factors[:, 3] = [_USUAL if p.importance is None else importance_factor(p.importance) for p in passages]
    sums = fuse(values, weights)
    total = sums * factors[:, 0] * factors[:, 1]
    if preset.score_form == "sum":
        multiplier = preset.date_multiplier if analysis.intervals else 1.0
        shown = bend(total, upper_bound(weights, multiplier))
    else:
        own = None if cosine is None else cosine[:, 0]
        evidence = _Evidence(values, weights, saturation, own, background)
        shown = np.where(total > 0, evidence.calibrated(preset) * factors[:, 1], 0.0)
    factors[:, 2] = np.divide(shown, total, out=np.ones_like(total), where=total > 0)
    return Scored(values=values, weights=weights, factors=factors, sums=sums, key=total * factors[:, 3], weak=weak)


def _vector_signal(cosine: NDArray[np.float64], passages: Sequence[Passage], preset: Preset) -> NDArray[np.float64]:
    is_focused = np.array([source_of(p) in preset.focused for p in passages], dtype=np.bool_)
    share = np.array([preset.sentences[source_of(p)] for p in passages], dtype=np.float64)
    plain = vector_signal(np.where(is_focused, cosine[:, 1], cosine[:, 0]), preset)
    return np.clip(plain + share * sentence_gain(cosine), 0.0, 1.0)


def _date_alone(analysis: QueryAnalysis, table: TermTable, statistics: TermStatistics) -> float:
    """Return how far the query asks for nothing but its dates, in [0, 1].

    1 when no other term of it stands in any passage; 0 once those that do have together
    ``_CONTENT`` of the highest idf there is: a word that half of the passages hold, as the name of
    whom they are all about, leaves some, and any rarer one nothing.
    """
    if not analysis.intervals:
        return 0.0
    known = np.array(
        [t not in analysis.date_terms and statistics.document_frequency.get(t, 0) > 0 for t in analysis.terms],
        dtype=np.bool_,
    )
    return max(0.0, 1.0 - share_of_idf(table, known, statistics.documents) / _CONTENT)


def _without_relative(table: TermTable, analysis: QueryAnalysis, alone: float) -> TermTable:
    """Take the weight of relative dates' words away as far as nothing else is asked for.

    "The day before yesterday" shares a word with every moving day, and none with the day it means.
    Beside other words they tell something: a message about next week is asked for as "next week".
    """
    relative = analysis.relative_terms
    if not alone or not relative:
        return table
    kept = np.array([1.0 - alone * (t in relative) for t in analysis.terms], dtype=np.float64)
    pairs = np.array([1.0 - alone * bool(relative & {a, b}) for a, b in analysis.pairs], dtype=np.float64)
    return replace(table, weights=table.weights * kept, pair_idf=table.pair_idf * pairs)


def _dates(
    analysis: QueryAnalysis,
    passages: Sequence[Passage],
    preset: Preset,
    now: datetime,
    weights: NDArray[np.float64],
    so_far: NDArray[np.float64],
    alone: float,
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    is_used = preset.date_multiplier != 1.0 or bool(weights[:, _DATE].any())
    zone = now.tzinfo
    if not is_used or zone is None:
        return np.zeros(len(passages)), np.zeros(len(passages), dtype=np.bool_)
    usual = [preset.date_days_file if p.path else preset.date_days for p in passages]
    days = [(1.0 - alone) * d + alone * preset.date_alone_days for d in usual]
    # Reading a text for dates costs more than all other signals of it together.
    best = np.argsort(-so_far, kind="stable")[: preset.date_reads]
    told = 1.0 - (1.0 - preset.date_alone_told) * alone
    how = DateReading(zone, frozenset(best.tolist()), told, exact=preset.date_multiplier != 1.0)
    return date_signals(analysis.intervals, passages, days, how)


def _seeds(
    signals: dict[str, NDArray[np.float64]], weights: NDArray[np.float64], preset: Preset
) -> NDArray[np.float64]:
    """Return the scores that neighbour and parent are made of; a signal of weight 0 has no part."""
    has_vector = weights[:, SIGNALS.index("vector")] > 0
    has_keyword = weights[:, SIGNALS.index("keyword")] > 0
    vector_part = np.where(has_vector, preset.seed_vector, 0.0)
    keyword_part = np.where(has_keyword, preset.seed_keyword, 0.0)
    # One leg alone takes the whole, so that the scale stays: without an embedder the seed is the keyword signal.
    whole = preset.seed_vector + preset.seed_keyword
    part = vector_part + keyword_part
    scale = np.divide(whole, part, out=np.zeros_like(part), where=part > 0)
    seeds: NDArray[np.float64] = scale * (vector_part * signals["vector"] + keyword_part * signals["keyword"])
    return seeds


@dataclass(frozen=True, slots=True, eq=False)
class _Evidence:
    """The absolute signals that a calibrated score is made of."""

    values: NDArray[np.float64]
    weights: NDArray[np.float64]
    saturation: NDArray[np.float64]
    cosine: NDArray[np.float64] | None
    background: BackgroundCosines | None

    def calibrated(self, preset: Preset) -> NDArray[np.float64]:
        """Return (n,) in (0, 1); a signal of weight 0 has no part here either."""
        constants = preset.calibration
        # A row that waits for its vector counts as one of the background.
        mean = constants.background_mean if self.background is None else self.background.mean
        cosine = self.cosine
        if cosine is not None:
            cosine = np.where(self._weight("vector") > 0, np.nan_to_num(cosine, nan=mean), mean)
        return calibrated(
            constants,
            cosine=cosine,
            coverage=np.where(self._weight("coverage") > 0, self._value("coverage"), 0.0),
            saturation=np.where(self._weight("keyword") > 0, self.saturation, 0.0),
            other=np.sum([self._weight(n) * self._value(n) for n in _OTHER], axis=0),
            background=self.background,
        )

    def _weight(self, name: str) -> NDArray[np.float64]:
        column: NDArray[np.float64] = self.weights[:, SIGNALS.index(name)]
        return column

    def _value(self, name: str) -> NDArray[np.float64]:
        column: NDArray[np.float64] = self.values[:, SIGNALS.index(name)]
        return column
