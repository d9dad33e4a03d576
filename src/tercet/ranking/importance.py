"""How a passage's importance weighs in its score."""

from __future__ import annotations

import math

IMPORTANCE_BLEND = 0.5
"""Share of a score that importance decides; the rest stays whatever the importance is."""
DEFAULT_IMPORTANCE = 0.7
"""Of entries without one, and of chunks and notes, so that kinds stay comparable."""


def importance_factor(importance: float | None) -> float:
    """Return .5 + .5 * clamp01(importance), in [.5, 1]; missing or NaN counts as .7: .85."""
    if importance is None or math.isnan(importance):
        importance = DEFAULT_IMPORTANCE
    clamped = min(1.0, max(0.0, importance))
    return (1.0 - IMPORTANCE_BLEND) + IMPORTANCE_BLEND * clamped


def blend_importance(score: float, importance: float | None) -> float:
    """Blend importance into a score: importance 0 halves it, 1 leaves it.

    >>> blend_importance(0.8, 0.0), round(blend_importance(0.8, None), 9), blend_importance(0.8, 1.5)
    (0.4, 0.68, 0.8)
    """
    return score * importance_factor(importance)
