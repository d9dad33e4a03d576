"""Refs name what they lead back to, whatever characters the names hold."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.errors import InvalidInputError
from tercet.layers.semantic.refs import FileRef, format_ref, parse_file_ref

NAMES = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zs", "Zl", "Zp"]), min_size=1, max_size=20)


@given(
    root=NAMES.filter(lambda name: ":" not in name and "#" not in name),
    path=NAMES,
    start=st.integers(1, 9999),
    more=st.integers(0, 99),
)
def test_what_is_formatted_parses_back(root, path, start, more):
    root, path = (unicodedata.normalize("NFC", each) for each in (root, path))
    assert parse_file_ref(format_ref(root, path, start, start + more), {root}) == FileRef(
        root, path, start, start + more
    )


@pytest.mark.parametrize(
    ("ref", "expected"),
    [
        ("a.md", FileRef(None, "a.md")),
        ("notes:a.md", FileRef("notes", "a.md")),
        ("notes:a.md#L3", FileRef("notes", "a.md", 3, 3)),
        ("notes:a.md#L3-7", FileRef("notes", "a.md", 3, 7)),
        ("other:a.md", FileRef(None, "other:a.md")),
        ("10:30 call.md#L1-L2", FileRef(None, "10:30 call.md", 1, 2)),
        ("a#L2.md", FileRef(None, "a#L2.md")),
        (" a.md \n", FileRef(None, "a.md")),
        ("cafe\u0301.md", FileRef(None, "caf\u00e9.md")),
    ],
)
def test_forms_of_a_ref(ref, expected):
    assert parse_file_ref(ref, {"notes"}) == expected


@pytest.mark.parametrize("ref", ["", "  ", "a.md#L0", "a.md#L5-L4", "a.md#L0-L0"])
def test_refs_that_name_nothing_are_refused(ref):
    with pytest.raises(InvalidInputError):
        parse_file_ref(ref, set())
