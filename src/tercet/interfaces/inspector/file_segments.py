"""Pure: a file's lines, each once and in order, parted where its chunks begin and end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tercet.text.lines import split_lines, without_line_end

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tercet.browsing import ChunkSpan

MOST_CHARS: Final = 120_000
"""Of one page: a longer file is shown in parts."""
LONGEST_LINE: Final = 20_000
"""Characters of one line that are shown."""


@dataclass(frozen=True, slots=True)
class Segment:
    """Lines that belong to one chunk, or to none."""

    start: int
    """1-based."""
    lines: tuple[str, ...]
    """Without their ends; none when the chunks before have them all."""
    chunk: ChunkSpan | None = None
    number: int = 0
    """Of the chunk in its file, from 1; 0 for none."""

    @property
    def end(self) -> int:
        """The last line; the one before ``start`` when there is none."""
        return self.start + len(self.lines) - 1

    @property
    def is_blank(self) -> bool:
        """Whether there is nothing to read in it."""
        return not any(line.strip() for line in self.lines)

    @property
    def repeated(self) -> int:
        """How many lines of the chunk stand in the segments before, which it shares them with."""
        return 0 if self.chunk is None else max(0, min(self.start - 1, self.chunk.end_line) - self.chunk.start_line + 1)


def segments(text: str, chunks: Sequence[ChunkSpan]) -> list[Segment]:
    """Return all lines of a file; what two chunks share stands with the first of them."""
    lines = [_shown(line) for line in split_lines(text)]
    found: list[Segment] = []
    shown = 0
    for number, chunk in enumerate(chunks, start=1):
        if chunk.start_line > shown + 1:
            found.append(Segment(shown + 1, tuple(lines[shown : chunk.start_line - 1])))
            shown = chunk.start_line - 1
        found.append(Segment(shown + 1, tuple(lines[shown : chunk.end_line]), chunk, number))
        shown = max(shown, chunk.end_line)
    if shown < len(lines):
        found.append(Segment(shown + 1, tuple(lines[shown:])))
    return found


def parts(found: Sequence[Segment], most_chars: int = MOST_CHARS) -> list[list[Segment]]:
    """Return the segments as pages of about so many characters, at least one page; none is cut in two."""
    pages: list[list[Segment]] = [[]]
    size = 0
    for segment in found:
        length = sum(map(len, segment.lines)) + len(segment.lines)
        if pages[-1] and size + length > most_chars:
            pages.append([])
            size = 0
        pages[-1].append(segment)
        size += length
    return pages


def part_with(line: int, pages: Sequence[Sequence[Segment]]) -> int:
    """Return the number of the page, from 1, that holds a line; the last for a line behind the end."""
    return next((at for at, page in enumerate(pages, start=1) if page and page[-1].end >= line), len(pages))


def touched(found: Sequence[Segment], start: int, end: int) -> Iterator[int]:
    """Yield the numbers of the chunks that hold any of these lines."""
    for segment in found:
        if segment.chunk is not None and segment.chunk.start_line <= end and segment.chunk.end_line >= start:
            yield segment.number


def _shown(line: str) -> str:
    bare = without_line_end(line)
    if len(bare) <= LONGEST_LINE:
        return bare
    return f"{bare[:LONGEST_LINE]} … and {len(bare) - LONGEST_LINE} more characters"
