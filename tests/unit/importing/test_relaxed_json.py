"""Settings as people write them: JSON5 is read, and what is none is refused with its line."""

import json
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tercet.errors import InvalidInputError
from tercet.importing.relaxed_json import read_relaxed_json

SETTINGS = """\ufeff// OpenClaw
{
  agents: { defaults: { 'workspace': '~/it\\'s mine', }, },  /* comment, { "not": "a key" } */
  "url": "https://example.org/a//b",  // not a comment inside a string
  numbers: [0x1F, +2, -.5, 1., 1e3, -Infinity,],
  $ok_1: true, nothing: null, 备忘: "\\u5907\\x41\\
end",
}
"""


def test_comments_trailing_commas_bare_keys_and_both_quotes_are_read():
    assert read_relaxed_json(SETTINGS, "x") == {
        "agents": {"defaults": {"workspace": "~/it's mine"}},
        "url": "https://example.org/a//b",
        "numbers": [31, 2, -0.5, 1.0, 1000.0, float("-inf")],
        "$ok_1": True,
        "nothing": None,
        "备忘": "备Aend",
    }


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", 1),
        ("{", 1),
        ("{\n a: 1\n b: 2}", 3),
        ("{a: 'one\ntwo'}", 1),
        ("[1 2]", 1),
        ("{a: undefined}", 1),
        ("{}\n{}", 2),
        ("[,]", 1),
        ("/* never ends", 1),
        ("[" * 1000, 1),
        ("12ab", 1),
    ],
)
def test_what_is_none_is_refused_with_its_line(text, line):
    with pytest.raises(InvalidInputError, match=rf"^openclaw\.json cannot be read: line {line} "):
        read_relaxed_json(text, "openclaw.json")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=60)
@given(JSON)
def test_all_json_with_a_comment_is_the_same_value(value):
    assert read_relaxed_json(f"// settings\n{json.dumps(value)}", "x") == value


@settings(max_examples=60)
@given(st.text(alphabet="{}[]:,'\"\\/* ab1.-\n", max_size=30))
def test_rubbish_is_refused_or_read_and_nothing_else(text):
    with suppress(InvalidInputError):
        read_relaxed_json(text, "x")
