"""Markdown of anybody: readable, whole across the borders of chunks, and harmless."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tercet.interfaces.inspector.file_links import FileLinks
from tercet.interfaces.inspector.markdown import MarkdownFile

FILES = ("notes:a.md", "notes:sub/b.md", "notes:sub/Über uns.md", "other:c.md")


def opened(text: str, *, ref: str = "notes:a.md") -> MarkdownFile:
    links = FileLinks(ref, FILES, lambda found: f"/inspector/files/view?ref={found}")
    return MarkdownFile(text.split("\n"), 1, links)


def rendered(text: str, **given: str) -> str:
    return str(opened(text, **given).html(1, text.count("\n") + 1))


class Tags(HTMLParser):
    """What a browser makes of it."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def links_in(html: str) -> list[str]:
    return re.findall(r'href="([^"]*)"', html)


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "[x](javascript:alert(1))",
        "[x](JaVaScRiPt:alert(1))",
        "[x](&#106;avascript:alert(1))",
        "[x](java\tscript:alert(1))",
        "[x](vbscript:x) [y](data:text/html,<script>) [z](file:///etc/passwd)",
        "[x]: javascript:alert(1)\n\n[x]",
        "<javascript:alert(1)>",
        "![x](javascript:alert(1))",
        "![x](data:image/png;base64,AAAA)",
        "[x](//evil.example/a) [y](/\\evil.example) [z](\\\\evil.example)",
        '[[x|" onclick="alert(1)]]',
        '[[" autofocus onfocus="alert(1)]]',
        '[x](https://ex.org/"onmouseover="alert(1) "a\\" onclick=\\"b")',
        '```" onclick="alert(1)\ncode\n```',
        "# <b id=main>x</b>",
        "| <script> |\n|:-:|\n| <img src=x> |",
    ],
)
def test_nothing_runs_and_nothing_is_loaded(text):
    html = rendered(text)
    for tag, attributes in Tags(html).found:
        assert tag not in {"script", "img", "iframe", "style", "b"}, html
        assert set(attributes) <= {"href", "title", "rel", "hx-boost", "id", "class", "start", "tabindex"}, html
        assert re.match(r"(?:/inspector/|#|https?://|mailto:)", attributes.get("href") or "#"), html


@given(st.lists(st.sampled_from([*"[]()!<>|`*~#-\n\t \\\"'&:/x", "[[", "]]", "javascript:", "![", "```", "http://e/"])))
@settings(max_examples=150, deadline=None)
def test_no_heap_of_marks_opens_a_way_out(pieces):
    text = "".join(pieces)
    for tag, attributes in Tags(rendered(text)).found:
        assert tag not in {"script", "img"}
        assert re.match(r"(?:/inspector/|#|https?://|mailto:)", attributes.get("href") or "#")


def test_a_link_out_of_the_memory_says_where_and_takes_nothing_along():
    html = rendered("[here](https://example.org/page) and <https://example.org>, [mail](mailto:a@b.example)")
    assert html.count("example.org)</span>") == 1
    assert '<a href="https://example.org/page" rel="noopener noreferrer" hx-boost="false">here</a>' in html
    assert "(a@b.example)" in html
    assert "(evil.example)" in rendered("[bank](https://bank.example@evil.example/)")


def test_a_picture_is_a_link_and_inside_a_link_its_description():
    assert links_in(rendered("![a cat](https://pics.example/cat.png)")) == ["https://pics.example/cat.png"]
    html = rendered("[![badge](https://pics.example/b.svg)](https://ex.org)")
    assert links_in(html) == ["https://ex.org"]
    assert "picture: badge" in html


@pytest.mark.parametrize(
    ("ref", "text", "leads_to"),
    [
        ("notes:a.md", "[[b]]", "notes:sub/b.md"),
        ("notes:a.md", "[[über uns|text]]", "notes:sub/Über uns.md"),
        ("notes:a.md", "[[b#Two Words]]", "notes:sub/b.md#h-two-words"),
        ("notes:a.md", "[x](sub/b.md)", "notes:sub/b.md"),
        ("notes:a.md", "[x](<sub/Über uns.md#a>)", "notes:sub/Über uns.md#h-a"),
        ("notes:sub/b.md", "[x](../a.md)", "notes:a.md"),
        ("notes:sub/b.md", "[x](../a)", "notes:a.md"),
        ("notes:sub/b.md", "[x](/a.md)", "notes:a.md"),
    ],
)
def test_a_link_within_the_folder_leads_to_the_page_of_the_file(ref, text, leads_to):
    assert links_in(rendered(text, ref=ref)) == [f"/inspector/files/view?ref={leads_to}"]


@pytest.mark.parametrize("text", ["[[nobody]]", "[x](gone.md)", "[x](../../etc/passwd)", "[[c]]", "[x](c.md)"])
def test_a_link_to_nothing_in_this_folder_is_marked_and_dead(text):
    html = rendered(text)
    assert not links_in(html)
    assert 'class="broken" title="' in html


def test_wikilinks_in_code_and_behind_a_backslash_are_text():
    html = rendered("`[[b]]` \\[[b]]\n\n    [[b]]\n")
    assert not links_in(html)


def test_a_link_to_a_heading_of_the_file_finds_it():
    html = rendered("# One\n\n## Two *words*\n\n[[#Two words]] [x](#two-words)")
    assert links_in(html) == ["#h-two-words", "#h-two-words"]
    assert html.count('id="h-two-words"') == 1


def test_headings_leave_the_first_level_to_the_page():
    html = rendered("# One\n\n###### Six")
    assert "<h2" in html
    assert "</h6>" in html
    assert "<h1" not in html


FENCED = "- item\n  ```py\n  first = 1\n\n  second = 2\n  ```\n  after\n- last"


def test_code_that_a_chunk_continues_stays_code():
    file = opened(FENCED)
    first, second, third = (str(file.html(*lines)) for lines in ((1, 3), (4, 6), (7, 8)))
    assert "first = 1" in first
    assert '<pre><code id="L4">\nsecond = 2</code></pre>' in second
    assert "<code" not in third
    assert "after" in third


def test_text_behind_continued_code_is_text_again():
    file = opened("```\na\nb\n```\n# Heading\n")
    file.html(1, 2)
    html = str(file.html(3, 5))
    assert '<code id="L3">b</code>' in html
    assert '<h2 id="L5">' in html
    assert "```" not in html


def test_a_table_that_a_chunk_continues_keeps_its_head():
    file = opened("| name | km |\n|---|--:|\n| a | 1 |\n| b | 2 |\n")
    file.html(1, 3)
    html = str(file.html(4, 4))
    assert "<th>name</th>" in html
    assert ' id="L4">' in html
    assert '<td class="right">2</td>' in html


def test_items_below_items_stay_a_list_at_the_beginning_of_a_chunk():
    file = opened("- a\n    - b\n    - c\n      [more](sub/b.md)\n")
    file.html(1, 1)
    html = str(file.html(2, 4))
    assert html.count("<li") == 2
    assert "<pre" not in html
    assert links_in(html) == ["/inspector/files/view?ref=notes:sub/b.md"]


def test_a_reference_defined_in_another_chunk_holds():
    file = opened("[x][ref]\n\n[ref]: https://ex.org/defined\n")
    assert links_in(str(file.html(1, 1))) == ["https://ex.org/defined"]


LINES = st.sampled_from(
    ["# H", "text", "", "- a", "  - b", "    code", "```", "~~~", "> q", "| a |", "|---|", "1. x", "[r]: /u", "***"]
)


@given(st.lists(LINES, min_size=1, max_size=16), st.data())
@settings(max_examples=150, deadline=None)
def test_every_line_of_text_is_shown_however_a_file_is_cut(lines, data):
    words = [f"{line} word{number}" if line not in {"", "```", "~~~"} else line for number, line in enumerate(lines)]
    words = [line.replace("|---| word", "| word") for line in words]
    cuts = sorted(data.draw(st.sets(st.integers(1, len(lines)), max_size=4)) | {0, len(lines)})
    file = opened("\n".join(words))
    html = "".join(str(file.html(first + 1, last)) for first, last in pairwise(cuts))
    for number, line in enumerate(lines):
        if line not in {"", "```", "~~~", "[r]: /u"}:
            assert f"word{number}" in html, html
    ids = re.findall(r'id="([^"]*)"', html)
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("address", ["ftp://ex.org/a", "tel:112", "//sub/b.md"])
def test_an_address_that_is_not_followed_is_told(address):
    html = rendered(f"[x]({address})")
    assert not links_in(html)
    assert f'title="not followed: {address}"' in html
