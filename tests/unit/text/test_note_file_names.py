"""File names for any title."""

import re
import unicodedata

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tercet.text.notes.file_names import distinct, file_stem
from tercet.text.notes.folders import checked_note_path
from tercet.text.notes.links import comparable

RESERVED = {"con", "prn", "aux", "nul", "index", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))}
ODD = st.sampled_from(
    ["/", "\\", ":", ".", "..", " ", "#", "[[", "]]", "^", "|", "*", "?", "\0", "\n", "\u202e", "\u200d"]
)
TITLES = st.lists(
    st.one_of(st.text(max_size=60), ODD, st.sampled_from(["語", "é", "e\u0301", "👩‍👩‍👧", "CON"])), max_size=8
).map("".join)


@pytest.mark.parametrize(
    ("title", "stem"),
    [
        ("Kyoto", "Kyoto"),
        ("京都の旅 2026", "京都の旅 2026"),
        ("Reise nach Zürich", "Reise nach Zürich"),
        ("e\u0301te\u0301", "été"),
        ("🎉 Party", "🎉 Party"),
        ("👩‍👩‍👧 family", "👩‍👩‍👧 family"),
        ("می‌خواهم", "می‌خواهم"),
        ("AC/DC", "AC-DC"),
        ("Project: Albatros", "Project - Albatros"),
        ("10:30 meeting", "10-30 meeting"),
        ("What is it?", "What is it"),
        ("Dr. Lee", "Dr. Lee"),
        ("  two   words\n", "two words"),
        ("../../etc/passwd", "etc-passwd"),
        (".hidden", "hidden"),
        ("trailing. . ", "trailing"),
        ("-rf", "rf"),
        ("[[Ann]] #tag ^block", "Ann tag block"),
        ("a\u202egpj.exe", "agpj.exe"),
        ("zero\u200bwidth", "zerowidth"),
        ("CON", "note CON"),
        ("nul.txt", "note nul.txt"),
        ("com1", "note com1"),
        ("Index", "note Index"),
        ("Contact", "Contact"),
    ],
)
def test_a_title_stays_readable(title: str, stem: str) -> None:
    assert file_stem(title) == stem


@pytest.mark.parametrize("title", ["", "   ", "...", "?!", "/", "\0", "\u202e", "--", "_", "\u0301", "\ud800"])
def test_a_title_of_nothing_to_read_is_a_hash(title: str) -> None:
    assert re.fullmatch("note-[0-9a-f]{8}", file_stem(title))


def test_two_titles_of_nothing_to_read_differ() -> None:
    assert file_stem("...") != file_stem("?!")


@pytest.mark.parametrize("letter", ["a", "語", "🎉", "e\u0301"])
def test_long_titles_that_differ_at_their_end_differ_in_their_names(letter: str) -> None:
    one, other = file_stem(letter * 300), file_stem(letter * 300 + "x")
    assert one != other
    assert one.startswith(unicodedata.normalize("NFC", letter) * 10)


@settings(max_examples=300, deadline=None)
@given(TITLES)
@example("a" * 99 + "\u0301")
@example("語" * 66 + "e\u0301")
def test_every_name_is_safe_on_every_system(title: str) -> None:
    stem = file_stem(title)
    assert 1 <= len(stem) <= 100
    assert len(stem.encode()) <= 200
    assert not re.search(r'[\\/:*?"<>|#^\[\]\x00-\x1f\x7f]', stem)
    assert not set(stem) & set("\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff")
    assert stem == stem.strip(" .")
    assert ".." not in stem
    assert stem.partition(".")[0].casefold() not in RESERVED
    assert unicodedata.is_normalized("NFC", stem)
    assert checked_note_path(f"{stem}.md")
    assert file_stem(stem) == stem


@settings(max_examples=60, deadline=None)
@given(st.lists(TITLES, max_size=6))
def test_notes_of_one_title_never_share_a_name(titles: list[str]) -> None:
    taken: set[str] = set()
    for title in (*titles, *titles, *(title.upper() for title in titles)):
        stem = distinct(file_stem(title), taken.__contains__)
        assert comparable(stem) not in taken
        assert len(stem) <= 100
        assert len(stem.encode()) <= 200
        taken.add(comparable(stem))


def test_names_count_up_from_two_ignoring_case_and_normal_form() -> None:
    assert distinct("Kyoto", {"kyoto"}.__contains__) == "Kyoto 2"
    assert distinct("Kyoto", {"kyoto", "kyoto 2"}.__contains__) == "Kyoto 3"
    assert distinct("Été", {"été"}.__contains__) == "Été 2"
    assert distinct("Kyoto", lambda stem: False) == "Kyoto"
