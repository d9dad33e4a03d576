"""How long a text is for a model that does not tell, and where to cut it."""

from __future__ import annotations

import unicodedata

WIDE_WEIGHT = 4
"""A CJK character, emoji or full-width sign costs about as many tokens as four Latin letters."""


def weight(text: str) -> int:
    """Return the length in weighted characters; about four make a token of ordinary prose."""
    if text.isascii():
        return len(text)
    return sum(WIDE_WEIGHT if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def cut(text: str, max_weight: int) -> str:
    """Return the longest start of a text that weighs at most ``max_weight``, never empty."""
    if len(text) * WIDE_WEIGHT <= max_weight:
        return text
    if text.isascii():
        return text[: max(1, max_weight)]
    total = 0
    for at, char in enumerate(text):
        total += WIDE_WEIGHT if unicodedata.east_asian_width(char) in "WF" else 1
        if total > max_weight:
            return text[: max(1, at)]
    return text
