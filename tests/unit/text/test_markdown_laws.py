"""What holds for every Markdown file, well formed or not."""

import os
import time
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tercet.model import Chunk
from tercet.text.decoding import decode
from tercet.text.lines import span_text, split_lines
from tercet.text.markdown import chunk_markdown
from tercet.text.weights import weighted_length

LINES = st.sampled_from(
    [
        "",
        "",
        "  ",
        "# H{n}",
        "## H{n}",
        "### H{n} ##",
        "###### H{n}",
        "H{n}\n===",
        "\n\nH{n}\n---\n",
        "word{n}",
        "word{n} word{n} word{n}",
        "- word{n}",
        "  - word{n}",
        "1. word{n}",
        "    word{n}",
        "> word{n}",
        "```\n# code{n}\n\nword{n}\n```",
        "~~~~\n```\n# code{n}\n~~~~",
        "- ```\n  # code{n}",
        "<!-- word{n}\n# code{n}\n-->",
        "| word{n} | b |\n|---|---|\n| word{n} | c |\n| word{n} | c |",
        "---",
        "***",
        "数据库{n}迁移word{n}",
        "word{n}" + " long" * 30,
        "word{n}\rword{n}\u2028word{n}",
    ]
)
FRONT = st.sampled_from(
    ["", "", "\ufeff", "---\nkey: word0\n---\n", "---\nkey: word0\nother: " + "long " * 12 + "\n---\n\n"]
)


@st.composite
def documents(draw: st.DrawFn) -> str:
    front = draw(FRONT)
    lines = [line.replace("{n}", str(number)) for number, line in enumerate(draw(st.lists(LINES, max_size=25)), 1)]
    body = "\n".join(lines) + draw(st.sampled_from(["", "\n", "\n\n"]))
    return (front + body).replace("\n", draw(st.sampled_from(["\n", "\r\n"])))


OPTIONS = st.tuples(
    st.sampled_from([8, 40, 90, 200, 1600]), st.sampled_from([0, 30, 90, 800]), st.sampled_from([0, 20, 160])
)


def chunks(text: str, options: tuple[int, int, int]) -> list[Chunk]:
    cap, join, overlap = options
    return [item.chunk for item in chunk_markdown(text, max_weight=cap, join_below=join, overlap_weight=overlap)]


@settings(max_examples=150, deadline=None)
@given(documents(), OPTIONS)
@example("# H1\n\n## H2\n\n# H3\n", (40, 0, 0))
@example("---\nkey: word0\n---\n# H1\n", (1600, 800, 160))
def test_every_word_and_every_heading_can_be_found(text: str, options: tuple[int, int, int]) -> None:
    found = chunks(text, options)
    seen = "".join(chunk.text for chunk in found)
    paths = {title for chunk in found for title in chunk.headings}
    for line in split_lines(text):
        written = line.strip("\ufeff \r\n")
        title = written.strip("# ")
        if title.startswith("H") and title[1:].isdigit():
            assert title in seen or title in paths
        elif "word" in written or "code" in written:
            own = next(part for part in written.split() if "word" in part or "code" in part)
            # A line above a rule is a setext heading.
            assert own in seen or any(own in title for title in paths)
    if not any(character.isalnum() for character in text):
        assert found == []


@settings(max_examples=150, deadline=None)
@given(documents(), OPTIONS)
def test_spans_are_the_files_own_lines_under_the_cap(text: str, options: tuple[int, int, int]) -> None:
    found = chunks(text, options)
    lines = split_lines(text)
    pieces: dict[int, str] = {}
    for chunk in found:
        assert 1 <= chunk.start_line <= chunk.end_line <= len(lines)
        assert chunk.text.strip()
        assert weighted_length(chunk.text) <= options[0]
        own = span_text(lines, chunk.start_line, chunk.end_line)
        if chunk.text != own:
            assert chunk.start_line == chunk.end_line
            pieces[chunk.start_line] = pieces.get(chunk.start_line, "") + chunk.text
    for number, joined in pieces.items():
        own = span_text(lines, number, number)
        assert "".join(joined.split()) == "".join(own.split())
    starts = [chunk.start_line for chunk in found]
    assert starts == sorted(starts)
    for before, after in pairwise(found):
        of_one_line = before.start_line == after.start_line == before.end_line == after.end_line
        assert after.end_line > before.end_line or of_one_line
    assert chunks(text, options) == found


@settings(max_examples=100, deadline=None)
@given(documents(), OPTIONS)
def test_code_and_comments_never_become_headings_f8(text: str, options: tuple[int, int, int]) -> None:
    titles = {title for chunk in chunks(text, options) for title in chunk.headings}
    assert not any("code" in title for title in titles)


@settings(max_examples=100, deadline=None)
@given(documents(), st.sampled_from([90, 1600]))
def test_no_chunk_runs_past_a_heading_beside_or_above_its_own(text: str, cap: int) -> None:
    """Only empty sections may hang on to a neighbour; sections with text are never joined to a sibling."""
    for chunk in chunks(text, (cap, 800, 160)):
        lines = chunk.text.splitlines()
        levels = [
            (len(line) - len(line.lstrip("#")), bool(lines[number + 1 : number + 2] and "word" in lines[number + 1]))
            for number, line in enumerate(lines)
            if line.startswith("#") and " H" in line
        ]
        if levels and lines[0].startswith("#") and levels[0][1]:
            assert all(level > levels[0][0] for level, has_text in levels[1:] if has_text)


def test_text_of_any_characters_is_chunked() -> None:
    @settings(max_examples=100, deadline=None)
    @given(st.text(alphabet="#`~-=|<>!* \t\n\r\ufeffa数:.1", max_size=200))
    def law(text: str) -> None:
        found = [item.chunk for item in chunk_markdown(text, max_weight=20, join_below=10, overlap_weight=8)]
        assert all(weighted_length(chunk.text) <= 20 for chunk in found)
        covered = {number for chunk in found for number in range(chunk.start_line, chunk.end_line + 1)}
        titles = "".join(title for chunk in found for title in chunk.headings)
        for number, line in enumerate(split_lines(text), 1):
            letters = [character for character in line if character in "a数"]
            assert number in covered or not letters or all(character in titles for character in letters)

    law()


ADVERSARIAL = {
    "one line": lambda n: "a" * n,
    "one CJK line": lambda n: "数" * n,
    "pipes": lambda n: "|" * n,
    "rows": lambda n: "a|b\n" * (n // 4),
    "dividers": lambda n: "|-|\n" * (n // 4),
    "backticks": lambda n: "`" * n,
    "fences": lambda n: "```\n" * (n // 4),
    "fences in lists": lambda n: "- ```\n x\n" * (n // 9),
    "comments": lambda n: "<!--\n" * (n // 5),
    "headings": lambda n: "".join("#" * (1 + i % 6) + " h\n" for i in range(n // 5)),
    "headings with text": lambda n: "".join("#" * (1 + i % 6) + " h\nx\n" for i in range(n // 7)),
    "underlines": lambda n: "a\n==\n" * (n // 5),
    "blank lines": lambda n: ("x\n" + "\n" * 1500) * (n // 1500),
    "spaces": lambda n: " " * n + "x",
    "unclosed front matter": lambda n: "---\n" + "a: 1\n" * (n // 5),
    "wide header": lambda n: "|" + "x" * (n // 4) + "|\n|-|\n" + "|y|\n" * (n // 6),
}


@pytest.mark.parametrize("name", ADVERSARIAL)
def test_time_is_linear_f6(name: str) -> None:
    """Eight times the input takes nothing like the 64 times of a quadratic reading."""

    def seconds(size: int) -> float:
        text = ADVERSARIAL[name](size)
        best = float("inf")
        for _ in range(3):
            begin = time.process_time()
            chunk_markdown(text)
            best = min(best, time.process_time() - begin)
        return best

    assert seconds(160_000) < 24 * max(seconds(20_000), 0.002)


@pytest.mark.shared_data
def test_real_folders_keep_the_laws() -> None:
    default = Path(__file__).parents[3].parent / "shared" / "data"
    data = Path(os.environ.get("TERCET_TEST_DATA", default)) / "workspaces"
    if not data.is_dir():
        pytest.skip("no shared test data: set TERCET_TEST_DATA")
    read = 0
    for path in (path for path in data.rglob("*") if path.suffix == ".md"):
        text = decode(path.read_bytes()).text
        covered: set[int] = set()
        for item in chunk_markdown(text):
            chunk = item.chunk
            assert weighted_length(chunk.text) <= 1600
            if chunk.start_line < chunk.end_line:
                assert chunk.text == span_text(text, chunk.start_line, chunk.end_line)
            covered.update(range(chunk.start_line, chunk.end_line + 1))
        for number, line in enumerate(split_lines(text), 1):
            written = line.strip()
            assert number in covered or not written.strip("-*_ ") or written.startswith("#"), (path, number)
        read += 1
    assert read > 100
