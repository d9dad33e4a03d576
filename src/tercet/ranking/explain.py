"""From a score to its parts and back: the explanation recomputes the score exactly (R30)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tercet.model import Explanation, SignalPart
from tercet.ranking.formula import SIGNALS

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from tercet.ranking.pipeline import RankedHit

IMPORTANCE = "importance"
ORDER = "order"


def signal_parts(values: NDArray[np.float64], weights: NDArray[np.float64]) -> tuple[SignalPart, ...]:
    """Return the addends of one passage whose weight is not 0, in the order they are added."""
    return tuple(
        SignalPart(name, value, weight, weight * value)
        for name, value, weight in zip(SIGNALS, values.tolist(), weights.tolist(), strict=True)
        if weight
    )


def recompute(parts: Sequence[SignalPart], multipliers: Sequence[tuple[str, float]]) -> float:
    """Return the sum of the contributions, from left to right, times each multiplier in turn.

    Not ``sum()``: from Python 3.12 on that compensates rounding and ends on another float.
    """
    total = 0.0
    for part in parts:
        total += part.contribution
    for _, factor in multipliers:
        total *= factor
    return max(0.0, total)


def fit(
    parts: Sequence[SignalPart], multipliers: Sequence[tuple[str, float]], name: str, target: float, top: float
) -> tuple[tuple[str, float], ...]:
    """Add a multiplier so that the recomputed score is ``target`` and no more than ``top``.

    ``target``, in [0, 1], is met to a few units in the last place; ``top``, the score of the hit
    before, is kept to the last bit.
    """
    have = recompute(parts, multipliers)
    if have <= 0.0 or (have == target and have <= top):
        return tuple(multipliers)
    factor = min(target, top) / have
    while recompute(parts, (*multipliers, (name, factor))) > top:
        factor = math.nextafter(factor, 0.0)
    return (*multipliers, (name, factor))


def explanation_of(hit: RankedHit, preset: str) -> Explanation:
    """Return why a hit has its score."""
    return Explanation(preset=preset, parts=hit.parts, multipliers=hit.multipliers, legs=hit.legs, notes=hit.notes)
