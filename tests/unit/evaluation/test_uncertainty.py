"""Intervals and p-values: seeded, calibrated at the two ends."""

import random

import pytest

from tercet.evaluation.uncertainty import bootstrap_interval, paired_difference


def answers(seed, count=200, chance=0.5):
    draw = random.Random(seed)
    return [float(draw.random() < chance) for _ in range(count)]


def test_the_same_values_give_the_same_interval_and_another_seed_another():
    values = answers(1)
    assert bootstrap_interval(values) == bootstrap_interval(list(values))
    assert bootstrap_interval(values) != bootstrap_interval(values, seed=7)


def test_the_interval_holds_the_mean_and_has_the_width_of_a_binomial():
    values = answers(2, count=400)
    mean = sum(values) / 400
    low, high = bootstrap_interval(values)
    expected = 2 * 1.96 * (mean * (1 - mean) / 400) ** 0.5
    assert low < mean < high
    assert high - low == pytest.approx(expected, rel=0.15)


def test_more_questions_make_a_narrower_interval():
    def width(values):
        low, high = bootstrap_interval(values)
        return high - low

    assert width([0.0, 1.0] * 200) < width([0.0, 1.0] * 20)


@pytest.mark.parametrize(("values", "interval"), [([], (0.0, 0.0)), ([0.4], (0.4, 0.4)), ([1.0] * 9, (1.0, 1.0))])
def test_values_without_spread_have_no_width(values, interval):
    assert bootstrap_interval(values) == interval


def test_identical_systems_differ_by_nothing_with_p_one():
    found = paired_difference(answers(3), answers(3))
    assert (found.mean, found.low, found.high, found.p_value) == (0.0, 0.0, 0.0, 1.0)


def test_a_clearly_better_system_has_a_small_p_and_an_interval_above_zero():
    found = paired_difference(answers(4, chance=0.8), answers(5, chance=0.4))
    assert found.mean > 0.25
    assert found.low > 0
    assert found.p_value < 0.001


def test_p_is_the_same_whichever_system_comes_first():
    first, second = answers(6), answers(7, chance=0.6)
    assert paired_difference(first, second).p_value == paired_difference(second, first).p_value


def test_p_of_three_wins_of_three_is_a_quarter():
    # Exact: of the eight sign patterns two are as far out.
    assert paired_difference([1.0] * 3, [0.0] * 3).p_value == pytest.approx(0.25, abs=0.02)


def test_equal_systems_are_called_different_about_as_often_as_five_percent_says():
    called = sum(
        paired_difference(answers(2 * i, 60), answers(2 * i + 1, 60), permutations=400).p_value <= 0.05
        for i in range(60)
    )
    assert called <= 8
