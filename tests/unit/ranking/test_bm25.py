"""BM25 against the formula written out, and its absolute form."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.model import TermStatistics
from tercet.ranking.bm25 import bm25, inverse_document_frequency, saturate, weighted_share
from tercet.ranking.term_table import tabulate


def test_it_is_the_sum_over_the_terms_written_out(build):
    rows = [build.row("a", "gateway port gateway"), build.row("b", "port of Hamburg and its old ships")]
    asked = build.asks("gateway port")
    statistics = TermStatistics(100, 1000, {"gateway": 3, "port": 20})
    scores = bm25(tabulate(asked, rows, statistics), statistics, k1=1.2, b=np.full(2, 0.75))

    def gain(count: int, length: int, frequency: int) -> float:
        idf = math.log(1 + (100 - frequency + 0.5) / (frequency + 0.5))
        return idf * count * 2.2 / (count + 1.2 * (1 - 0.75 + 0.75 * length / 10))

    assert scores[0] == pytest.approx(gain(2, 3, 3) + gain(1, 3, 20))
    assert scores[1] == pytest.approx(gain(1, 7, 20))


def test_length_counts_by_b_of_the_row(build):
    rows = [build.row("short", "port"), build.row("long", "port " + "word " * 50)]
    statistics = TermStatistics(100, 1000, {"port": 5})
    table = tabulate(build.asks("port"), rows, statistics)
    flat = bm25(table, statistics, k1=1.2, b=np.zeros(2))
    by_length = bm25(table, statistics, k1=1.2, b=np.ones(2))
    assert flat[0] == flat[1]
    assert by_length[0] > by_length[1]


def test_k1_of_zero_asks_only_whether_a_term_is_there(build):
    rows = [build.row("once", "port ship sea"), build.row("often", "port port port"), build.row("none", "sea")]
    statistics = TermStatistics(10, 30, {"port": 2})
    scores = bm25(tabulate(build.asks("port"), rows, statistics), statistics, k1=0.0, b=np.full(3, 0.75))
    assert scores[0] == scores[1] > 0
    assert scores[2] == 0


def test_rare_terms_weigh_more_and_none_weighs_nothing():
    idf = inverse_document_frequency(np.array([0.0, 1.0, 50.0, 100.0, 500.0]), 100)
    assert list(idf) == sorted(idf, reverse=True)
    assert idf[-1] > 0
    assert idf[-1] == idf[-2], "a count above the number of passages is clamped"


def test_an_empty_reach_is_no_error(build):
    empty = TermStatistics(0, 0, {})
    rows = [build.row("a", "gateway port")]
    scores = bm25(tabulate(build.asks("gateway"), rows, empty), empty, k1=1.2, b=np.full(1, 0.75))
    assert np.isfinite(scores).all()
    assert np.isfinite(saturate(scores, 1, 0)).all()


def test_r2_the_best_of_a_weak_batch_is_not_one():
    weak = saturate(np.array([0.5, 0.4]), terms=4, documents=1000)
    assert weak.max() < 0.1


def test_worked_example_of_the_absolute_form():
    assert saturate(np.array([8.0]), terms=3, documents=1000)[0] == pytest.approx(0.406, abs=0.001)
    assert saturate(np.array([0.0]), terms=3, documents=1000)[0] == 0
    assert saturate(np.array([5.0]), terms=0, documents=1000)[0] == 0


@given(low=st.floats(0, 500), high=st.floats(0, 500), terms=st.integers(1, 40), documents=st.integers(1, 10**6))
def test_r24_a_better_bm25_always_scores_higher(low: float, high: float, terms: int, documents: int):
    low, high = sorted((low, high))
    scores = saturate(np.array([low, high]), terms, documents)
    assert 0 <= scores[0] <= scores[1] < 1
    if high > low + 1e-6:
        assert scores[0] < scores[1]


def test_share_of_terms_found():
    present = np.array([[True, False, True, False, False], [False] * 5])
    assert list(weighted_share(present, np.ones(5))) == [pytest.approx(0.4), 0.0]
    assert list(weighted_share(present[:, :0], np.ones(0))) == [0.0, 0.0]


def test_beyond_long_terms_all_of_the_length_counts(build):
    rows = [build.row("short", "port " + "word " * 9), build.row("long", "port " + "word " * 59)]
    statistics = TermStatistics(100, 1000, {"port": 5})
    table = tabulate(build.asks("port"), rows, statistics)

    def scores(b: float, long_terms: int) -> list[float]:
        return bm25(table, statistics, k1=1.2, b=np.full(2, b), long_terms=long_terms).tolist()

    assert scores(0.3, 100) == scores(0.3, 0)
    assert scores(0.3, 20)[0] == scores(0.3, 0)[0]
    assert scores(1.0, 0)[1] < scores(0.3, 20)[1] < scores(0.3, 0)[1]
    # 60 terms, 40 of them beyond: .7 + .3 * 6 + .7 * 4
    assert scores(0.3, 20)[1] == pytest.approx(math.log(1 + 95.5 / 5.5) * 2.2 / (1 + 1.2 * 5.3))
