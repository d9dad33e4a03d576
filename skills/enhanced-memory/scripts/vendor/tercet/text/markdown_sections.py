"""Sections of a Markdown file, and which neighbouring ones are read as one.

A section is a heading with what stands below it up to the next heading.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tercet.text.markdown_lines import Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tercet.text.markdown_lines import Outline

_SILENT: Final = frozenset({Kind.BLANK, Kind.RULE, Kind.HEADING})


@dataclass(frozen=True, slots=True)
class Span:
    """Whole lines that belong together; 0-based indices, ``end`` exclusive."""

    start: int
    end: int
    headings: tuple[str, ...]
    has_text: bool
    """False when there are only headings in it."""


@dataclass(frozen=True, slots=True)
class _Section:
    start: int
    end: int
    level: int
    """0 for what stands before the first heading."""
    headings: tuple[str, ...]
    has_text: bool


def spans(outline: Outline, *, max_weight: int, join_below: int) -> list[Span]:
    """Return the spans of a file's body in order; they do not overlap.

    * A section whose whole subtree weighs less than ``join_below`` is one span with it, under its
      own heading path, so siblings are never joined but below their common parent.
    * A section without text lives on in the heading path of what stands below it. When nothing
      with text stands below it, its lines go to the end of the span before, or else to the
      beginning of the next one; a file of headings alone is one span.
    """
    sections = _sections(outline)
    ends = _subtree_ends(sections)
    texts = _running_texts(sections)
    found: list[Span] = []
    index = 0
    while index < len(sections):
        section, until = sections[index], ends[index]
        end = sections[until - 1].end
        has_text = texts[until] > texts[index]
        if not has_text or outline.weight(section.start, end) < join_below:
            _add(found, Span(section.start, end, section.headings, has_text), outline, max_weight)
            index = until
            continue
        if section.has_text:
            _add(found, Span(section.start, section.end, section.headings, has_text=True), outline, max_weight)
        index += 1
    return found


def _add(found: list[Span], span: Span, outline: Outline, max_weight: int) -> None:
    """Append a span; one without text is joined to its neighbour where both fit in one chunk."""
    if found and not (span.has_text and found[-1].has_text):
        before = found[-1]
        touches = before.end == span.start
        if touches and outline.weight(before.start, span.end) <= max_weight:
            named = before if before.has_text or not span.has_text else span
            found[-1] = Span(before.start, span.end, named.headings, before.has_text or span.has_text)
            return
    found.append(span)


def _sections(outline: Outline) -> list[_Section]:
    found: list[_Section] = []
    path: list[tuple[int, str]] = []
    heads = outline.headings
    first = heads[0].first if heads else len(outline.lines)
    if _has_text(outline, outline.body, first):
        found.append(_Section(outline.body, first, 0, (), has_text=True))
    for position, heading in enumerate(heads):
        end = heads[position + 1].first if position + 1 < len(heads) else len(outline.lines)
        while path and path[-1][0] >= heading.level:
            path.pop()
        path.append((heading.level, heading.title))
        titles = tuple(title for _, title in path if title)
        has_text = _has_text(outline, heading.last + 1, end)
        found.append(_Section(heading.first, end, heading.level, titles, has_text))
    return found


def _has_text(outline: Outline, start: int, end: int) -> bool:
    return any(kind not in _SILENT for kind in outline.kinds[start:end])


def _subtree_ends(sections: Sequence[_Section]) -> list[int]:
    """Return for each section the index behind its last deeper one."""
    ends = [len(sections)] * len(sections)
    above: list[int] = []
    for index, section in enumerate(sections):
        while above and sections[above[-1]].level >= section.level:
            ends[above.pop()] = index
        above.append(index)
    return ends


def _running_texts(sections: Sequence[_Section]) -> list[int]:
    """Return how many sections with text stand before each index."""
    counts = [0]
    for section in sections:
        counts.append(counts[-1] + section.has_text)
    return counts
