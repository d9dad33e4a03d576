"""Counting terms and close pairs in one pass equals counting them one by one."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tercet.model import Passage, Row, Scope, TermStatistics
from tercet.ranking.query import QueryAnalysis
from tercet.ranking.term_table import presence_in, tabulate

_WORDS = ["ann", "bob", "cat", "dog", "eel"]
_TEXTS = st.lists(st.lists(st.sampled_from([*_WORDS, "the", "of"]), max_size=12), min_size=1, max_size=5)


def _row(number: int, words: list[str]) -> Row:
    return Row(Passage(str(number), "entry", Scope("main"), " ".join(words)), tuple(words))


def _analysis(words: list[str]) -> QueryAnalysis:
    asked = tuple(dict.fromkeys(words))
    pairs = tuple(itertools.pairwise(asked))
    return QueryAnalysis(" ".join(words), asked, pairs, frozenset(), frozenset(words), ())


@settings(max_examples=60)
@given(texts=_TEXTS, asked=st.lists(st.sampled_from(_WORDS), min_size=1, max_size=5, unique=True))
def test_counts_and_pairs_equal_a_plain_recount(texts: list[list[str]], asked: list[str]):
    rows = [_row(i, words) for i, words in enumerate(texts)]
    analysis = _analysis(asked)
    table = tabulate(analysis, rows, TermStatistics(10, 50, {}))
    for i, words in enumerate(texts):
        assert table.lengths[i] == len(words)
        assert [words.count(t) for t in asked] == list(table.counts[i])
        for j, (first, second) in enumerate(analysis.pairs):
            close = any(
                {words[a], words[b]} == {first, second}
                for a in range(len(words))
                for b in range(a + 1, min(len(words), a + 3))
            )
            assert close == table.close_pairs[i, j]


def test_a_pair_does_not_reach_from_one_row_into_the_next():
    rows = [_row(0, ["ann"]), _row(1, ["bob"])]
    table = tabulate(_analysis(["ann", "bob"]), rows, TermStatistics(2, 2, {"ann": 1, "bob": 1}))
    assert not table.close_pairs.any()


def test_no_terms_and_no_rows_are_no_error():
    nothing = QueryAnalysis("", (), (), frozenset(), frozenset(), ())
    assert tabulate(nothing, [_row(0, ["ann"])], TermStatistics(1, 1, {})).counts.shape == (1, 0)
    assert tabulate(_analysis(["ann"]), [], TermStatistics(1, 1, {})).counts.shape == (0, 1)


def test_presence_in_short_fields():
    fields = [frozenset({"ann", "x"}), frozenset[str]()]
    expected = np.array([[True, False], [False, False]])
    assert (presence_in(fields, ["ann", "bob"]) == expected).all()
