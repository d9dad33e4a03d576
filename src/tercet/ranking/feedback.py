"""Pseudo-relevance feedback: terms of the first results widen the query."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from tercet.ranking.query import content_terms

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tercet.model import Row
    from tercet.ranking.formula import Preset
    from tercet.ranking.query import QueryAnalysis


def is_feedback_due(best_relevance: float, analysis: QueryAnalysis, preset: Preset) -> bool:
    """Tell whether the first answer is weak enough: below ``prf_below``, and no date is named.

    In ``classic`` a best relevance of .449 is expanded, .45 is not.
    """
    return bool(preset.prf_below) and best_relevance < preset.prf_below and not analysis.intervals


def feedback_terms(rows: Sequence[Row], analysis: QueryAnalysis, preset: Preset) -> list[str]:
    """Return up to ``prf_terms`` terms that weigh most in the first ``prf_documents`` rows.

    A term weighs the sum of its relative frequencies; the query's own terms, stop words and bare
    digits do not count, and ties go by the term itself. ``rows`` come best first.
    """
    weight: defaultdict[str, float] = defaultdict(float)
    for row in rows[: preset.prf_documents]:
        allowed = content_terms(row.passage.text) - analysis.words
        for term in row.terms:
            if term in allowed and not term.isdigit():
                weight[term] += 1.0 / len(row.terms)
    known = set(analysis.terms)
    ranked = sorted((t for t in weight if t not in known), key=lambda t: (-round(weight[t], 12), t))
    return ranked[: preset.prf_terms]
