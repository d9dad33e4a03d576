"""Pure: the part of a note that speaks to a query, and its lines."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from tercet.text.lines import split_lines, without_line_end
from tercet.text.markdown import chunk_markdown
from tercet.text.terms import terms

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tercet.text.markdown import ContextualChunk

MAX_SNIPPET_CHARS: Final = 700
"""As long as the snippets of the other layers."""

Held = frozenset[str]


@dataclass(frozen=True, slots=True)
class Section:
    """Whole lines of a note; with an empty text where the note has none."""

    text: str
    start_line: int
    end_line: int
    found: Held
    """Terms of the query in it, or in the headings above it."""
    lines: tuple[str, ...] = ()
    """Those of the text, with their own line ends."""
    held: tuple[Held, ...] = ()
    """Terms of the query in each of the lines."""


def best_section(text: str, worth: Mapping[str, float], body_line: int) -> Section:
    """Return the section of a file that holds the most of what is sought; of equal ones the first.

    Front matter is part of it only where a term of the query stands nowhere else.

    Args:
        text: The whole file.
        worth: What each term of the query counts, > 0.
        body_line: 1-based line behind the front matter.
    """
    wanted = frozenset(worth)
    lines = split_lines(text)
    held = [wanted.intersection(terms(line)) for line in lines]
    best, most = Section("", 1, 1, Held()), -1.0
    for contextual in chunk_markdown(text):
        section = _section(contextual, lines, held, wanted)
        value = sum(worth[term] for term in section.found)
        if value > most:
            best, most = section, value
    return _behind_front_matter(best, body_line)


def _section(contextual: ContextualChunk, lines: Sequence[str], held: Sequence[Held], wanted: Held) -> Section:
    chunk = contextual.chunk
    span = slice(chunk.start_line - 1, chunk.end_line)
    own_lines, own_held = tuple(lines[span]), tuple(held[span])
    if len(own_lines) == 1 and len(chunk.text) < len(without_line_end(own_lines[0])):
        # A piece of a line too long for one chunk.
        own_lines, own_held = (chunk.text,), (wanted.intersection(terms(chunk.text)),)
    above = wanted.intersection(term for told in (*chunk.headings, contextual.context) for term in terms(told))
    return Section(chunk.text, chunk.start_line, chunk.end_line, above.union(*own_held), own_lines, own_held)


def _behind_front_matter(section: Section, body_line: int) -> Section:
    """Return the section from the first written line of the body on, where nothing found is lost by it."""
    skip = max(0, body_line - section.start_line)
    while skip < len(section.lines) and not section.lines[skip].strip():
        skip += 1
    lines, held = section.lines[skip:], section.held[skip:]
    if not skip or not lines or not Held().union(*section.held) <= Held().union(*held):
        return section
    text = without_line_end("".join(lines))
    return replace(section, text=text, start_line=section.start_line + skip, lines=lines, held=held)


def best_lines(section: Section, worth: Mapping[str, float], *, max_chars: int = MAX_SNIPPET_CHARS) -> str:
    """Return neighbouring lines of at most ``max_chars`` that hold the most of what is sought.

    A section that fits is returned whole; a single line that is too long is cut.
    """
    if len(section.text) <= max_chars:
        return section.text
    best, most = (0, 1), -1.0
    for start in range(len(section.lines)):
        end = _end_within(section.lines, start, max_chars)
        value = sum(worth[term] for term in Held().union(*section.held[start:end]))
        if value > most:
            best, most = (start, end), value
    return "".join(section.lines[slice(*best)])[:max_chars].rstrip("\r\n")


def _end_within(lines: Sequence[str], start: int, max_chars: int) -> int:
    """Return the end of the longest run of lines from ``start`` that fits, at least one line."""
    length, end = len(lines[start]), start + 1
    while end < len(lines) and length + len(lines[end]) <= max_chars:
        length += len(lines[end])
        end += 1
    return end
