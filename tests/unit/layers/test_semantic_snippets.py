"""A snippet is whole lines of the passage, where most of the query's words are."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tercet.layers.semantic.snippets import best_lines, snippet
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


def test_the_lines_shown_hold_the_word_that_was_asked_for():
    text = "# Friday\n\n" + "".join(f"- errand {n}\n" for n in range(9)) + "- error E-4117 again\n\n"
    shown = best_lines(text, "what is E-4117?", 6)
    assert shown[-1] == "- error E-4117 again"
    assert len(shown) <= 6


def test_a_line_with_more_of_the_words_is_shown_before_a_heading_with_one():
    text = "| who | due |\n|--|--|\n| a | tetanus |\n| b | tetanus |\n| c | hepatitis |\n| d | hepatitis |"
    assert "| c | hepatitis |" in best_lines(text, "when is the hepatitis shot due", 2)


def test_lines_end_where_the_file_says_so():
    """F16: a lone CR, a form feed or U+2028 ends no line."""
    text = "one\rtwo\x0cthree\u2028four\nfive"
    assert best_lines(text, "four", 6) == ["one\rtwo\x0cthree\u2028four", "five"]
    assert best_lines(text, "five", 1) == ["five"]
    assert snippet("x\ra\n" * 9, ["a"], max_chars=8) == "x\ra\nx\ra"


def test_nothing_shows_nothing():
    assert best_lines("", "x", 6) == []
    assert best_lines("\n\n", "x", 6) == []


@given(st.text(max_size=200), st.text(max_size=20), st.integers(1, 6))
def test_the_lines_shown_are_neighbours_of_the_text(text, query, at_most):
    shown = best_lines(text, query, at_most)
    assert len(shown) <= at_most
    lines = [line.rstrip("\r\n") for line in text.split("\n")]
    assert any(lines[at : at + len(shown)] == shown for at in range(len(lines) + 1))
