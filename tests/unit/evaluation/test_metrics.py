"""The measures against ir_measures on any ranking, and what overlapping lines add to them."""

import math
import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tercet.evaluation.judgement import Judged, judge
from tercet.evaluation.metrics import measure, metric_names
from tercet.evaluation.questions import Question
from tercet.model import Passage, Scope

IDS = [f"d{i}" for i in range(30)]
NAMES = {"mrr@10": "RR@10", "ndcg@10": "nDCG@10", "recall@5": "R@5", "recall@10": "R@10"}
NAMES |= {f"hit@{k}": f"Success@{k}" for k in (1, 5, 10)}


def oracle(gold, ranked):
    ir_measures = pytest.importorskip("ir_measures")
    qrels = {"q": dict.fromkeys(gold, 1)}
    run = {"q": {identity: float(len(ranked) - place) for place, identity in enumerate(ranked)}}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # providers of ir_measures warn about the libraries they lack
        measures = {name: ir_measures.parse_measure(theirs) for name, theirs in NAMES.items()}
        found = ir_measures.calc_aggregate(list(measures.values()), qrels, run)
    return {name: found[each] for name, each in measures.items()}


def passages(ids):
    return [Passage(identity, "entry", Scope("main"), "text") for identity in ids]


@settings(max_examples=40, deadline=None)
@given(
    ranked=st.lists(st.sampled_from(IDS), unique=True, min_size=1, max_size=20),
    gold=st.sets(st.sampled_from(IDS), min_size=1, max_size=6),
)
def test_measures_of_named_ids_are_those_of_ir_measures(ranked, gold):
    judged = judge(Question("q", "text", tuple(sorted(gold))), passages(ranked))
    theirs = oracle(gold, ranked)
    assert set(theirs) == set(metric_names(10))
    for name, value in theirs.items():
        assert measure(judged, name) == pytest.approx(value), name


@settings(max_examples=60)
@given(gains=st.lists(st.integers(0, 3), max_size=12), gold=st.integers(1, 5))
def test_every_measure_stays_in_range_and_never_falls_with_depth(gains, gold):
    left, kept = gold, []
    for gain in gains:
        kept.append(min(gain, left))
        left -= kept[-1]
    judged = Judged(tuple(gain > 0 for gain in kept), tuple(kept), gold)
    for kind in ("mrr", "ndcg", "recall", "hit"):
        assert all(0.0 <= measure(judged, f"{kind}@{k}") <= 1.0 for k in (1, 5, 10))
    assert measure(judged, "recall@5") <= measure(judged, "recall@10")
    assert measure(judged, "hit@1") <= measure(judged, "hit@5")


def test_ten_right_hits_of_more_than_ten_answers_are_ideal_as_in_ir_measures():
    gold = IDS[:14]
    judged = judge(Question("q", "text", tuple(gold)), passages(gold))
    assert measure(judged, "ndcg@10") == pytest.approx(oracle(gold, gold)["ndcg@10"]) == 1.0
    assert measure(judged, "recall@10") == pytest.approx(10 / 14)


def test_the_names_are_those_of_the_wire_format():
    assert metric_names(10) == ("mrr@10", "ndcg@10", "recall@5", "recall@10", "hit@1", "hit@5", "hit@10")
    assert metric_names(5) == ("mrr@5", "ndcg@5", "recall@5", "hit@1", "hit@5")


def test_a_right_hit_below_the_cut_counts_for_nothing(ask, entry):
    judged = judge(ask("x"), [entry(f"w{i}") for i in range(10)] + [entry("x")])
    assert [measure(judged, name) for name in metric_names(10)] == [0.0] * 7


def test_lines_that_overlap_by_one_are_right_and_lines_beside_are_not(ask, lines):
    question = ask(("a.md", 5, 8))
    for start, end, right in ((1, 4, False), (1, 5, True), (6, 7, True), (8, 20, True), (9, 12, False)):
        assert judge(question, [lines("a.md", start, end)]).right == (right,), (start, end)
    assert judge(question, [lines("b.md", 5, 8)]).right == (False,)


def test_two_hits_on_one_answer_count_once_in_recall(ask, lines):
    judged = judge(
        ask(("a.md", 1, 10), ("b.md", 1, 1)), [lines("a.md", 1, 5), lines("a.md", 6, 10), lines("b.md", 1, 2)]
    )
    assert judged.right == (True, True, True)
    assert judged.gains == (1, 0, 1)
    assert measure(judged, "ndcg@10") == pytest.approx((1 + 1 / 2) / (1 + 1 / math.log2(3)))


def test_one_hit_on_two_answers_is_the_whole_recall_and_no_more_than_ideal(ask, lines):
    judged = judge(ask(("a.md", 1, 2), ("a.md", 4, 5)), [lines("a.md", 1, 5)])
    assert measure(judged, "recall@5") == 1.0
    assert measure(judged, "ndcg@10") == 1.0


def test_an_acceptable_hit_is_right_and_stands_for_one_answer_at_most(ask, lines):
    question = ask(("a.md", 1, 1), ("b.md", 1, 1), also=(("c.md", 1, 1), ("d.md", 1, 1)))
    only = judge(question, [lines("c.md", 1, 1)])
    assert (measure(only, "mrr@10"), measure(only, "hit@1"), measure(only, "recall@5")) == (1.0, 1.0, 0.5)
    everything = judge(question, [lines(f"{name}.md", 1, 1) for name in "cdab"])
    assert sum(everything.gains) == 2
    assert everything.right == (True,) * 4
