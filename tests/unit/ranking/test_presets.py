"""Presets are data: their published numbers, and overrides that are checked."""

from __future__ import annotations

import math

import pytest

from tercet.errors import InvalidInputError
from tercet.ranking.formula import PENALTIES
from tercet.ranking.presets import (
    CLASSIC,
    ENTRY_SEARCH,
    HYBRID,
    PRESETS,
    SIGNALS,
    TUNED,
    option_names,
    preset_named,
    preset_with,
)
from tercet.ranking.sources import SOURCES


def test_the_published_numbers():
    for source in SOURCES:
        w = CLASSIC.weights[source]
        assert (w.vector, w.keyword, w.header, w.path) == (0.4, 0.25, 0.1, 0.25)
        h = HYBRID.weights[source]
        assert (h.vector, h.keyword) == (0.7, 0.3)
    assert CLASSIC.weak is not None
    assert (CLASSIC.weak.vector, CLASSIC.weak.keyword, CLASSIC.weak.header, CLASSIC.weak.path) == (
        0.85,
        0.05,
        0.05,
        0.05,
    )
    assert (CLASSIC.weak_below, CLASSIC.date_multiplier, CLASSIC.prf_below) == (0.1, 3.0, 0.45)
    assert (ENTRY_SEARCH.limit, ENTRY_SEARCH.min_score, ENTRY_SEARCH.k_per_result, ENTRY_SEARCH.k_cap) == (
        5,
        0.5,
        3,
        50,
    )
    assert TUNED.k_fixed == 200


def test_penalties_are_the_only_negative_weights():
    for preset in PRESETS.values():
        for weights in preset.weights.values():
            for name in SIGNALS:
                assert getattr(weights, name) <= 0 if name in PENALTIES else getattr(weights, name) >= 0


def test_a_bare_name_sets_every_source_and_a_dotted_one_refines_it():
    preset = preset_with("tuned", {"chunk.parent": 0.3, "parent": 0.2})
    assert {s: preset.weights[s].parent for s in SOURCES} == {"turn": 0.2, "chunk": 0.3, "note": 0.2, "entry": 0.2}


def test_zero_reaches_the_weights_for_weak_keywords_and_other_values_do_not():
    removed, raised = preset_with("classic", {"path": 0}), preset_with("classic", {"path": 0.5})
    assert removed.weak is not None
    assert raised.weak is not None
    assert (removed.weak.path, raised.weak.path) == (0.0, 0.05)
    named = preset_with("classic", {"weak.path": 0.3}).weak
    assert named is not None
    assert named.path == 0.3


def test_switches_whole_numbers_and_calibration():
    preset = preset_with("tuned", {"collapse": False, "k_fixed": 80, "calibration.bias": -1.5, "turn.length_b": 0.3})
    assert (preset.collapse, preset.k_fixed, preset.calibration.bias) == (False, 80, -1.5)
    assert preset.length_b == {"turn": 0.3, "chunk": 0.75, "note": 0.75, "entry": 0.75}
    assert TUNED.collapse, "the preset itself stays as it is"


@pytest.mark.parametrize(
    ("option", "value", "says"),
    [
        ("vektor", 0.5, "vector"),
        ("chunk.vektor", 0.5, "chunk.vector"),
        ("vector", math.nan, "0 to 5"),
        ("vector", -0.1, "0 to 5"),
        ("vector", math.inf, "0 to 5"),
        ("assistant", 0.3, "-5 to 0"),
        ("k_fixed", 10.5, "whole number"),
        ("k_fixed", True, "0 to 1000"),
        ("collapse", 0.5, "true or false"),
        ("length_b", 1.1, "0 to 1"),
        ("weak.length_b", 0.5, "length_b"),
        ("date_days", 0.0, "0.1"),
        ("calibration.background_std", 0.0, "0.001"),
        ("name", 1.0, "did you mean"),
    ],
)
def test_bad_overrides_are_refused_with_what_is_valid(option: str, value: float, says: str):
    with pytest.raises(InvalidInputError, match=says.replace(".", r"\.")) as caught:
        preset_with("tuned", {option: value})
    assert option in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_unknown_preset_is_refused_with_the_names():
    with pytest.raises(InvalidInputError, match="classic, entry, hybrid, tuned"):
        preset_named("best")


def test_every_named_option_is_accepted():
    for name in option_names():
        value = dict.fromkeys(PENALTIES, -0.1).get(name.rpartition(".")[2], 1)
        preset_with("classic", {name: value})
