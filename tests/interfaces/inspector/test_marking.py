"""Words of a query are found in a text as the search finds them, and the text stays what it is."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tercet.interfaces.inspector.marking import marked


def sought(text: str, query: str) -> list[str]:
    return [piece.text for piece in marked(text, query) if piece.is_sought]


@pytest.mark.parametrize(
    ("text", "query", "expected"),
    [
        ("The boat lies at berth 47.", "where is the BERTH?", ["berth"]),
        ("Travels by train, seats reserved.", "seat when travelling", ["Travels", "seats"]),
        ("Code ZX-9918, not ZX-9917.", "zx-9918", ["ZX", "9918", "ZX"]),
        ("妈妈的生日是三月初八。", "生日", ["生日"]),
        ("妈妈的生日", "妈妈 生日", ["妈妈", "生日"]),
        ("水和日", "水", ["水"]),
        ("Ann keeps bees", "the of and", []),
        ("", "bees", []),
    ],
)
def test_words_are_marked_as_they_are_sought(text, query, expected):
    assert sought(text, query) == expected


@given(st.text(max_size=80), st.text(max_size=30))
@settings(max_examples=60)
def test_the_pieces_are_the_text(text, query):
    pieces = marked(text, query)
    assert "".join(piece.text for piece in pieces) == text
    assert all(piece.text for piece in pieces)
