"""Markdown to chunks: spans of whole lines that one search hit points at."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tercet.errors import InvalidInputError
from tercet.model import Chunk
from tercet.text.lines import without_line_end
from tercet.text.markdown_cuts import Piece, cut
from tercet.text.markdown_lines import Kind, outline
from tercet.text.markdown_sections import Span, spans
from tercet.text.weights import HEAVY_WEIGHT, cut_by_weight, prefix_within, weighted_length

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tercet.text.markdown_lines import Outline

MAX_WEIGHT: Final = 1600
JOIN_BELOW: Final = 800
OVERLAP_WEIGHT: Final = 160

MAX_CONTEXT_WEIGHT: Final = 400
"""A longer header row is cut; it stands beside every chunk of its table."""


@dataclass(frozen=True, slots=True)
class ContextualChunk:
    """A chunk and what a reader of the file would still have in mind there."""

    chunk: Chunk
    context: str = ""
    """The header row of the table that the chunk continues; empty otherwise.

    It belongs in the indexed and the embedded text, not in what a reader gets.
    """


def chunk_markdown(
    text: str,
    *,
    max_weight: int = MAX_WEIGHT,
    join_below: int = JOIN_BELOW,
    overlap_weight: int = OVERLAP_WEIGHT,
) -> list[ContextualChunk]:
    """Cut a Markdown file into chunks, in the order of their first lines.

    A chunk holds lines of one section, or of one small section with everything below it. Its text
    is those lines of the file byte for byte; only a single line that is longer than the cap
    becomes several chunks with the same line number. Front matter goes with the first text where
    both fit. A heading without text gives no chunk of its own. The same text gives the same chunks.

    Args:
        text: The decoded file; line ends and byte order mark as found.
        max_weight: Cap on the weighted length of a chunk's text, >= 4 (``weights.py``).
        join_below: A section and all its subsections that together weigh less are one chunk;
            0 joins nothing. Default: RANKING.md 1b, measured on three development folders.
        overlap_weight: How much of the end of one piece of a long section the next may repeat.

    Raises:
        InvalidInputError: ``max_weight`` cannot hold one CJK character.
    """
    if max_weight < HEAVY_WEIGHT:
        msg = f"Chunks of weight {max_weight} cannot hold every character: set at least {HEAVY_WEIGHT}."
        raise InvalidInputError(msg)
    plan = outline(text)
    found = spans(plan, max_weight=max_weight, join_below=min(join_below, max_weight))
    found = _with_front_matter(plan, found, max_weight)
    chunks: list[ContextualChunk] = []
    for span in found:
        for piece in cut(plan, span, max_weight=max_weight, overlap_weight=overlap_weight):
            chunks.extend(_chunks_of(plan, span, piece, max_weight))
    return chunks


def _with_front_matter(plan: Outline, found: list[Span], max_weight: int) -> list[Span]:
    """Return the spans with the front matter in the first one where it fits, else before it."""
    if not any(line.strip() for line in plan.lines[1 : max(plan.body - 1, 1)]):
        return found
    if found and plan.weight(0, found[0].end) <= max_weight:
        first = found[0]
        return [Span(0, first.end, first.headings, has_text=True), *found[1:]]
    return [Span(0, plan.body, (), has_text=True), *found]


def _chunks_of(plan: Outline, span: Span, piece: Piece, max_weight: int) -> Iterator[ContextualChunk]:
    text = without_line_end("".join(plan.lines[piece.start : piece.end]))
    context = _table_header(plan, piece.start)
    texts = [text]
    if piece.end - piece.start == 1 and weighted_length(text) > max_weight:
        texts = cut_by_weight(text, max_weight)
    for part in texts:
        if part.strip():
            yield ContextualChunk(Chunk(part, piece.start + 1, piece.end, span.headings), context)


def _table_header(plan: Outline, line: int) -> str:
    """Return the header row of the table that ``line`` is a later row of, else an empty text."""
    if plan.kinds[line] != Kind.TABLE:
        return ""
    position = bisect_right(plan.tables, line, key=lambda table: table.body) - 1
    if position < 0 or line >= plan.tables[position].end:
        return ""
    header = plan.lines[plan.tables[position].header].strip()
    return header[: prefix_within(header, MAX_CONTEXT_WEIGHT)]
