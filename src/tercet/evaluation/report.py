"""The report as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tercet.evaluation.abstention import Abstention
    from tercet.evaluation.summary import Comparison, Evaluation, Slice

DIGITS = 4


def report_json(evaluation: Evaluation) -> dict[str, Any]:
    """Return the wire form.

    ``baseline``, ``tuning``, ``byCorpus``, ``macro`` and ``warnings`` are there only where there is
    something to say: with a baseline, with tuning, with several corpora, with doubtful questions.
    A measure without a single question to take it on is null.
    """
    value: dict[str, Any] = {
        "questions": evaluation.questions,
        "metrics": _means(evaluation.whole),
        "intervals": _intervals(evaluation.whole),
        "byKind": {name: _slice(part) for name, part in evaluation.by_kind.items()},
        "byLanguage": {name: _slice(part) for name, part in evaluation.by_language.items()},
        "abstention": _abstention(evaluation.abstention),
    }
    if evaluation.comparison is not None:
        value["baseline"] = _comparison(evaluation.comparison, evaluation.whole.questions)
    if evaluation.macro:
        value["byCorpus"] = {name: _slice(part) for name, part in evaluation.by_corpus.items()}
        value["macro"] = _rounded(evaluation.macro)
    if evaluation.tuning is not None:
        value["tuning"] = evaluation.tuning.as_json()
    latency = evaluation.latency
    value["latencyMs"] = {"p50": round(latency.p50, 1), "p95": round(latency.p95, 1), "searches": latency.searches}
    value["preset"] = evaluation.preset
    value["space"] = evaluation.space
    if evaluation.warnings:
        value["warnings"] = list(evaluation.warnings)
    return value


def _slice(part: Slice) -> dict[str, Any]:
    return {"questions": part.questions, "metrics": _means(part), "intervals": _intervals(part)}


def _means(part: Slice) -> dict[str, float | None]:
    return dict.fromkeys(part.metrics) if not part.questions else {**_rounded(part.metrics)}


def _intervals(part: Slice) -> dict[str, list[float] | None]:
    if not part.questions:
        return dict.fromkeys(part.intervals)
    return {name: [round(low, DIGITS), round(high, DIGITS)] for name, (low, high) in part.intervals.items()}


def _rounded(metrics: Mapping[str, float]) -> dict[str, float]:
    return {name: round(value, DIGITS) for name, value in metrics.items()}


def _optional(value: float | None) -> float | None:
    return None if value is None else round(value, DIGITS)


def _abstention(found: Abstention) -> dict[str, Any]:
    return {
        "answerable": found.answerable,
        "unanswerable": found.unanswerable,
        "threshold": found.threshold,
        "auroc": _optional(found.auroc),
        "errorRate": round(found.error_rate, DIGITS),
        "falseAnswers": _optional(found.false_answers),
        "falseRefusals": _optional(found.false_refusals),
        "byMiss": {
            miss: {"questions": part.questions, "auroc": _optional(part.auroc), "refused": round(part.refused, DIGITS)}
            for miss, part in found.by_miss.items()
        },
    }


def _comparison(found: Comparison, questions: int) -> dict[str, Any]:
    if not questions:
        return {"name": found.name, "metrics": dict.fromkeys(found.metrics), "differences": {}}
    return {
        "name": found.name,
        "metrics": _rounded(found.metrics),
        "differences": {
            name: {
                "mean": round(each.mean, DIGITS),
                "interval": [round(each.low, DIGITS), round(each.high, DIGITS)],
                "p": round(each.p_value, 5),
            }
            for name, each in found.differences.items()
        },
    }
