"""An edit of a note changes what it is about, and no other byte."""

import re
from datetime import UTC, date, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tercet.errors import InvalidInputError
from tercet.model import Scope
from tercet.text.front_matter import read_front_matter
from tercet.text.notes.edit import appended, new_note_text, with_front_matter, without_facts
from tercet.text.notes.parse import parse_note

OWN_LINES = (
    "{key}: one",
    "{key}: one   # why",
    "{key}: 'it''s: one'",
    '{key}:    "a \\"b\\" # c"',
    "{key}: 1.10",
    "{key}:",
    "{key}: # nothing yet",
    "{key}: [a, 'b', c]  # three",
    "{key}: [a,\n  b]",
    "{key}:\n  - a\n  - b",
    "{key}:\n- a   # first\n- b",
    "{key}:\n  # inside\n  - a\n\n  - b",
    "{key}:\n  sub: x\n  more:\n    - y",
    "{key}: |\n  text: no key\n  # no comment\n\n  end",
    "{key}: >-\n  folded\n  text",
    "{key}: plain\n  goes on",
    "'{key}': quoted key",
)
BETWEEN = ("", "\n", "# margin\n", "\n# a\n\n# b\n", "#\n")
VALUES: tuple[Any, ...] = (
    "two",
    "two: # 'x'\n\"y\"",
    "",
    "true",
    "2026",
    7,
    0.25,
    True,
    ["a"],
    ["a", "b", "new: #"],
    ["b", "a"],
    [],
    date(2026, 1, 5),
    datetime(2026, 1, 5, 12, 30, tzinfo=UTC),
    [{"id": "c1", "text": "Ann: tea", "confidence": 0.5}, {"id": "c2", "text": "語", "evidence": ["a", {"x": "y"}]}],
    {"a": "b", "c": ["d"]},
    None,
)


def read(text: str) -> dict[str, object]:
    front = read_front_matter(text)
    assert front is not None
    assert not front.problem
    return dict(front.data)


def as_yaml_reads(value: object) -> object:
    return value.replace(tzinfo=UTC) if isinstance(value, datetime) and value.tzinfo is None else value


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(BETWEEN), st.sampled_from(OWN_LINES)), max_size=4),
    st.sampled_from(BETWEEN),
    st.dictionaries(st.sampled_from(["key0", "key1", "key2", "new", "other new"]), st.sampled_from(VALUES), max_size=3),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from(["", "\ufeff"]),
    st.sampled_from(["", "body", "\n# Body\n\n---\nkey0: x\n---\nno end"]),
)
def test_only_the_named_keys_own_lines_change(entries, last, changes, end, mark, body) -> None:
    own = [lines.format(key=f"key{number}") for number, (_, lines) in enumerate(entries)]
    parts = [(between, lines) for (between, _), lines in zip(entries, own, strict=True)]
    text = mark + "---\n" + "".join(f"{between}{lines}\n" for between, lines in parts) + last + "---\n" + body
    text = text.replace("\n", end)
    if entries == [] and last == "":
        text = text.replace(f"---{end}---{end}", f"---{end}# only{end}---{end}")
        last = "# only\n"
    edited = with_front_matter(text, changes)
    pattern = [re.escape(mark + "---\n")]
    for number, (between, lines) in enumerate(parts):
        pattern += [re.escape(between), "(?:.*\n)*?" if f"key{number}" in changes else re.escape(lines + "\n")]
    pattern += [re.escape(last), "(?:.*\n)*?", re.escape("---\n" + body)]
    assert re.fullmatch("".join(pattern), edited.replace("\r\n", "\n"))
    assert edited.replace("\r\n", "").count("\n") == (0 if end == "\r\n" else edited.count("\n"))
    expected = {**read(text), **changes}
    assert {key: as_yaml_reads(value) for key, value in read(edited).items()} == {
        key: as_yaml_reads(value) for key, value in expected.items() if key not in changes or value is not None
    }
    assert with_front_matter(edited, changes) == edited


def test_one_key_of_many_as_a_diff_shows_it() -> None:
    text = (
        "---\n# about\nid:   n1\ntitle: 'Ann'   # her name\ntags:\n  # people\n  - a   # first\n  - b\n\n# dates\n"
        "updated: 2025-01-01 # by hand\nweird: {x: 1.10, y: [2]}\n---\n# Ann\n"
    )
    changes = {"tags": ["a", "c"], "updated": date(2026, 1, 5), "title": "Ann: Lee"}
    assert with_front_matter(text, changes) == (
        '---\n# about\nid:   n1\ntitle: "Ann: Lee"   # her name\ntags:\n  # people\n  - a   # first\n  - c\n\n# dates\n'
        "updated: 2026-01-05 # by hand\nweird: {x: 1.10, y: [2]}\n---\n# Ann\n"
    )


def test_a_value_that_is_there_already_stays_as_it_is_written() -> None:
    text = "---\ntitle: 'Ann'\ntags: [ a,b ]\nupdated: 2026-01-05\n---\n"
    assert (
        with_front_matter(text, {"title": "Ann", "tags": ["a", "b"], "updated": date(2026, 1, 5), "no": None}) == text
    )


def test_comments_of_a_key_that_goes_stay_and_become_no_text() -> None:
    assert with_front_matter("---\na: 1\ntags:\n  # why\n  - x\n# end\n---\n", {"tags": None}) == (
        "---\na: 1\n# why\n# end\n---\n"
    )
    assert with_front_matter("---\na: |\n  text\nb:\n  # why\n  - x\n---\n", {"b": None}) == (
        "---\na: |\n  text\n# why\n---\n"
    )


@pytest.mark.parametrize(
    ("text", "edited"),
    [
        ("", "---\nid: n1\n---\n"),
        ("# Ann", "---\nid: n1\n---\n# Ann"),
        ("\ufeff# Ann\r\n", "\ufeff---\r\nid: n1\r\n---\r\n# Ann\r\n"),
        ("---\n\nrule\n", "---\nid: n1\n---\n---\n\nrule\n"),
        ("---\n---\n", "---\nid: n1\n---\n"),
    ],
)
def test_a_note_without_front_matter_gets_one(text: str, edited: str) -> None:
    assert with_front_matter(text, {"id": "n1"}) == edited
    assert with_front_matter(text, {}) == with_front_matter(text, {"id": None}) == text


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("---\na: [\nb: c\n---\n", "line"),
        ("---\na: 1\na: 2\n---\n", "line 3"),
        ("---\ndate: {{date}}\n---\n", "line 2"),
        ("---\ntitle: never closed\n\ntext\n", "line 1"),
        ("---\n{a: 1, b: 2}\n---\n", "line 2"),
        ("---\na: &x 1\nb: *x\n---\n", "a"),
        ("---\nbase: &x {c: 1}\na:\n  <<: *x\n---\n", "base"),
    ],
)
def test_what_cannot_be_edited_safely_is_refused(text: str, line: str) -> None:
    """Changing an anchor would change what refers to it."""
    with pytest.raises(InvalidInputError, match=line):
        with_front_matter(text, {"base": "y"} if "base" in text else {"a": "x"})


@pytest.mark.parametrize("value", [object(), float("nan"), {"a": object()}, b"x"])
def test_a_value_that_yaml_cannot_hold_is_refused(value: object) -> None:
    with pytest.raises(InvalidInputError, match="front matter"):
        with_front_matter("# T\n", {"a": value})


@settings(max_examples=200, deadline=None)
@given(
    st.text(max_size=30),
    st.lists(st.text(max_size=10), max_size=3),
    st.dictionaries(st.text(max_size=8), st.text(max_size=8), max_size=2),
)
def test_any_text_is_written_so_that_yaml_reads_it_back(text: str, items: list[str], pairs: dict[str, str]) -> None:
    written = with_front_matter("body", {"a": text, "b": items, "c": [pairs], "d": [items]})
    assert read(written) == {"a": text, "b": items, "c": [pairs], "d": [items]}


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("", "## 2026-01-05\n\n- tea\n"),
        ("# Ann", "# Ann\n\n## 2026-01-05\n\n- tea\n"),
        ("# Ann\n\n\n", "# Ann\n\n\n## 2026-01-05\n\n- tea\n"),
        ("# Ann\r\ntext\r\n", "# Ann\r\ntext\r\n\r\n## 2026-01-05\r\n\r\n- tea\r\n"),
        ("## 2026-01-05\n\n- milk", "## 2026-01-05\n\n- milk\n\n- tea\n"),
        ("## 2026-01-05\n\n### Noon\n\n- milk\n", "## 2026-01-05\n\n### Noon\n\n- milk\n\n- tea\n"),
        ("## 2026-01-05\n\n# Later\n", "## 2026-01-05\n\n# Later\n\n## 2026-01-05\n\n- tea\n"),
        ("```py\nopen", "```py\nopen\n```\n\n## 2026-01-05\n\n- tea\n"),
        ("~~~~\n```\n", "~~~~\n```\n~~~~\n\n## 2026-01-05\n\n- tea\n"),
        ("<!-- open\n", "<!-- open\n-->\n\n## 2026-01-05\n\n- tea\n"),
        ("<pre>\nopen", "<pre>\nopen\n</pre>\n\n## 2026-01-05\n\n- tea\n"),
        ("---\nid: a\n---\n", "---\nid: a\n---\n\n## 2026-01-05\n\n- tea\n"),
    ],
)
def test_text_is_appended_under_a_dated_heading(text: str, result: str) -> None:
    assert appended(text, "2026-01-05", "- tea\n") == result


MARKDOWN = st.lists(
    st.sampled_from(
        [
            "# T",
            "## D",
            "text",
            "- item",
            "```",
            "~~~",
            "````md",
            "<!--",
            "-->",
            "<pre>",
            "</pre>",
            "---",
            "",
            "> ```",
            "- ```",
            "| a |",
            "    code",
            "%%",
        ]
    ),
    max_size=7,
)


@settings(max_examples=200, deadline=None)
@given(MARKDOWN.map("\n".join), st.sampled_from(["", "\n"]), st.sampled_from(["a\nb", "- [[x]]\r\n- y\n\n"]))
def test_appending_drops_nothing_and_is_never_taken_for_code(text: str, end: str, body: str) -> None:
    result = appended(text + end, "2026-01-05", body)
    assert result.startswith(text + end)
    note = parse_note(result, "n.md", Scope("main"))
    assert "2026-01-05" in note.headings
    again = appended(result, "2026-01-05", "more [[z]]")
    assert again.startswith(result)
    read_again = parse_note(again, "n.md", Scope("main"))
    assert read_again.headings.count("2026-01-05") == 1
    assert read_again.links[-1].target == "z"


@pytest.mark.parametrize(("heading", "body", "level"), [("", "x", 2), ("h", " \n", 2), ("h", "x", 0), ("h", "x", 7)])
def test_nothing_is_appended_without_heading_and_text(heading: str, body: str, level: int) -> None:
    with pytest.raises(InvalidInputError, match="append"):
        appended("text", heading, body, level)


def test_a_new_note_reads_back_as_it_was_meant() -> None:
    created = datetime(2026, 1, 5, 12, tzinfo=UTC)
    text = new_note_text(
        "Ann:\n#1",
        id="n1",
        type="entity",
        tags=["a/b", "1"],
        aliases=["安娜"],
        sources=["chat-1"],
        created=created,
        body="Tea.\n",
    )
    note = parse_note(text, "Ann 1.md", Scope("main"))
    assert (note.id, note.title, note.type, note.tags) == ("n1", "Ann: #1", "entity", ("a/b", "1"))
    assert (note.aliases, note.sources, note.created) == (("安娜",), ("chat-1",), created)
    assert (note.body, note.problems) == ("\n# Ann: #1\n\nTea.\n", ())


def test_a_new_note_writes_no_empty_keys_and_no_second_heading() -> None:
    assert new_note_text("Ann", id="n1", body="# Anna\n") == "---\nid: n1\ntitle: Ann\n---\n\n# Anna\n"
    assert new_note_text("Ann", id="n1") == "---\nid: n1\ntitle: Ann\n---\n\n# Ann\n"


# -- facts taken out --------------------------------------------------------------------------


def test_facts_are_taken_out_of_the_days_they_were_appended_to_and_of_nowhere_else():
    before = (
        "---\r\nid: x\r\n---\r\n# Ann\r\n\r\n- sails\r\n\r\n## 2026-06-01\r\n\r\n- sails\r\n- paints\r\n"
        "```\r\n- sails\r\n```\r\n\r\n## 2026-06-02\r\n\r\n- sails\r\n\r\n## Mine\r\n\r\n- sails\r\n"
    )
    after = (
        "---\r\nid: x\r\n---\r\n# Ann\r\n\r\n- sails\r\n\r\n## 2026-06-01\r\n\r\n- paints\r\n"
        "```\r\n- sails\r\n```\r\n\r\n## Mine\r\n\r\n- sails\r\n"
    )
    assert without_facts(before, {"sails"}) == after
    assert without_facts(before, {"sail", "sails now"}) == before


def test_a_fact_appended_is_gone_when_it_is_taken_out():
    note = "# Ann\n\nA sailor.\n"
    assert (
        without_facts(appended(note, "2026-06-01", "- sails\n- paints"), {"sails", "paints"}).rstrip() == note.rstrip()
    )
