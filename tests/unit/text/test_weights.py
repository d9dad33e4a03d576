import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.text.weights import cut_by_weight, prefix_within, weighted_length

MIXED = st.text(alphabet="ab ,é数。が한🙂Ａ", max_size=80)


@pytest.mark.parametrize(
    ("text", "weight"),
    [
        ("", 0),
        ("abc", 3),
        ("数据", 8),
        ("カナ", 8),
        ("한국", 8),
        ("🙂", 4),
        ("Ａ！", 8),
        ("naïve", 5),
        ("a数b", 6),
        ("، б", 3),
    ],
)
def test_heavy_scripts_weigh_four(text: str, weight: int) -> None:
    assert weighted_length(text) == weight


@given(MIXED, st.integers(4, 40))
def test_pieces_join_to_the_text_and_keep_the_cap(text: str, cap: int) -> None:
    pieces = cut_by_weight(text, cap)
    assert "".join(pieces) == text
    assert all(0 < weighted_length(piece) <= cap for piece in pieces)


@given(MIXED, st.integers(0, 60))
def test_a_prefix_is_the_longest_that_fits(text: str, cap: int) -> None:
    end = prefix_within(text, cap)
    assert weighted_length(text[:end]) <= cap
    assert end == len(text) or weighted_length(text[: end + 1]) > cap


def test_a_long_line_is_cut_between_words() -> None:
    pieces = cut_by_weight("lorem ipsum " * 50, 100)
    assert all(piece.endswith(" ") for piece in pieces)


def test_text_without_any_space_is_cut_all_the_same() -> None:
    assert cut_by_weight("a" * 10, 4) == ["aaaa", "aaaa", "aa"]
