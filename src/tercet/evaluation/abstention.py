"""Saying nothing where nothing answers: how well the best score parts the two kinds of question."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tercet.evaluation.runner import Outcome


@dataclass(frozen=True, slots=True)
class Refusal:
    """The unanswerable questions of one kind of miss."""

    questions: int
    auroc: float | None
    """Chance that an answerable question's best score is above one of these; None without either."""
    refused: float
    """Share of these that got no hit at the threshold."""


@dataclass(frozen=True, slots=True)
class Abstention:
    """All questions, by whether they have an answer."""

    answerable: int
    unanswerable: int
    threshold: float
    """On the best score; what lies below is no hit."""
    auroc: float | None
    error_rate: float
    """Share of all questions that are answerable and got nothing, or are not and got something."""
    false_answers: float | None
    """Share of the unanswerable that got something; None without any."""
    false_refusals: float | None
    """Share of the answerable that got nothing; None without any."""
    by_miss: Mapping[str, Refusal] = field(default_factory=dict[str, Refusal])
    """``foreign``, ``near``, and ``unnamed`` where the set does not say."""


def abstention(outcomes: Sequence[Outcome], threshold: float) -> Abstention:
    """Judge the best scores of every question; no hit counts as score 0."""
    answerable = [outcome.best_score for outcome in outcomes if outcome.question.gold]
    unanswerable: defaultdict[str, list[float]] = defaultdict(list)
    for outcome in outcomes:
        if not outcome.question.gold:
            unanswerable[outcome.question.miss or "unnamed"].append(outcome.best_score)
    others = [score for scores in unanswerable.values() for score in scores]
    silent = sum(is_refused(score, threshold) for score in answerable)
    spoken = sum(not is_refused(score, threshold) for score in others)
    return Abstention(
        answerable=len(answerable),
        unanswerable=len(others),
        threshold=threshold,
        auroc=auroc(answerable, others),
        error_rate=(silent + spoken) / len(outcomes) if outcomes else 0.0,
        false_answers=spoken / len(others) if others else None,
        false_refusals=silent / len(answerable) if answerable else None,
        by_miss={
            miss: Refusal(
                len(scores),
                auroc(answerable, scores),
                sum(is_refused(score, threshold) for score in scores) / len(scores),
            )
            for miss, scores in sorted(unanswerable.items())
        },
    )


def is_refused(score: float, threshold: float) -> bool:
    """Tell whether a question with this best score gets no hit; nothing in common is no hit either."""
    return score <= 0.0 or score < threshold


def auroc(higher: Sequence[float], lower: Sequence[float]) -> float | None:
    """Return the chance that one of ``higher`` is above one of ``lower``, a tie counting half."""
    if not higher or not lower:
        return None
    # By ranks, so that thousands of questions stay quick: the Mann-Whitney statistic.
    ordered = sorted([(score, True) for score in higher] + [(score, False) for score in lower])
    rank_sum, position = 0.0, 0
    while position < len(ordered):
        end = position
        while end < len(ordered) and ordered[end][0] == ordered[position][0]:
            end += 1
        middle = (position + 1 + end) / 2
        rank_sum += middle * sum(is_higher for _, is_higher in ordered[position:end])
        position = end
    wins = rank_sum - len(higher) * (len(higher) + 1) / 2
    return wins / (len(higher) * len(lower))
