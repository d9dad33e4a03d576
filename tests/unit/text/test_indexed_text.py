import pytest

from tercet.model import Passage, PassageKind, Scope
from tercet.text.indexed_text import embedded_text, indexed_text, stem_of


def passage(
    text: str, *, kind: PassageKind = "chunk", header: str = "", path: str = "", speaker: str = "", context: str = ""
) -> Passage:
    scope = Scope("main")
    return Passage("1", kind, scope, text, header=header, context=context, path=path, speaker=speaker)


def test_a_chunk_is_indexed_with_its_file_and_headings() -> None:
    chunk = passage("port 8080", header="Ops > Ports", path="notes/server-setup.md")
    assert indexed_text(chunk) == "server-setup\nOps > Ports\nport 8080"
    assert embedded_text(chunk) == indexed_text(chunk)


def test_the_header_row_of_a_table_stands_before_the_text() -> None:
    chunk = passage("| a | 1 |", header="T", context="| Name | Port |")
    assert embedded_text(chunk) == "T\n| Name | Port |\n| a | 1 |"
    assert "Port" in indexed_text(chunk)


@pytest.mark.parametrize("line", ["## Ports", "  ## Ports ##", "Ports\n-----"])
def test_a_heading_that_the_text_begins_with_is_not_said_twice(line: str) -> None:
    assert embedded_text(passage(f"{line}\n8080", header="Ops > Ports")) == f"Ops\n{line}\n8080"
    assert embedded_text(passage(f"{line}\n8080", header="Ports")) == f"{line}\n8080"


def test_another_first_line_hides_no_heading() -> None:
    assert embedded_text(passage("## Portal\nx", header="Ops > Ports")).startswith("Ops > Ports\n")


def test_a_turn_is_its_speaker_and_words() -> None:
    turn = passage("I moved", kind="entry", speaker="Ann", header="ignored")
    assert indexed_text(turn) == embedded_text(turn) == "Ann: I moved"


def test_an_entry_is_its_header_and_text() -> None:
    assert indexed_text(passage("likes tea", kind="entry")) == "likes tea"
    assert indexed_text(passage("likes tea", kind="entry", header="Ann")) == "Ann\nlikes tea"


def test_comments_are_kept() -> None:
    assert "<!-- hidden -->" in embedded_text(passage("<!-- hidden -->\nx"))


@pytest.mark.parametrize(
    ("path", "stem"),
    [("a/b.md", "b"), ("2024-05-01.md", "2024-05-01"), (".env", ".env"), ("a.b/c", "c"), ("v1.2.md", "v1.2"), ("", "")],
)
def test_stem(path: str, stem: str) -> None:
    assert stem_of(path) == stem


@pytest.mark.parametrize("stem", ["4983", "8f14e45fceea167a", "0b5f2a8e-6f0c-4b1e-9c5d-3a1f2e4d5c6b", "123456789012"])
def test_a_name_that_is_only_an_identifier_is_indexed_but_not_embedded(stem: str) -> None:
    chunk = passage("port 8080", path=f"docs/{stem}.md")
    assert embedded_text(chunk) == "port 8080"
    assert stem in indexed_text(chunk)


@pytest.mark.parametrize("stem", ["2025-11-14", "20251114", "health", "decade", "备忘"])
def test_a_name_that_tells_something_is_embedded(stem: str) -> None:
    assert embedded_text(passage("port 8080", path=f"{stem}.md")) == f"{stem}\nport 8080"
