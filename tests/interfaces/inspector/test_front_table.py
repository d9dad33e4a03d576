"""Front matter as people wrote it."""

from __future__ import annotations

from tercet.interfaces.inspector.front_table import front_rows
from tercet.text.front_matter import read_front_matter


def rows(text: str) -> list[tuple[str, tuple[str, ...], bool]]:
    front = read_front_matter(f"---\n{text}---\n")
    assert front is not None
    return [(row.key, row.texts, row.is_source) for row in front_rows(front)]


def test_texts_and_lists_are_shown_by_their_value():
    assert rows('title: "A: b"\ntags: [x, y]\naliases:\n  - one\n  - "two"\n') == [
        ("title", ("A: b",), False),
        ("tags", ("x", "y"), False),
        ("aliases", ("one", "two"), False),
    ]


def test_a_number_stays_as_it_is_written():
    """F13: YAML reads 1.10 as 1.1."""
    assert rows("version: 1.10\nday: 2026-03-01\nnone:\n") == [
        ("version", ("1.10",), False),
        ("day", ("2026-03-01",), False),
        ("none", ("",), False),
    ]


def test_what_is_nested_is_shown_as_its_source():
    (claims,) = rows("claims:\n  - id: c1\n    text: said\n")
    assert claims == ("claims", ("  - id: c1\n    text: said",), True)


def test_what_cannot_be_read_is_shown_whole():
    assert rows("a: [1\nb: 2\n") == [("", ("a: [1\nb: 2\n",), True)]
