"""Pure: the part of a note that speaks to a query, and its lines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tercet.text.lines import split_lines
from tercet.text.markdown import chunk_markdown
from tercet.text.terms import terms

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_SNIPPET_CHARS: Final = 700
"""As long as the snippets of the other layers."""


@dataclass(frozen=True, slots=True)
class Section:
    """Whole lines of a note; with an empty text where the note has none."""

    text: str
    start_line: int
    end_line: int
    found: frozenset[str]
    """Terms of the query in it, or in the headings above it."""


def best_section(text: str, worth: Mapping[str, float], body_line: int) -> Section:
    """Return the section of a file that holds the most of what is sought; of equal ones the first.

    Front matter is part of it only where a term of the query stands nowhere else.

    Args:
        text: The whole file.
        worth: What each term of the query counts, > 0.
        body_line: 1-based line behind the front matter.
    """
    wanted = worth.keys()
    best, most = Section("", 1, 1, frozenset()), -1.0
    for contextual in chunk_markdown(text):
        chunk = contextual.chunk
        told = "\n".join((*chunk.headings, contextual.context, chunk.text))
        found = frozenset(wanted & set(terms(told)))
        value = sum(worth[term] for term in found)
        if value > most:
            best, most = Section(chunk.text, chunk.start_line, chunk.end_line, found), value
    return _without_front_matter(best, body_line)


def _without_front_matter(section: Section, body_line: int) -> Section:
    lines = split_lines(section.text)[max(0, body_line - section.start_line) :]
    while lines and not lines[0].strip():
        del lines[0]
    body = "".join(lines)
    if not body or not section.found <= set(terms(body)):
        return section
    return Section(body, section.end_line - len(lines) + 1, section.end_line, section.found)


def best_lines(section: Section, worth: Mapping[str, float], *, max_chars: int = MAX_SNIPPET_CHARS) -> str:
    """Return neighbouring lines of at most ``max_chars`` that hold the most of what is sought.

    A section that fits is returned whole; a single line that is too long is cut.
    """
    if len(section.text) <= max_chars:
        return section.text
    lines = split_lines(section.text)
    held = [section.found.intersection(terms(line)) for line in lines]
    best, most = (0, 1), -1.0
    for start in range(len(lines)):
        end = _end_within(lines, start, max_chars)
        value = sum(worth[term] for term in frozenset[str]().union(*held[start:end]))
        if value > most:
            best, most = (start, end), value
    return "".join(lines[slice(*best)])[:max_chars].rstrip("\r\n")


def _end_within(lines: list[str], start: int, max_chars: int) -> int:
    """Return the end of the longest run of lines from ``start`` that fits, at least one line."""
    length, end = len(lines[start]), start + 1
    while end < len(lines) and length + len(lines[end]) <= max_chars:
        length += len(lines[end])
        end += 1
    return end
