"""From absolute signals to a score that means the same in every query."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tercet.ranking.formula import Calibration

KNOWN_MODELS = frozenset({"use-multilingual-v3"})
"""Models whose background is among the constants of ``Calibration``."""
MIN_SAMPLE = 20
"""Passages below which a background would be chance."""


@dataclass(frozen=True, slots=True)
class BackgroundCosines:
    """How alike two passages of the store are that have nothing to do with each other."""

    mean: float
    std: float
    """> 0."""
    pairs: int
    """How many pairs were looked at."""

    def as_text(self) -> str:
        """Return one line to keep in the ledger."""
        return json.dumps({"mean": self.mean, "std": self.std, "pairs": self.pairs})

    @classmethod
    def from_text(cls, text: str) -> BackgroundCosines | None:
        """Read ``as_text`` back; None when it is not that or holds impossible numbers."""
        try:
            data = json.loads(text)
            value = cls(float(data["mean"]), float(data["std"]), int(data["pairs"]))
        except (ValueError, TypeError, KeyError):
            return None
        is_sound = math.isfinite(value.mean) and math.isfinite(value.std) and value.std > 0
        return value if is_sound else None


def background_in_effect(model: str, measured: BackgroundCosines | None) -> BackgroundCosines | None:
    """Return what a score is calibrated against: nothing measured where the model's background is known.

    Two passages of one store are the more alike the more it keeps to one topic (mean cosine .23 to
    .46 in eight stores), which says nothing of how near a foreign question is. With a constant
    background .63 instead of .45 of the foreign questions are refused at an equal share kept.

    Args:
        model: Name of the space's model.
        measured: The store's sample; None without one.
    """
    return None if model in KNOWN_MODELS else measured


def measure_background(vectors: NDArray[np.float32], *, pairs: int = 4000, seed: int = 0) -> BackgroundCosines | None:
    """Sample cosines between passages drawn at random.

    Args:
        vectors: float32 (n, dimensions), L2-normalised; rows of zeros or NaN are left out.
        pairs: How many pairs to draw, >= 1; a passage is never paired with itself.
        seed: Of the draw.

    Returns:
        None for fewer than ``MIN_SAMPLE`` usable passages or when all are alike.
    """
    usable = vectors[np.isfinite(vectors).all(axis=1) & (np.abs(vectors).sum(axis=1) > 0)]
    count = len(usable)
    if count < MIN_SAMPLE:
        return None
    draw = np.random.default_rng(seed)
    left = draw.integers(0, count, pairs)
    right = (left + draw.integers(1, count, pairs)) % count
    cosines = np.einsum("ij,ij->i", usable[left], usable[right]).astype(np.float64)
    std = float(cosines.std())
    return BackgroundCosines(float(cosines.mean()), std, pairs) if std > 1e-6 else None  # noqa: PLR2004 (no spread)


def calibrated(
    calibration: Calibration,
    *,
    cosine: NDArray[np.float64] | None,
    coverage: NDArray[np.float64],
    saturation: NDArray[np.float64],
    other: NDArray[np.float64],
    background: BackgroundCosines | None,
) -> NDArray[np.float64]:
    """Return a score in (0, 1) per passage, higher for more absolute evidence.

    Args:
        calibration: The constants.
        cosine: (n,) of query and passage; None without a query vector.
        coverage: (n,) idf-weighted share of the query's terms found, in [0, 1].
        saturation: (n,) saturated BM25, in [0, 1).
        other: (n,) weighted sum of the date, number, speaker and newness signals.
        background: Measured in the store, with the constants for such; None takes the constants' own.
    """
    c = calibration
    if cosine is None:
        logit = c.keyword_bias + c.keyword_coverage * coverage + c.keyword_saturation * saturation
    elif background is None:
        z = (cosine - c.background_mean) / c.background_std
        logit = c.bias + c.cosine_z * z + c.coverage * coverage + c.saturation * saturation
    else:
        z = (cosine - background.mean) / background.std
        lexical = c.measured_coverage * coverage + c.measured_saturation * saturation
        logit = c.measured_bias + c.measured_cosine_z * z + lexical
    result: NDArray[np.float64] = 1.0 / (1.0 + np.exp(-np.clip(logit + c.other * other, -30.0, 30.0)))
    return result
