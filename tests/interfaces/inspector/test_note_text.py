"""A note's text goes through a form and comes back as the file had it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tercet.interfaces.inspector.note_text import MOST_COMPARED, differences, file_text, form_text

ENDS = st.sampled_from(["\n", "\r\n", "\r", ""])
FILES = st.lists(st.tuples(st.sampled_from(["", "a", "b", "\ufeff", " x"]), ENDS))
TYPED = st.lists(st.tuples(st.sampled_from(["", "a", "b", " x"]), ENDS))


def sent(text: str) -> str:
    """What a browser sends of what it was shown."""
    return form_text(text).replace("\n", "\r\n")


@given(FILES)
@settings(max_examples=200)
def test_a_save_without_an_edit_changes_no_byte(lines):
    text = "".join(line + end for line, end in lines)
    assert file_text(sent(text), text) == text


@given(FILES, TYPED)
@settings(max_examples=200)
def test_an_edit_says_what_was_typed_whatever_the_line_ends(before, after):
    original, typed = ("".join(line + end for line, end in lines) for lines in (before, after))
    assert form_text(file_text(sent(typed), original)) == form_text(typed)


@pytest.mark.parametrize(
    ("original", "typed", "kept"),
    [
        ("a\r\nb\r\n", "a\nnew\nb\n", "a\r\nnew\r\nb\r\n"),
        ("a\nb", "a\nb\nnew\n", "a\nb\nnew\n"),
        ("a\r\nb\nc\r\n", "a\nB\nc\n", "a\r\nB\r\nc\r\n"),
        ("one\rtwo\r\nthree\nfour\n", "one\ntwo\nnew\nthree\nfour\n", "one\rtwo\r\nnew\nthree\nfour\n"),
        ("a\nx\r\nb\ny\r\nc\n", "x\na\nb\ny\n", "x\r\na\nb\ny\r\n"),
        ("\ufeffa\r\n", "b\n", "\ufeffb\r\n"),
        ("", "a\nb\n", "a\nb\n"),
    ],
)
def test_every_line_keeps_the_end_that_it_had_and_a_new_one_has_the_usual(original, typed, kept):
    written = file_text(typed.replace("\n", "\r\n"), original)
    if original.startswith("a\nx"):
        # Which of two moved lines stays is open; its end goes with it.
        assert form_text(written) == typed
        assert written.endswith("b\ny\r\n")
    else:
        assert written == kept


def test_differences_show_whose_line_is_whose():
    assert differences("same\r\ntheirs\r\n", "same\nyours\n") == ["@@ -1,3 +1,3 @@", " same", "-theirs", "+yours", " "]
    assert differences("a\n", "a\r\n") == []
    assert differences("a\n" * (MOST_COMPARED + 1), "b") is None
