"""Pure: the part of a passage that a result list shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tercet.text.terms import terms

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
    lines = text.splitlines(keepends=True)
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
