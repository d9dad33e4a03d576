"""A snippet is whole lines of the passage, where most of the query's words are."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tercet.layers.semantic.snippets import snippet
from tercet.text.terms import terms


def test_a_text_that_fits_is_whole():
    assert snippet("a\nb\n", ["b"]) == "a\nb\n"


def test_the_window_holds_the_most_query_words():
    text = "\n".join([f"filler line {n}" for n in range(50)] + ["the zebra", "and the okapi"] + ["more filler"] * 50)
    shown = snippet(text, terms("zebra okapi"), max_chars=60)
    assert "zebra" in shown
    assert "okapi" in shown


def test_one_line_that_is_too_long_is_cut():
    assert snippet("x" * 100, ["x"], max_chars=10) == "x" * 10


@given(st.text(max_size=300), st.integers(1, 80))
def test_it_is_never_longer_and_always_part_of_the_text(text, max_chars):
    shown = snippet(text, ["a"], max_chars=max_chars)
    assert len(shown) <= max_chars
    assert shown in text
