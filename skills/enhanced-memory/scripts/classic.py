"""Tercet's ``classic`` formula in plain Python: four signals, dates, and feedback.

score = vector + keyword + header + path, each weighted; where no chunk holds a tenth of the
question's terms the vector decides. A question that names a date multiplies the chunks of that
date, and where the best score stays low the first results lend it some of their terms. The same
candidates, the same arithmetic and the same order as in Tercet itself: a test compares them.
"""

from __future__ import annotations

import math
import sys
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dated import of_dates, overlaps_path
from memory_rules import query_intervals, query_terms, terms

if TYPE_CHECKING:
    from array import array
    from collections.abc import Callable, Iterable, Sequence
    from datetime import datetime

    from memory_rules import TimeRange
    from workspace import Chunk

    Embed = Callable[[str], array[float]]

_K1, _B = 1.2, 0.75
_COSINE_DECIMALS = 6
_DATED_FILES, _DATED_CHUNKS = 100, 200
_DATE_READS = 60
_LEG_TERMS = 32
_KNEE = 0.5


@dataclass(frozen=True)
class Weights:
    """What each signal counts."""

    vector: float
    keyword: float
    header: float
    path: float

    def by_words(self) -> Weights:
        """Return the weights without vectors: theirs goes to the keywords, so that the scale stays."""
        return Weights(0.0, self.keyword + self.vector, self.header, self.path)

    @property
    def total(self) -> float:
        """The highest sum they allow."""
        return self.vector + self.keyword + self.header + self.path


@dataclass(frozen=True)
class Formula:
    """Every constant of the formula."""

    weights: Weights = Weights(0.4, 0.25, 0.1, 0.25)
    weak_weights: Weights = Weights(0.85, 0.05, 0.05, 0.05)
    weak_below: float = 0.1
    """Best keyword signal among the candidates below which the weak weights apply (R28)."""
    date_factor: float = 3.0
    feedback_below: float = 0.45
    feedback_documents: int = 3
    feedback_terms: int = 5
    feedback_weight: float = 0.5
    candidates_per_result: int = 3
    candidates_at_most: int = 50
    importance: float = 0.85
    """A chunk carries no importance of its own: .5 + .5 * .7, so that kinds stay comparable."""


@dataclass(frozen=True)
class Hit:
    """A chunk in its place."""

    chunk: Chunk
    score: float
    """In [0, 1]."""
    signals: dict[str, float]
    weights: dict[str, float]
    factor: float
    """The sum of weight * signal, times this, is the score."""


@dataclass(frozen=True)
class _Question:
    text: str
    terms: tuple[str, ...]
    words: frozenset[str]
    intervals: tuple[TimeRange, ...]
    weight: dict[str, float]
    """Of each of ``terms``: 1, or less for those that came by feedback."""


@dataclass(frozen=True)
class _Scored:
    hit: Hit
    key: float
    relevance: float


class Classic:
    """The formula over the chunks of one workspace."""

    def __init__(self, chunks: Sequence[Chunk], formula: Formula, now: datetime) -> None:
        """Count what the legs need.

        Args:
            chunks: In order of path and line, which is the order of ties.
            formula: The constants.
            now: Aware; dates in the question count from it, in its zone.
        """
        self._chunks = chunks
        self._formula = formula
        self._now = now
        self._counts = [Counter(chunk.terms) for chunk in chunks]
        self._documents_with = Counter(term for counts in self._counts for term in counts)
        self._mean_length = sum(len(chunk.terms) for chunk in chunks) / max(1, len(chunks))

    def search(self, query: str, limit: int, embed: Embed | None) -> list[Hit]:
        """Return at most ``limit`` hits, best first; ``embed`` None goes by words alone."""
        asked = tuple(query_terms(query))
        intervals = tuple(query_intervals(query, self._now))
        question = _Question(query, asked, frozenset(terms(query)), intervals, dict.fromkeys(asked, 1.0))
        vector = None if embed is None else embed(query)
        pool = self._candidates(question, vector, limit)
        best = _best(self._score(question, pool, vector), limit)
        extra = self._feedback(question, best) if best else []
        if extra:
            best = _best(self._again(question, extra, pool, vector, limit, embed), limit)
        return [each.hit for each in best]

    def _again(
        self,
        question: _Question,
        extra: Sequence[str],
        pool: Sequence[int],
        vector: array[float] | None,
        limit: int,
        embed: Embed | None,
    ) -> list[_Scored]:
        """Search again with some terms more; each chunk keeps the better of its two scores.

        So drift never takes the first place from the right chunk (R27).
        """
        wider = replace(
            question,
            terms=question.terms + tuple(extra),
            weight={**question.weight, **dict.fromkeys(extra, self._formula.feedback_weight)},
        )
        expanded = None if embed is None else embed(" ".join([question.text, *extra]))
        pool = sorted({*pool, *self._candidates(wider, expanded, limit)})
        first = self._score(question, pool, vector)
        second = self._score(wider, pool, _mean(vector, expanded))
        return [b if b.key > a.key else a for a, b in zip(first, second, strict=True)]

    def _feedback(self, question: _Question, best: Sequence[_Scored]) -> list[str]:
        """Return terms of the first results, when the best is weak and no date is named."""
        formula = self._formula
        if best[0].relevance >= formula.feedback_below or question.intervals:
            return []
        weight: defaultdict[str, float] = defaultdict(float)
        for each in best[: formula.feedback_documents]:
            chunk = each.hit.chunk
            allowed = frozenset(query_terms(chunk.passage.text)) - question.words
            for term in chunk.terms:
                if term in allowed and not term.isdigit():
                    weight[term] += 1.0 / len(chunk.terms)
        fresh = (term for term in weight if term not in question.weight)
        return sorted(fresh, key=lambda t: (-round(weight[t], 12), t))[: formula.feedback_terms]

    def _candidates(self, question: _Question, vector: array[float] | None, limit: int) -> list[int]:
        """Return the numbers of the chunks that the legs find, in order."""
        formula = self._formula
        k = max(limit, min(formula.candidates_per_result * limit, formula.candidates_at_most))
        found = set(self._nearest(vector, k)) if vector is not None else set()
        return sorted(found | set(self._worded(question.terms, k)) | set(self._dated(question.intervals)))

    def _nearest(self, vector: array[float], k: int) -> list[int]:
        near = [(-_dot(vector, c.vector), number) for number, c in enumerate(self._chunks) if c.vector is not None]
        return [number for _, number in sorted(near)[:k]]

    def _worded(self, asked: Iterable[str], k: int) -> list[int]:
        """Return the best chunks by BM25 over the rarest terms of the question."""
        with_term = self._documents_with
        rarest = sorted(enumerate(asked), key=lambda item: (with_term[item[1]] == 0, with_term[item[1]], item[0]))
        idf = {
            term: math.log1p((len(self._chunks) - with_term[term] + 0.5) / (with_term[term] + 0.5))
            for _, term in rarest[:_LEG_TERMS]
            if with_term[term]
        }
        found: list[tuple[float, int]] = []
        for number, counts in enumerate(self._counts):
            length = len(self._chunks[number].terms) / self._mean_length if self._mean_length else 1.0
            norm = _K1 * (1.0 - _B + _B * length)
            raw = sum(idf[t] * counts[t] * (_K1 + 1.0) / (counts[t] + norm) for t in idf if t in counts)
            if raw > 0:
                found.append((-raw, number))
        return [number for _, number in sorted(found)[:k]]

    def _dated(self, intervals: Sequence[TimeRange]) -> list[int]:
        """Return the chunks of the files whose names are of the days asked for."""
        paths = {c.passage.path for c in self._chunks} if intervals else set()
        named = {path for path in paths if overlaps_path(intervals, path, self._now)}
        if len(named) > _DATED_FILES:
            return []
        return [number for number, c in enumerate(self._chunks) if c.passage.path in named][:_DATED_CHUNKS]

    def _score(self, question: _Question, pool: Sequence[int], vector: array[float] | None) -> list[_Scored]:
        formula = self._formula
        signals = [self._signals(question, self._chunks[number], vector) for number in pool]
        weights = formula.weights if vector is not None else formula.weights.by_words()
        best = max((each["keyword"] for each in signals), default=0.0)
        if vector is not None and formula.weights.keyword and best < formula.weak_below:
            weights = formula.weak_weights
        names = vars(weights)
        sums = [sum(names[name] * value for name, value in each.items()) for each in signals]
        factors = self._date_factors(question, pool, sums)
        bound = weights.total * (formula.date_factor if question.intervals else 1.0)
        scored: list[_Scored] = []
        for number, each, plain, factor in zip(pool, signals, sums, factors, strict=True):
            relevance = bend(plain * factor, bound)
            score = relevance * formula.importance
            hit = Hit(self._chunks[number], score, each, dict(names), score / plain if plain else 0.0)
            scored.append(_Scored(hit, plain * factor * formula.importance, relevance))
        return scored

    def _signals(self, question: _Question, chunk: Chunk, vector: array[float] | None) -> dict[str, float]:
        passage = chunk.passage
        cosine = 0.0 if vector is None or chunk.vector is None else _dot(vector, chunk.vector)
        keyword = _share(question, frozenset(chunk.terms))
        # Heading and file stem are part of a chunk's terms: without any of them only folders may hold one.
        header, path = (passage.header, passage.path) if keyword else ("", passage.path.rpartition("/")[0])
        return {
            "vector": min(1.0, max(0.0, round(cosine, _COSINE_DECIMALS))),
            "keyword": keyword,
            "header": _share(question, frozenset(terms(header))),
            "path": _share(question, frozenset(terms(path))),
        }

    def _date_factors(self, question: _Question, pool: Sequence[int], sums: Sequence[float]) -> list[float]:
        if not question.intervals:
            return [1.0] * len(pool)
        # Reading texts for dates is slow: names and headings count for all, texts for the best.
        best = set(sorted(range(len(pool)), key=lambda place: -sums[place])[:_DATE_READS])
        return [
            self._formula.date_factor
            if of_dates(question.intervals, self._chunks[number].passage, self._now, whole=place in best)
            else 1.0
            for place, number in enumerate(pool)
        ]


def _best(scored: Iterable[_Scored], limit: int) -> list[_Scored]:
    """Return the best in order; nothing in common with the question is no hit (R31)."""
    ordered = sorted(scored, key=lambda each: -each.key)
    return [each for each in ordered if each.hit.score > 0][:limit]


def bend(total: float, bound: float) -> float:
    """Map a sum to [0, 1], strictly rising: sums that may pass 1 approach it above one half (R29)."""
    if bound <= 1.0 + 1e-9:  # the sum of weights like .4 + .25 + .1 + .25 in floats
        return min(total, 1.0)
    return total if total <= _KNEE else 1.0 - _KNEE * math.exp(-(total - _KNEE) / _KNEE)


def _share(question: _Question, found: frozenset[str]) -> float:
    """Return the share of the question's terms, by weight, that are found: whole terms only (R22, R26)."""
    total = sum(question.weight.values())
    held = sum(weight for term, weight in question.weight.items() if term in found)
    return min(1.0, held / total) if total else 0.0


def _mean(one: array[float] | None, two: array[float] | None) -> array[float] | None:
    """Return the mean of two unit vectors, of length 1 again."""
    if one is None or two is None:
        return one
    total = [a + b for a, b in zip(one, two, strict=True)]
    length = math.sqrt(math.fsum(number * number for number in total))
    return type(one)("f", (number / length for number in total)) if length else one


if sys.version_info >= (3, 12):
    _dot = math.sumprod
else:
    from operator import mul

    def _dot(one: array[float], two: array[float]) -> float:
        return math.fsum(map(mul, one, two))
