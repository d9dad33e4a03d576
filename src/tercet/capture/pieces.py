"""Long texts in pieces that are each embedded whole: never cut off, never averaged away (L21)."""

from __future__ import annotations

import re
from typing import Final

from tercet.text.weights import cut_by_weight, weighted_length

MOST_WEIGHT: Final = 1600
"""Weighted characters of one entry, as of one chunk."""
_BORDERS: Final = (
    re.compile(r"(?<=\n)(?=\s*\n)|(?<=\n\n)"),
    re.compile(r"(?<=\n)"),
    re.compile(r"(?<=[.!?]\s)|(?<=[。！？；])"),
)


def in_pieces(text: str, most_weight: int = MOST_WEIGHT) -> list[str]:
    """Return the text in pieces at the ends of paragraphs, lines or sentences, without outer white space.

    Every word is in exactly one piece. A sentence longer than a piece is cut where it may be.
    """
    return [piece.strip() for piece in _split(text, most_weight, _BORDERS) if piece.strip()]


def _split(text: str, most_weight: int, borders: tuple[re.Pattern[str], ...]) -> list[str]:
    if weighted_length(text) <= most_weight:
        return [text]
    if not borders:
        return cut_by_weight(text, most_weight)
    parts: list[str] = []
    for part in borders[0].split(text):
        parts.extend(_split(part, most_weight, borders[1:]))
    joined: list[str] = []
    for part in parts:
        if joined and weighted_length(joined[-1]) + weighted_length(part) <= most_weight:
            joined[-1] += part
        else:
            joined.append(part)
    return joined
