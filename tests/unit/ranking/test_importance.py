"""Importance as the published tests have it."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.ranking.importance import IMPORTANCE_BLEND, blend_importance


def test_half_of_the_score_is_decided_by_importance():
    assert IMPORTANCE_BLEND == 0.5


@pytest.mark.parametrize(
    ("importance", "expected"),
    [
        (0.0, 0.4),
        (0.7, 0.8 * 0.85),
        (1.0, 0.8),
        (None, 0.8 * 0.85),
        (math.nan, 0.8 * 0.85),
        (1.5, 0.8),
        (-0.3, 0.4),
        (math.inf, 0.8),
        (-math.inf, 0.4),
    ],
    ids=["zero-halves", "seven-tenths", "one-unchanged", "missing", "nan", "above", "below", "inf", "minus-inf"],
)
def test_blend(importance: float | None, expected: float):
    assert blend_importance(0.8, importance) == pytest.approx(expected)


@given(score=st.floats(0, 1), low=st.floats(0, 1), high=st.floats(0, 1))
def test_more_importance_never_lowers_a_score(score: float, low: float, high: float):
    low, high = sorted((low, high))
    assert blend_importance(score, low) <= blend_importance(score, high) <= score
