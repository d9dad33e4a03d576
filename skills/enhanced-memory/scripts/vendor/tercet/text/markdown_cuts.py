"""Where a span that is too long for one chunk is cut.

Paragraphs stay whole where they fit, then list items, then lines; code is cut last. The next
piece may repeat a few whole lines of the one before.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tercet.text.markdown_lines import Break, Kind

if TYPE_CHECKING:
    from tercet.text.markdown_lines import Outline
    from tercet.text.markdown_sections import Span

_FILLED: Final = 0.35
"""Share of the cap a piece must reach for a paragraph or item to end it while more would fit."""

_NO_TEXT: Final = frozenset({Kind.BLANK, Kind.RULE})
_NO_OVERLAP: Final = frozenset({Kind.CODE, Kind.TABLE, Kind.HEADING, Kind.FRONT_MATTER})


@dataclass(frozen=True, slots=True)
class Piece:
    """Whole lines of one chunk; 0-based indices, ``end`` exclusive, no blank line at either end."""

    start: int
    end: int


def cut(outline: Outline, span: Span, *, max_weight: int, overlap_weight: int) -> list[Piece]:
    """Return the pieces of a span in order.

    Every line of text is in a piece. A piece weighs at most ``max_weight`` unless it is one single
    line. A heading that does not fit with the first line below it is left out.
    """
    cutter = _Cutter(outline, span, max_weight)
    pieces: list[Piece] = []
    start = cutter.first_line(span.start)
    while start < span.end:
        begin, end = start, cutter.end_of_piece(start)
        if pieces:
            earlier = _overlap_start(outline, pieces[-1], start, overlap_weight)
            end_from_there = cutter.end_of_piece(earlier)
            # Repeating some lines must not push a whole paragraph or item over the edge.
            if end_from_there > start and cutter.quality(end_from_there) <= cutter.quality(end):
                begin, end = earlier, end_from_there
        piece = cutter.trimmed(begin, end)
        if piece is not None:
            pieces.append(piece)
        start = cutter.first_line(end)
    return pieces


class _Cutter:
    def __init__(self, outline: Outline, span: Span, max_weight: int) -> None:
        self._outline = outline
        self._end = span.end
        self._max = max_weight
        # In a span of headings alone the headings are what there is to keep.
        self._silent = _NO_TEXT | {Kind.HEADING} if span.has_text else _NO_TEXT

    def first_line(self, index: int) -> int:
        """Return the first line at or behind ``index`` that is not blank or a rule."""
        kinds = self._outline.kinds
        while index < self._end and kinds[index] in _NO_TEXT:
            index += 1
        return index

    def trimmed(self, start: int, end: int) -> Piece | None:
        """Return the piece without blank lines and rules at its end; None when it says nothing."""
        kinds = self._outline.kinds
        while end > start and kinds[end - 1] in _NO_TEXT:
            end -= 1
        if all(kind in self._silent for kind in kinds[start:end]):
            return None
        return Piece(start, end)

    def quality(self, end: int) -> int:
        """Return how well a piece ends there; smaller is better."""
        return Break.PARAGRAPH if end == self._end else max(self._outline.breaks[end], Break.ITEM)

    def end_of_piece(self, start: int) -> int:
        """Return where the piece that begins at ``start`` ends (exclusive), at least one line on."""
        outline = self._outline
        limit = bisect_right(outline.weights, outline.weights[start] + self._max, start + 1, self._end + 1) - 1
        if limit >= self._end:
            return self._end
        if limit <= start:
            return start + 1
        # Behind the blank lines that stand there anyway, a paragraph begins for free.
        limit = self.first_line(limit)
        if limit >= self._end:
            return self._end
        earliest = self._earliest(start, limit)
        return self._best_break(start, earliest, limit)

    def _earliest(self, start: int, limit: int) -> int:
        """Return the first line at which the piece holds more than headings."""
        kinds = self._outline.kinds
        for index in range(start, limit):
            if kinds[index] not in self._silent:
                return index + 1
        return limit

    def _best_break(self, start: int, earliest: int, limit: int) -> int:
        outline = self._outline
        breaks = outline.breaks
        filled = outline.weights[start] + _FILLED * self._max
        latest: dict[int, int] = {}
        for index in range(limit, earliest - 1, -1):
            kind = breaks[index]
            if kind <= Break.ITEM and outline.weights[index] < filled:
                # Short pieces are a last resort before cutting through a paragraph.
                kind += _SHORT
            if kind not in latest:
                latest[kind] = index
                if kind == Break.PARAGRAPH:
                    break
        for kind in _PREFERENCE:
            if kind in latest:
                return latest[kind]
        return limit


_SHORT: Final = 10
_PREFERENCE: Final = (
    Break.PARAGRAPH,
    Break.ITEM,
    Break.PARAGRAPH + _SHORT,
    Break.ITEM + _SHORT,
    Break.LINE,
    Break.CODE_PARAGRAPH,
    Break.CODE_LINE,
)


def _overlap_start(outline: Outline, before: Piece, start: int, overlap_weight: int) -> int:
    """Return where a piece may begin before ``start``, so that it repeats the last lines of ``before``."""
    best, best_break = start, Break.CODE_PARAGRAPH
    index = start - 1
    while index > before.start and outline.weight(index, start) <= overlap_weight:
        kind = outline.kinds[index]
        if kind in _NO_OVERLAP:
            break
        # The furthest whole paragraph or item, else the furthest whole line.
        begins = max(Break(outline.breaks[index]), Break.ITEM)
        if kind not in _NO_TEXT and begins <= best_break and begins < Break.CODE_PARAGRAPH:
            best, best_break = index, begins
        index -= 1
    return best
