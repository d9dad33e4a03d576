"""Terms as the text index holds them: with a mark of their scope, so that a search meets its own scopes alone."""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MOST_COUNTED = 64
"""Occurrences of one term that are told apart; at 64 the term's part of BM25 is 98 % of what it can be."""

_PLACES = [":" + ",".join(map(str, range(1, count + 1))) for count in range(MOST_COUNTED + 1)]
_MARK_BYTES = 3
_LONGEST_TERM = 500
"""In characters: the index holds lexemes of up to 2046 bytes; longer terms stand there by their digest."""
_MOST_BYTES = 800_000
"""The server holds a passage's lexemes in at most 1 MB."""


def scope_mark(tenant: str, agent: str, anchor: str) -> str:
    """Return four characters that stand before every lexeme of a scope.

    Two scopes may share one: who searches checks the scope of what is found.
    """
    digest = hashlib.sha256(f"{tenant}\x00{agent}\x00{anchor}".encode()).digest()
    return base64.urlsafe_b64encode(digest[:_MARK_BYTES]).decode()


def to_tsvector(terms: Sequence[str], mark: str) -> str:
    """Return a ``tsvector`` literal that holds each term as often as it stands in the passage.

    Of a passage with more different terms than the server can hold, the first are found.
    """
    parts: list[str] = []
    size = 0
    for term, count in Counter(terms).items():
        part = _quoted(_lexeme(term, mark)) + _PLACES[min(count, MOST_COUNTED)]
        # Of a character at most four bytes, of a place two.
        size += 4 * len(part)
        if size > _MOST_BYTES:
            break
        parts.append(part)
    return " ".join(parts)


def to_tsquery(terms: Iterable[str], marks: Iterable[str]) -> str:
    """Return a ``tsquery`` literal that any of the terms meets, in any of the scopes."""
    marks = list(marks)
    return " | ".join(_quoted(_lexeme(term, mark)) for term in terms for mark in marks)


def _lexeme(term: str, mark: str) -> str:
    if len(term) > _LONGEST_TERM:
        term = "#" + hashlib.sha256(term.encode()).hexdigest()
    return mark + term


def _quoted(lexeme: str) -> str:
    return "'" + lexeme.replace("\\", "\\\\").replace("'", "''") + "'"
