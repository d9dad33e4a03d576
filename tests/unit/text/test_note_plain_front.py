"""Front matter read without YAML is what YAML reads, or is left to it."""

from datetime import date, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tercet.text.front_matter import read_front_matter
from tercet.text.notes.plain_front import plain_data

VALUES = (
    *(
        "a",
        "b",
        "x",
        "é",
        "语",
        "true",
        "null",
        "No",
        "y",
        "inf",
        "e1",
        "a:b",
        "a#b",
        "a: b",
        "a #b",
        "a:",
        "http://a.b/#c",
    ),
    *("5", "0", "007", "1.5", "1e3", "0x1F", ".inf", "_1", "2020-01-02", "2020-13-01", "2026-01-01T10:00:00Z"),
    *("~", "...", "---", "=", "-", "- a", "--", "|", ">", "&a", "*a", "{}", "{a: b}", "%", "@", "? a", "<<", "!", "#"),
    *(
        "[]",
        "[a]",
        "[a, é b]",
        "[a,]",
        "['a', \"b\"]",
        "[a: b]",
        "[1, x]",
        "[[a]]",
        "[a",
        "a]",
        "[true]",
        "[a#b, c #d]",
    ),
    *(
        "''",
        '""',
        "'a",
        "'a: #b'",
        '"a: #b"',
        '"\\n"',
        "'it''s'",
        '"a" b',
        "'a' # c",
        "a\tb",
        "a\u3000",
        "\u00a0a",
        "a\x85",
    ),
)
TEXT = st.sampled_from(VALUES)
LINE = st.one_of(
    st.builds("{}: {}".format, st.sampled_from(["a", "b", "c d", "é", "true", "1", "a b c d e", "-x"]), TEXT),
    st.builds(lambda indent, text: f"{' ' * indent}- {text}", st.integers(0, 2), TEXT),
    st.sampled_from(["k:", "l:", "", "# c", "  # c", "  more", "- ", "k:v"]),
)


def typed(value: object) -> object:
    """Return a value such that 1, 1.0, True and '1' differ."""
    if isinstance(value, list):
        return [typed(one) for one in value]
    if isinstance(value, datetime):
        return "time", value.timestamp()
    return type(value).__name__, value


def assert_as_yaml(raw: str) -> bool:
    """Compare with YAML; False when the reading is left to it, or the text is no front matter at all."""
    data = plain_data(raw)
    front = read_front_matter(f"---\n{raw}---\n")
    if data is None or front is None or front.raw != raw:
        return False
    assert not front.problem
    assert {key: typed(value) for key, value in data.items()} == {key: typed(front.data[key]) for key in front.data}
    return True


@settings(max_examples=200, deadline=None)
@given(st.lists(LINE, max_size=5), st.sampled_from(["\n", "\r\n"]))
def test_what_is_read_is_what_yaml_reads(lines: list[str], end: str) -> None:
    assert_as_yaml("".join(line + end for line in lines))


def test_every_kind_of_value_is_what_yaml_reads() -> None:
    read = [assert_as_yaml(f"a:{before}{value}\n") for value in VALUES for before in (" ", "\n  - ", "\n- b\n- ")]
    assert 50 < sum(read) < len(read) - 50


@pytest.mark.parametrize(
    ("raw", "data"),
    [
        ("", {}),
        ("id: n1\ntitle: A note, of mine\n", {"id": "n1", "title": "A note, of mine"}),
        ("tags:\n  - a\n  # c\n  - b/c\nempty:\n", {"tags": ["a", "b/c"], "empty": None}),
        ("a: [x, \"[[Y]]\"]\nb: '2'\nc: []\n", {"a": ["x", "[[Y]]"], "b": "2", "c": []}),
        ("created: 2026-01-05\nyear: 2020\n", {"created": date(2026, 1, 5), "year": 2020}),
    ],
)
def test_what_most_notes_hold_is_read(raw: str, data: dict[str, object]) -> None:
    assert plain_data(raw) == data


@pytest.mark.parametrize(
    "raw",
    [
        "a: b\na: c\n",
        "a: x # c\n",
        "a: 1.10\n",
        "a: |\n  x\n",
        "a: x\n  y\n",
        "claims:\n  - {id: x}\n",
        "a: {{date}}\n",
    ],
)
def test_what_only_yaml_can_tell_is_left_to_it(raw: str) -> None:
    assert plain_data(raw) is None
