"""Weighted length: how much a model has to read, told from the script alone.

A CJK character, kana, hangul syllable, emoji or full-width form costs an embedder about as much
as four Latin letters, so such characters weigh 4 and all others 1.
"""

from __future__ import annotations

import re
from typing import Final

HEAVY_WEIGHT: Final = 4
"""Weight of one CJK, kana, hangul, emoji or full-width character."""

_HEAVY_RANGES: Final = (
    "\u1100-\u11ff"  # hangul jamo
    "\u231a\u231b\u23e9-\u23fa\u2600-\u27bf\u2b05-\u2b55"  # emoji among the symbols
    "\u2e80-\ua4cf\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\ufe30-\ufe4f"  # CJK, kana, hangul
    "\uff00-\uffef"  # full-width and half-width forms
    "\U0001f000-\U0001faff\U00020000-\U0003ffff"  # emoji, rarer ideographs
)
_HEAVY_RUN: Final = re.compile(f"[{_HEAVY_RANGES}]+")

# Where a line too long for one piece is cut rather than in the middle of a word or a sentence.
_SOFT_END: Final = re.compile(r"[\s,;|，。、；！？]")


def weighted_length(text: str) -> int:
    """Return the weighted length of ``text``, >= its number of code points."""
    length = len(text)
    if text.isascii():
        return length
    return length + (HEAVY_WEIGHT - 1) * (length - len(_HEAVY_RUN.sub("", text)))


def prefix_within(text: str, max_weight: int, start: int = 0) -> int:
    """Return the greatest ``end`` such that ``text[start:end]`` weighs at most ``max_weight``."""
    end = start
    budget = max_weight
    while end < len(text) and budget > 0:
        # A quarter of the budget fits whatever it holds, so every character is weighed once.
        step = max(1, budget // HEAVY_WEIGHT)
        weight = weighted_length(text[end : end + step])
        if weight > budget:
            break
        end = min(len(text), end + step)
        budget -= weight
    return end


def cut_by_weight(text: str, max_weight: int) -> list[str]:
    """Cut ``text`` into pieces of at most ``max_weight``; joined they are ``text`` again.

    A piece ends after white space or punctuation where its last quarter has any, otherwise
    between two code points.

    Args:
        text: Anything; an empty text gives no piece.
        max_weight: >= 4, so that any character fits.
    """
    pieces: list[str] = []
    start = 0
    while start < len(text):
        end = prefix_within(text, max_weight, start)
        if end < len(text):
            end = _soft_end(text, start, end)
        pieces.append(text[start:end])
        start = end
    return pieces


def _soft_end(text: str, start: int, end: int) -> int:
    """Return the place after the last soft end in the last quarter of the piece, else ``end``."""
    floor = end - (end - start) // 4
    for match in reversed(list(_SOFT_END.finditer(text, floor, end))):
        return match.end()
    return end
