import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.errors import InvalidInputError
from tercet.text.lines import span_text, split_lines, without_line_end


@pytest.mark.parametrize("inside", ["\r", "\x85", "\u2028", "\u2029", "\x0b", "\x0c", "\x1c"])
def test_only_lf_and_crlf_end_a_line_f16(inside: str) -> None:
    text = f"one{inside}still one\r\ntwo\nthree"
    assert split_lines(text) == [f"one{inside}still one\r\n", "two\n", "three"]
    assert span_text(text, 2, 2) == "two"


def test_a_final_line_end_begins_no_further_line() -> None:
    assert split_lines("a\n") == ["a\n"]
    assert split_lines("a\n\n") == ["a\n", "\n"]
    assert split_lines("") == []


def test_a_span_keeps_inner_line_ends_and_drops_the_last() -> None:
    assert span_text("a\r\nb\r\nc", 1, 2) == "a\r\nb"
    assert span_text("a\r\nb\r\nc", 3, 3) == "c"
    assert span_text("a\nb\n", 2, 9) == "b"


def test_a_lone_carriage_return_before_crlf_belongs_to_the_line() -> None:
    assert without_line_end("a\r\r\n") == "a\r"
    assert without_line_end("a\r") == "a\r"


@pytest.mark.parametrize(("start", "end"), [(0, 1), (-1, 1), (2, 1)])
def test_an_impossible_span_is_refused_with_its_numbers(start: int, end: int) -> None:
    with pytest.raises(InvalidInputError, match=f"Lines {start} to {end}"):
        span_text("a\nb", start, end)


@given(st.text(alphabet="ab\r\n\u2028\x85", max_size=30))
def test_lines_joined_are_the_text(text: str) -> None:
    lines = split_lines(text)
    assert "".join(lines) == text
    assert all(line.count("\n") == line.endswith("\n") for line in lines)
    assert "" not in lines
