"""Intervals and p-values over questions, seeded: the same answers give the same numbers.

They count questions as independent. Those of one conversation are not quite, so the true interval
is somewhat wider.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

RESAMPLES = 2000
PERMUTATIONS = 10_000
CONFIDENCE = 0.95
SEED = 20_260
_BLOCK = 250
"""Resamples drawn at a time, so that memory stays flat with thousands of questions."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One system's mean minus another's over the same questions."""

    mean: float
    low: float
    high: float
    p_value: float
    """Two-sided, of a paired permutation test; 1.0 when no question differs."""


def bootstrap_interval(values: Sequence[float], *, resamples: int = RESAMPLES, seed: int = SEED) -> tuple[float, float]:
    """Return the 95 % percentile interval of the mean.

    Args:
        values: One per question; of none or one the interval is its own value, or (0, 0).
        resamples: How often questions are drawn anew with replacement, >= 1.
        seed: Of the draws.
    """
    sample = np.asarray(values, dtype=np.float64)
    if len(sample) < 2:  # noqa: PLR2004 - one value has no spread
        only = float(sample[0]) if len(sample) else 0.0
        return only, only
    draw = np.random.default_rng(seed)
    means: list[NDArray[np.float64]] = []
    for start in range(0, resamples, _BLOCK):
        picks = draw.integers(0, len(sample), (min(_BLOCK, resamples - start), len(sample)))
        means.append(sample[picks].mean(axis=1))
    low, high = np.quantile(np.concatenate(means), [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return float(low), float(high)


def paired_difference(
    values: Sequence[float], baseline: Sequence[float], *, permutations: int = PERMUTATIONS, seed: int = SEED
) -> Difference:
    """Compare two systems question by question.

    Args:
        values: Of the system, one per question.
        baseline: Of the other, in the same order.
        permutations: Random swaps of the two systems, >= 1; p is at least 1 / (1 + permutations).
        seed: Of swaps and resamples.
    """
    deltas = np.asarray(values, dtype=np.float64) - np.asarray(baseline, dtype=np.float64)
    if not len(deltas):
        return Difference(0.0, 0.0, 0.0, 1.0)
    low, high = bootstrap_interval(deltas.tolist(), seed=seed)
    return Difference(float(deltas.mean()), low, high, _permutation_p(deltas, permutations, seed))


def _permutation_p(deltas: NDArray[np.float64], permutations: int, seed: int) -> float:
    moved = deltas[deltas != 0.0]
    if not len(moved):
        return 1.0
    observed = abs(float(moved.sum()))
    draw = np.random.default_rng(seed)
    as_far = 0
    for start in range(0, permutations, _BLOCK):
        signs = draw.integers(0, 2, (min(_BLOCK, permutations - start), len(moved))) * 2 - 1
        # A sum may differ from the observed one in its last bits alone.
        as_far += int((np.abs(signs @ moved) >= observed - 1e-9).sum())
    return (as_far + 1) / (permutations + 1)
