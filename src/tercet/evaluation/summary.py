"""What all outcomes together come to."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tercet.evaluation.abstention import Abstention, abstention
from tercet.evaluation.metrics import measure, metric_names
from tercet.evaluation.uncertainty import Difference, bootstrap_interval, paired_difference

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tercet.evaluation.runner import Latency, Outcome
    from tercet.evaluation.tuning import Tuning


@dataclass(frozen=True, slots=True)
class Slice:
    """The measures over some of the questions, all of which have an answer."""

    questions: int
    metrics: Mapping[str, float]
    intervals: Mapping[str, tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Comparison:
    """The system against a baseline, question by question."""

    name: str
    metrics: Mapping[str, float]
    differences: Mapping[str, Difference]
    """The system's mean minus the baseline's."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The whole report."""

    questions: int
    """All that were asked, with an answer or without."""
    whole: Slice
    by_kind: Mapping[str, Slice]
    by_language: Mapping[str, Slice]
    by_corpus: Mapping[str, Slice]
    """Empty for a workspace."""
    abstention: Abstention
    latency: Latency
    preset: str
    space: str
    k: int
    tokens_per_hit: float | None
    degraded: tuple[str, ...] = ()
    """Distinct reasons why searches were answered in part; figures then measure that."""
    warnings: tuple[str, ...] = ()
    """What is doubtful about the questions themselves."""
    comparison: Comparison | None = None
    tuning: Tuning | None = None
    macro: Mapping[str, float] = field(default_factory=dict[str, float])
    """Mean of the corpora's means; empty for one corpus or a workspace."""


def metric_values(outcomes: Sequence[Outcome], name: str) -> list[float]:
    """Return one measure of every answerable question, in order."""
    return [measure(outcome.judged, name) for outcome in outcomes if outcome.judged is not None]


def summarise(
    outcomes: Sequence[Outcome], *, k: int, threshold: float, latency: Latency, preset: str, space: str
) -> Evaluation:
    """Sum outcomes up; order does not matter but for the draws of the intervals."""
    by_corpus = _sliced(outcomes, k, lambda outcome: outcome.corpus) if any(o.corpus for o in outcomes) else {}
    sizes = [size for outcome in outcomes if (size := outcome.tokens_per_hit) is not None]
    names = metric_names(k)
    several = len(by_corpus) > 1
    return Evaluation(
        questions=len(outcomes),
        whole=_slice(outcomes, k),
        by_kind=_sliced(outcomes, k, lambda outcome: outcome.question.kind),
        by_language=_sliced(outcomes, k, lambda outcome: outcome.question.language),
        by_corpus=by_corpus,
        abstention=abstention(outcomes, threshold),
        latency=latency,
        preset=preset,
        space=space,
        k=k,
        tokens_per_hit=_mean(sizes) if sizes else None,
        degraded=tuple(sorted({outcome.degraded for outcome in outcomes if outcome.degraded})),
        macro={name: _mean([part.metrics[name] for part in by_corpus.values()]) for name in names} if several else {},
    )


def compare(name: str, outcomes: Sequence[Outcome], baseline: Sequence[Outcome], k: int) -> Comparison:
    """Compare two systems' outcomes of the same questions in the same order."""
    names = metric_names(k)
    differences = {m: paired_difference(metric_values(outcomes, m), metric_values(baseline, m)) for m in names}
    return Comparison(name, {m: _mean(metric_values(baseline, m)) for m in names}, differences)


def _sliced(outcomes: Sequence[Outcome], k: int, key: Callable[[Outcome], str]) -> dict[str, Slice]:
    groups: defaultdict[str, list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        if outcome.judged is not None:
            groups[key(outcome)].append(outcome)
    return {name: _slice(group, k) for name, group in sorted(groups.items())}


def _slice(outcomes: Sequence[Outcome], k: int) -> Slice:
    values = {name: metric_values(outcomes, name) for name in metric_names(k)}
    return Slice(
        questions=len(next(iter(values.values()))),
        metrics={name: _mean(each) for name, each in values.items()},
        intervals={name: bootstrap_interval(each) for name, each in values.items()},
    )


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
