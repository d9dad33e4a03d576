"""Pure: the part of a passage that a result list shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tercet.text.lines import split_lines
from tercet.text.terms import query_terms, terms

if TYPE_CHECKING:
    from collections.abc import Collection

MAX_SNIPPET_CHARS = 700
"""As long as the snippets of OpenClaw's own memory search."""


def snippet(text: str, query_terms: Collection[str], *, max_chars: int = MAX_SNIPPET_CHARS) -> str:
    """Return whole lines of at most ``max_chars`` characters that hold the most query terms.

    A text that fits is returned whole. Of equal windows the first wins; a single line that is too
    long is cut.
    """
    if len(text) <= max_chars:
        return text
    lines = split_lines(text)
    wanted = frozenset(query_terms)
    held = [wanted.intersection(terms(line)) for line in lines]
    best_start, best_count = 0, -1
    for start in range(len(lines)):
        length, found = 0, set[str]()
        for line, here in zip(lines[start:], held[start:], strict=True):
            length += len(line)
            if length > max_chars:
                break
            found |= here
        if len(found) > best_count:
            best_start, best_count = start, len(found)
    window: list[str] = []
    length = 0
    for line in lines[best_start:]:
        if window and length + len(line) > max_chars:
            break
        window.append(line)
        length += len(line)
    return "".join(window)[:max_chars].rstrip("\r\n")


def best_lines(text: str, query: str, at_most: int) -> list[str]:
    """Return at most ``at_most`` neighbouring lines, without their ends, that hold the most words of a query.

    Of windows with equally many distinct terms, the one wins whose best line holds more, then the
    one whose lines together hold more, then the first. Empty lines at either end are left out.
    """
    lines = [line.rstrip("\r\n") for line in split_lines(text)]
    wanted = frozenset(query_terms(query))
    held = [wanted.intersection(terms(line)) for line in lines]

    def worth(start: int) -> tuple[int, int, int]:
        counts = [len(here) for here in held[start : start + at_most]]
        return len(frozenset[str]().union(*held[start : start + at_most])), max(counts), sum(counts)

    starts = range(max(1, len(lines) - at_most + 1)) if lines else range(0)
    start = max(starts, key=worth, default=0)
    window = lines[start : start + at_most]
    while window and not window[0].strip():
        del window[0]
    while window and not window[-1].strip():
        del window[-1]
    return window
