"""What is a heading, seen through the heading path of the chunks below it."""

import pytest

from tercet.text.markdown import chunk_markdown


def paths(text: str) -> list[tuple[str, ...]]:
    return [found.chunk.headings for found in chunk_markdown(text, join_below=0)]


@pytest.mark.parametrize(
    "line", ["# T", "### T", "   ## T", "# T ##", "#\tT", "# T #  ", "T\n===", "T\n---", "T\n  ------  ", "\ufeff# T"]
)
def test_headings(line: str) -> None:
    assert paths(f"{line}\ntext\n") == [("T",)]


@pytest.mark.parametrize(
    "line",
    [
        "#tag",
        "####### seven",
        "    # code",
        "\t# code",
        "\\# no",
        "text\r# no",
        "\u3000# no",
        "T\n\n---",
        "- item\n---",
        "> quote\n---",
        "| a |\n---",
        "| a | b |\n|---|---|",
        "a | b\n--- | ---",
        "one\ntwo\n---",
        "# " + "long " * 100,
        "T\n-",
    ],
)
def test_no_headings(line: str) -> None:
    assert set(paths(f"{line}\ntext\n")) == {()}


def test_closing_marks_are_only_dropped_after_a_space() -> None:
    assert paths("# C#\nx\n# F # #\ny") == [("C#",), ("F #",)]


@pytest.mark.parametrize(
    "block",
    [
        "```\n# comment\n```",
        "~~~ sh\n# comment\n~~~",
        "````\n```\n# comment\n```\n# comment\n````",
        "```\n~~~\n# comment\n```",
        "  ```\n# comment\n  ```",
        "- ```\n  # comment\n  ```",
        "1. step\n   ```bash\n   # comment\n   ```",
        "<!--\n# comment\n-->",
        "<!-- a -->\n<!-- \n\n# comment -->",
        "<pre>\n# comment\n</pre>",
    ],
)
def test_hash_in_code_and_comments_is_no_heading_f8(block: str) -> None:
    assert paths(f"# A\n{block}\nafter\n\n# B\ntext\n") == [("A",), ("B",)]


def test_an_unclosed_fence_runs_to_the_end_of_the_file() -> None:
    assert paths("# A\n```\n# comment\n\n# comment\n") == [("A",)]


def test_backticks_inside_a_line_open_no_fence() -> None:
    assert paths("# A\n``` not a fence ```\n# B\ntext\n") == [("A",), ("B",)]


def test_a_fence_in_a_list_ends_with_the_list() -> None:
    assert paths("# A\n- ```\n  code\n\nout\n\n# B\ntext\n") == [("A",), ("B",)]


def test_a_path_holds_the_headings_above_and_not_beside() -> None:
    text = "# A\na\n### Deep\nd\n## B\nb\n# C\nc\n"
    assert paths(text) == [("A",), ("A", "Deep"), ("A", "B"), ("C",)]


def test_front_matter_holds_no_heading() -> None:
    assert paths("---\nname: x\n# no\n---\n# A\ntext\n") == [("A",)]
