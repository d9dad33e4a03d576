"""When to say nothing: thresholds on the score that is returned, and why an answer is empty.

A threshold refuses foreign questions. It cannot refuse a question on the right topic whose fact
is absent: every score tried is at chance there (RANKING.md 3).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tercet.errors import InvalidInputError

if TYPE_CHECKING:
    from tercet.model import Mode
    from tercet.ranking.formula import Preset


def threshold_of(min_score: float | None, preset: Preset, mode: Mode = "hybrid") -> float:
    """Return the threshold in effect, in [0, 1]; ``mode`` is the one in effect.

    Raises:
        InvalidInputError: NaN or out of range (permanent).
    """
    if min_score is None:
        return preset.keyword_min_score if mode == "keyword" else preset.min_score
    if math.isnan(min_score) or not 0.0 <= min_score <= 1.0:
        msg = f"min_score is {min_score!r}: give a number from 0 to 1."
        raise InvalidInputError(msg)
    return min_score


def limit_of(limit: int | None, preset: Preset) -> int:
    """Return the limit in effect, >= 1.

    Raises:
        InvalidInputError: below 1 (permanent).
    """
    if limit is None:
        return preset.limit
    if limit < 1:
        msg = f"limit is {limit!r}: give a whole number of at least 1."
        raise InvalidInputError(msg)
    return limit


def rule_against(score: float, threshold: float) -> str:
    """Return the rule that leaves a score out, or an empty string.

    ``zero``: nothing in common with the query, never used as padding (R31). ``min_score``: the
    composite, after importance, is below the threshold (R20); equal to it is enough.
    """
    if score <= 0.0:
        return "zero"
    return "min_score" if score < threshold else ""


def reason_for_nothing(candidates: int, best_score: float, threshold: float) -> str:
    """Return one line on why there are no hits."""
    if not candidates:
        return "Nothing in reach holds a term of the query or has a vector near it."
    return f"The best of {candidates} candidates scores {best_score:.3f}, below min_score {threshold:g}."
