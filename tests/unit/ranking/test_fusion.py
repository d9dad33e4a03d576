"""The weighted sum, its modes, and how sums above 1 are shown."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.ranking.formula import SIGNALS, Weights
from tercet.ranking.fusion import bend, fuse, is_weak, stack, upper_bound, weights_in_mode
from tercet.ranking.presets import CLASSIC, HYBRID


def _row(weights: Weights) -> np.ndarray:
    return np.array([[getattr(weights, name) for name in SIGNALS]])


def _values(**named: float) -> np.ndarray:
    return stack({name: np.array([value]) for name, value in named.items()}, 1)


def test_worked_example_of_classic():
    values = _values(vector=0.8, keyword=0.4, header=0.0, path=0.5)
    assert fuse(values, _row(CLASSIC.weights["chunk"]))[0] == pytest.approx(0.32 + 0.1 + 0.0 + 0.125)


def test_worked_example_of_classic_with_weak_keywords():
    assert CLASSIC.weak is not None
    values = _values(vector=0.8, keyword=0.05, header=0.0, path=0.2)
    assert fuse(values, _row(CLASSIC.weak))[0] == pytest.approx(0.68 + 0.0025 + 0.0 + 0.01)


def test_weak_weights_are_decided_by_the_best_candidate_and_only_in_hybrid_mode():
    assert is_weak(CLASSIC, np.array([0.0, 0.09]), "hybrid")
    assert not is_weak(CLASSIC, np.array([0.0, 0.1]), "hybrid")
    assert not is_weak(CLASSIC, np.array([0.0]), "keyword")
    assert not is_weak(HYBRID, np.array([0.0]), "hybrid")


def test_modes_move_weight_and_keep_the_sum():
    classic = CLASSIC.weights["entry"]
    keyword = weights_in_mode(classic, "keyword")
    assert (keyword.vector, keyword.keyword) == (0.0, pytest.approx(0.65))
    vector = weights_in_mode(classic, "vector")
    assert (vector.vector, vector.keyword, vector.header, vector.path) == (pytest.approx(1.0), 0, 0, 0)
    assert weights_in_mode(classic, "hybrid") == classic


def test_nan_and_out_of_range_values_are_clamped():
    signals = {"vector": np.array([np.nan, 7.0, -3.0, np.inf]), "keyword": np.array([0.5, -np.inf, np.nan, 0.25])}
    values = stack(signals, 4)
    assert list(values[:, SIGNALS.index("vector")]) == [0, 1, 0, 1]
    assert list(values[:, SIGNALS.index("keyword")]) == [0.5, 0, 0, 0.25]
    assert not values[:, SIGNALS.index("path")].any()


def test_a_bound_of_one_needs_no_bending():
    weights = _row(CLASSIC.weights["entry"])
    assert upper_bound(weights, 1.0) == pytest.approx(1.0)
    assert bend(np.array([-0.2, 0.3, 0.8]), upper_bound(weights, 1.0)).tolist() == [0.0, 0.3, 0.8]


def test_worked_example_of_bending():
    shown = bend(np.array([0.2, 0.6, 1.8]), 3.0)
    assert shown == pytest.approx([0.2, 0.590635, 0.962863], abs=1e-6)


@given(low=st.floats(0, 3), high=st.floats(0, 3))
def test_r29_bending_is_strictly_monotone_in_the_unit_interval(low: float, high: float):
    low, high = sorted((low, high))
    shown = bend(np.array([low, high]), 3.0)
    assert 0 <= shown[0] <= shown[1] < 1
    if high > low + 1e-9:
        assert shown[0] < shown[1]
