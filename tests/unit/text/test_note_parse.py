"""A note's file is read as people, Obsidian and other programs write it."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tercet.model import Claim, Scope, WikiLink
from tercet.text.notes.parse import parse_note
from tercet.text.notes.tags import tags_in

SCOPE = Scope("main", "telegram:1")


def note(text: str, path: str = "people/Ann Lee.md"):
    return parse_note(text, path, SCOPE)


def front(*lines: str):
    return note("\n".join(("---", *lines, "---", "", "Body.", "")))


def test_a_whole_note() -> None:
    read = note(
        "---\nid: entity.ann\ntitle: Ann Lee\ntype: entity\ntags: [family, work/client]\naliases:\n  - Annie\n"
        "sources: [chat-1]\ncreated: 2025-03-01\nupdated: 2026-01-05T12:00:00Z\n---\n"
        "# Ann\n\nKnows [[Ben|her brother]]. #friend\n\n## Tea\n"
    )
    assert (read.id, read.title, read.type, read.path, read.scope) == (
        "entity.ann",
        "Ann Lee",
        "entity",
        "people/Ann Lee.md",
        SCOPE,
    )
    assert read.tags == ("family", "work/client", "friend")
    assert (read.aliases, read.sources, read.headings) == (("Annie",), ("chat-1",), ("Ann", "Tea"))
    assert (read.created, read.updated) == (datetime(2025, 3, 1, tzinfo=UTC), datetime(2026, 1, 5, 12, tzinfo=UTC))
    assert read.links == (WikiLink("Ben", 14, "her brother"),)
    assert (read.body_line, read.body.splitlines()[0]) == (12, "# Ann")
    assert read.problems == ()


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("---\ntitle: Of its own\n---\n# Heading\n", "Of its own"),
        ("\n\n# Heading\n", "Heading"),
        ("## Second level\n\n# Heading\n", "Ann Lee"),
        ("Met her in Ghent.\n\n# Clippings\n", "Ann Lee"),
        ("Heading\n=======\n", "Heading"),
        ("# [[Ann]]'s tea\n", "Ann's tea"),
        ("## Notes\n\n```\n# code\n```\n", "Ann Lee"),
        ("---\ntitle:\n---\ntext", "Ann Lee"),
        ("", "Ann Lee"),
        ("---\ntitle: 1.10\n---\n", "1.10"),
        ("---\ntitle: 2026\n---\n", "2026"),
        ("---\ntitle: 2026-01-05\n---\n", "2026-01-05"),
    ],
)
def test_the_title_is_the_front_matters_else_the_first_heading_else_the_files(text: str, title: str) -> None:
    """F13."""
    assert note(text).title == title


def test_the_spellings_of_other_programs_are_read() -> None:
    read = front("pageType: synthesis", "sourceIds: [a, b]", "alias: Annie, 安", "tag: '#x'", "updatedAt: '2026-01-05'")
    assert (read.type, read.sources, read.aliases, read.tags) == ("synthesis", ("a", "b"), ("Annie", "安"), ("x",))
    assert read.updated == datetime(2026, 1, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    ("written", "tags"),
    [
        ("tags: a, b", ("a", "b")),
        ("tags: a b", ("a", "b")),
        ("tags: '#a/b'", ("a/b",)),
        ("tags: [a, A, '#a']", ("a",)),
        ("tags:\n- 一\n- 二", ("一", "二")),
        ("tags:", ()),
        ("tags: 2026", ("2026",)),
    ],
)
def test_tags_of_the_front_matter(written: str, tags: tuple[str, ...]) -> None:
    assert front(*written.split("\n")).tags == tags


@pytest.mark.parametrize(
    ("body", "tags"),
    [
        ("#a text #b/c, and (#d)", ("a", "b/c", "d")),
        ("# Heading\n## Another #tagged", ("tagged",)),
        ("#标签 和 #y1984 🎉 #🎉", ("标签", "y1984", "🎉")),
        ("#1984 and #12/3", ()),
        ("https://example.org/#frag [x](#frag) <a href='#f'> [[n#h]] a#b C# \\#no", ()),
        ("`#no` ``#no ` #no`` and #yes", ("yes",)),
        ("```\n#no\n```\n~~~\n#no\n~~~\n#yes", ("yes",)),
        ("%% #no\n\n#no %% #yes <!-- #no -->", ("yes",)),
        ("100%% sure #yes", ("yes",)),
        ("<!-- never closed\n#no", ()),
        ("<pre>\n#no\n</pre>\n\n#yes", ("yes",)),
        ("`one tick\n\n#yes", ("yes",)),
        ("#Tea and #tea", ("Tea",)),
        ("#end。 #a，b", ("end", "a")),
    ],
)
def test_tags_of_the_body(body: str, tags: tuple[str, ...]) -> None:
    assert tags_in(body) == tags


def test_claims_with_status_and_confidence() -> None:
    read = front(
        "claims:",
        "  - {id: c1, text: Ann drinks tea, status: contested, confidence: 0.4}",
        "  - id: c2",
        "    text: Ann lives in Bern",
        "  - Ann is tall",
        "  - {id: c3, text: x, confidence: 7}",
        "  - {id: c4}",
    )
    assert read.claims == (
        Claim("c1", "Ann drinks tea", "contested", 0.4),
        Claim("c2", "Ann lives in Bern"),
        Claim("", "Ann is tall"),
        Claim("c3", "x"),
    )
    assert [line for line, _ in read.problems] == [2, 2]
    assert "confidence" in read.problems[0][1] or "confidence" in read.problems[1][1]


@pytest.mark.parametrize(
    ("written", "time"),
    [
        ("2026-01-05", datetime(2026, 1, 5, tzinfo=UTC)),
        ("2026-01-05T12:30:00Z", datetime(2026, 1, 5, 12, 30, tzinfo=UTC)),
        ("2026-01-05 12:30", datetime(2026, 1, 5, 12, 30, tzinfo=UTC)),
        ("'2026-01-05T12:30:00+02:00'", datetime(2026, 1, 5, 12, 30, tzinfo=timezone(timedelta(hours=2)))),
        ("", None),
    ],
)
def test_dates_are_aware(written: str, time: datetime | None) -> None:
    read = front(f"created: {written}")
    assert read.created == time
    assert read.problems == ()


@pytest.mark.parametrize(
    ("lines", "line", "word"),
    [
        (["id: a", "updated: soon"], 3, "soon"),
        (["id: a", "", "tags: {a: b}"], 4, "tags"),
        (["claims: none"], 2, "claims"),
        (["title: [", "x: y"], None, ""),
        (["id: a", "id: b"], 3, "duplicate"),
        (["date: {{date}}"], 2, ""),
    ],
)
def test_what_cannot_be_read_is_named_with_its_line_and_the_body_is_read(lines: list[str], line, word: str) -> None:
    read = front(*lines)
    assert len(read.problems) == 1
    assert line in {None, read.problems[0][0]}
    assert word in read.problems[0][1]
    assert read.body == "\nBody.\n"
    assert read.body_line == len(lines) + 3


def test_a_thematic_break_is_no_front_matter() -> None:
    read = note("---\n\nJust text\n\n---\n\n#tag\n")
    assert (read.body_line, read.tags, read.problems) == (1, ("tag",), ())


def test_front_matter_that_is_never_closed_is_a_problem_and_no_text_is_lost() -> None:
    read = note("---\ntitle: X\n\nText [[Ann]].\n")
    assert read.problems[0][0] == 1
    assert "closed" in read.problems[0][1]
    assert read.links == (WikiLink("Ann", 4),)


def test_a_byte_order_mark_and_crlf_are_no_part_of_any_value() -> None:
    read = note("\ufeff---\r\nid: a\r\ntags:\r\n  - b\r\n---\r\n# T\r\n\r\n[[x]]\r\n")
    assert (read.id, read.tags, read.title, read.links) == ("a", ("b",), "T", (WikiLink("x", 8),))
    assert note("\ufeff# T\n").title == "T"


def test_links_of_the_front_matter_are_the_notes() -> None:
    """Obsidian keeps relations there."""
    read = note('---\ntype:\n  - "[[Cities]]"\n# [[no]]\nloc: [[Japan]]\n---\n[[Map]]\n')
    assert read.type == "Cities"
    assert read.links == (WikiLink("Cities", 3), WikiLink("Japan", 5), WikiLink("Map", 7))


@settings(max_examples=150, deadline=None)
@given(st.text(st.sampled_from("-#:[]{}|%`<!>\\\n\r \tab1語\ufeff\u2028'\"~,."), max_size=120))
def test_any_text_is_read_and_its_body_is_a_part_of_it(text: str) -> None:
    for written in (text, "---\n" + text, "---\na: b\n" + text + "\n---\n" + text):
        read = note(written)
        assert written.endswith(read.body)
        assert written[: len(written) - len(read.body)].count("\n") == read.body_line - 1 or not read.body
        assert all(1 <= line <= written.count("\n") + 1 for line, _ in read.problems)
        assert all(1 <= link.line <= written.count("\n") + 1 for link in read.links)


def test_long_lines_of_openings_cost_no_more_than_their_length() -> None:
    """Each of these took minutes when every opening looked for its end anew."""
    for mark in ("<!-- ", "` ", "%%", "[[", "`` ` ", "#a ", "[[a|"):
        assert note(mark * 40_000).body == mark * 40_000
    assert note("---\ntitle: '[[" + "a" * 60_000 + "'\n---\n").title.startswith("[[a")
