"""The weighted sum of the signals, and how mode and missing parts switch the weights."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tercet.ranking.formula import LEXICAL, SIGNALS, Weights
from tercet.ranking.sources import SOURCES, source_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from tercet.model import Mode, Passage
    from tercet.ranking.formula import Preset

_KNEE = 0.5
"""Below it a sum whose bound is above 1 is shown as it is, above it bent towards 1."""


def weights_in_mode(weights: Weights, mode: Mode) -> Weights:
    """Return the weights in effect.

    ``hybrid`` leaves them. Without vectors (``keyword``) the vector's weight goes to the keyword
    signal, so that the scale stays: .4/.25/.1/.25 becomes 0/.65/.1/.25. ``vector`` leaves out all
    signals made of terms and gives their weight to the vector: 1/0/0/0.
    """
    if mode == "keyword":
        return replace(weights, vector=0.0, keyword=weights.keyword + weights.vector)
    if mode == "vector":
        lexical: float = sum(getattr(weights, name) for name in LEXICAL)
        bare = replace(weights, keyword=0.0, coverage=0.0, rare=0.0, pair=0.0, number=0.0, header=0.0, path=0.0)
        return replace(bare, vector=weights.vector + lexical)
    return weights


def is_weak(preset: Preset, keyword: NDArray[np.float64], mode: Mode) -> bool:
    """Tell whether the weights for weak keywords apply.

    Decided from the candidates alone (R28): their best keyword signal is below ``weak_below``.
    Never in another mode than hybrid, nor where keywords weigh nothing anyway.
    """
    if preset.weak is None or mode != "hybrid" or not any(w.keyword for w in preset.weights.values()):
        return False
    return float(keyword.max(initial=0.0)) < preset.weak_below


def weight_rows(
    preset: Preset, passages: Sequence[Passage], mode: Mode, *, weak: bool, asks_latest: bool
) -> NDArray[np.float64]:
    """Return (n, signals): the weights of each passage, by its kind of source, in ``SIGNALS`` order."""
    tables = dict.fromkeys(SOURCES, preset.weak) if weak and preset.weak is not None else preset.weights
    matrix = np.array([_as_row(weights_in_mode(tables[s] or Weights(), mode)) for s in SOURCES], dtype=np.float64)
    if not asks_latest:
        matrix[:, SIGNALS.index("newness")] = 0.0
    number = {source: i for i, source in enumerate(SOURCES)}
    rows: NDArray[np.float64] = matrix[[number[source_of(p)] for p in passages]]
    return rows


def stack(signals: Mapping[str, NDArray[np.float64]], count: int) -> NDArray[np.float64]:
    """Return (n, signals) in ``SIGNALS`` order; NaN and absent are 0, the rest is clamped to [0, 1]."""
    columns = [signals.get(name, np.zeros(count)) for name in SIGNALS]
    return np.clip(np.nan_to_num(np.stack(columns, axis=1), nan=0.0, posinf=1.0, neginf=0.0), 0.0, 1.0)


def fuse(values: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return (n,) the sum of weight * value, added from left to right.

    The order of addition is part of the meaning: an explanation adds its parts the same way and
    arrives at the same float (R30).

    Example, classic: vector .8, keyword .4, header 0, path .5 give .32 + .1 + 0 + .125 = .545.
    """
    total = np.zeros(len(values))
    for column in range(values.shape[1]):
        total = total + weights[:, column] * values[:, column]
    return total


def upper_bound(weights: NDArray[np.float64], multiplier: float) -> float:
    """Return the highest sum these weights allow, times the highest multiplier."""
    return float(np.clip(weights, 0.0, None).sum(axis=1).max(initial=0.0)) * multiplier


def bend(total: NDArray[np.float64], bound: float) -> NDArray[np.float64]:
    """Map sums to [0, 1], strictly monotone (R29).

    With a bound of 1 or less a sum is its own score. Above (a date's x3, weights raised by hand)
    sums up to .5 stay and higher ones approach 1: s becomes 1 - .5 * exp(-(s - .5) / .5), so that
    three times .2 is .6 and shown as .591, three times .6 is 1.8 and shown as .963.
    """
    floor = np.clip(total, 0.0, None)
    if bound <= 1.0 + 1e-9:  # the sum of weights like .4 + .25 + .1 + .25 in floats
        return np.minimum(floor, 1.0)
    return np.where(floor <= _KNEE, floor, 1.0 - _KNEE * np.exp(-(floor - _KNEE) / _KNEE))


def _as_row(weights: Weights) -> list[float]:
    return [getattr(weights, name) for name in SIGNALS]
