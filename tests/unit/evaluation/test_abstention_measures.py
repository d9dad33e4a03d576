"""Questions without an answer count for abstention alone."""

import random

import pytest

from tercet.evaluation.abstention import abstention, auroc


def test_auroc_counts_pairs_and_ties_half():
    draw = random.Random(3)
    higher = [round(draw.random(), 1) for _ in range(40)]
    lower = [round(draw.random() ** 2, 1) for _ in range(30)]
    pairs = [(a > b) + 0.5 * (a == b) for a in higher for b in lower]
    assert auroc(higher, lower) == pytest.approx(sum(pairs) / len(pairs))


def test_auroc_without_one_side_is_unknown():
    assert auroc([], [0.3]) is None
    assert auroc([0.3], []) is None


def test_error_rate_counts_silence_for_answerable_and_hits_for_the_rest(ask, outcome):
    answered, silent = outcome(ask("x"), "x", best=0.8), outcome(ask("x"), best=0.2)
    foreign = [outcome(ask(miss="foreign"), best=best) for best in (0.1, 0.6)]
    near = [outcome(ask(miss="near"), best=0.7)]
    found = abstention([answered, silent, *foreign, *near], threshold=0.5)
    assert (found.answerable, found.unanswerable) == (2, 3)
    assert found.error_rate == pytest.approx(3 / 5)
    assert (found.false_answers, found.false_refusals) == (pytest.approx(2 / 3), 0.5)
    assert found.by_miss["foreign"].refused == 0.5
    assert found.by_miss["near"].refused == 0.0
    assert found.by_miss["foreign"].auroc == 0.75
    assert found.by_miss["near"].auroc == 0.5


def test_a_score_on_the_threshold_is_an_answer_and_no_hit_is_none(ask, outcome):
    assert abstention([outcome(ask("x"), best=0.5)], threshold=0.5).error_rate == 0.0
    assert abstention([outcome(ask("x"), best=0.0)], threshold=0.0).error_rate == 1.0
    assert abstention([outcome(ask(), best=0.0)], threshold=0.0).error_rate == 0.0


def test_a_set_without_unanswerable_questions_says_so(ask, outcome):
    found = abstention([outcome(ask("x"), "x")], threshold=0.0)
    assert (found.auroc, found.false_answers, found.by_miss) == (None, None, {})
