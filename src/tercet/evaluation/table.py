"""The report as lines for a terminal or a Markdown page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tercet.evaluation.metrics import metric_names

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tercet.evaluation.abstention import Abstention
    from tercet.evaluation.summary import Evaluation, Slice


def report_lines(evaluation: Evaluation) -> list[str]:
    """Return the report, one line an item, without a line end."""
    names = metric_names(evaluation.k)
    answerable = evaluation.abstention.answerable
    title = f"{evaluation.questions} questions, {answerable} of them with an answer"
    lines = [
        f"{title}; preset {evaluation.preset}, embedder {evaluation.space}",
        "",
        _row("", "n", names),
    ]
    if not answerable:
        # No question to take a measure on: a zero would be taken for a bad one.
        lines.append(_row("all", 0, ["-"] * len(names)))
    else:
        lines += [
            _row("all", evaluation.whole.questions, _shown(evaluation.whole.metrics, names)),
            _row("  95 % from", "", [f"{evaluation.whole.intervals[name][0]:.3f}" for name in names]),
            _row("  95 % to", "", [f"{evaluation.whole.intervals[name][1]:.3f}" for name in names]),
        ]
    if evaluation.comparison is not None and answerable:
        comparison = evaluation.comparison
        lines += [
            _row(comparison.name, evaluation.whole.questions, _shown(comparison.metrics, names)),
            _row("  difference", "", [f"{comparison.differences[name].mean:+.3f}" for name in names]),
            _row("  p", "", [f"{comparison.differences[name].p_value:.4f}" for name in names]),
        ]
    lines += _section("by kind", evaluation.by_kind, names)
    lines += _section("by language", evaluation.by_language, names)
    if evaluation.macro:
        lines += _section("by corpus", evaluation.by_corpus, names)
        lines.append(_row("mean of these", "", _shown(evaluation.macro, names)))
    lines += ["", *_abstention_lines(evaluation.abstention)]
    latency = evaluation.latency
    lines.append(f"one search: p50 {latency.p50:.0f} ms, p95 {latency.p95:.0f} ms ({latency.searches} searches)")
    if evaluation.tokens_per_hit is not None:
        lines.append(f"a hit: about {evaluation.tokens_per_hit:.0f} tokens")
    if evaluation.tuning is not None:
        lines += ["", *evaluation.tuning.as_lines()]
    lines += [f"warning: {warning}" for warning in evaluation.warnings]
    return lines


def _section(title: str, slices: Mapping[str, Slice], names: tuple[str, ...]) -> list[str]:
    if len(slices) < 2:  # noqa: PLR2004 - one slice is the whole
        return []
    rows = [_row(name, part.questions, _shown(part.metrics, names)) for name, part in slices.items()]
    return ["", title, *rows]


def _abstention_lines(found: Abstention) -> list[str]:
    if not found.unanswerable:
        return ["abstention: no question without an answer"]
    lines = [
        f"abstention: AUROC {_number(found.auroc)}; {found.error_rate:.1%} wrong at the threshold {found.threshold:g}",
        f"  something for {_share(found.false_answers)} of {found.unanswerable} without an answer",
        f"  nothing for {_share(found.false_refusals)} of {found.answerable} with one",
    ]
    if set(found.by_miss) != {"unnamed"}:
        lines += [
            f"  {miss}: {part.questions} questions, AUROC {_number(part.auroc)}, {part.refused:.1%} refused"
            for miss, part in found.by_miss.items()
        ]
    return lines


def _row(name: str, count: int | str, cells: list[str] | tuple[str, ...]) -> str:
    return f"{name[:24]:<24} {count:>5}  " + " ".join(f"{cell:>9}" for cell in cells)


def _shown(metrics: Mapping[str, float], names: tuple[str, ...]) -> list[str]:
    return [f"{metrics[name]:.3f}" for name in names]


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.1%}"
