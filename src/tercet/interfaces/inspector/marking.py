"""Pure: which pieces of a text hold words of a query."""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING, Final, NamedTuple

from tercet.text.scripts import CJK_LETTERS
from tercet.text.terms import query_terms, terms

if TYPE_CHECKING:
    from collections.abc import Iterator
    from collections.abc import Set as AbstractSet

_WORDS: Final = re.compile(f"[{CJK_LETTERS}]+|[^\\W_{CJK_LETTERS}]+")
_CJK: Final = re.compile(f"[{CJK_LETTERS}]")


class Piece(NamedTuple):
    """A piece of a text as it stands there."""

    text: str
    is_sought: bool


def marked(text: str, query: str) -> list[Piece]:
    """Return the text in pieces, which joined are the text again.

    Words match as they do in a search: by their stems, and Chinese, Japanese and Korean by pairs of
    characters. Common words of the query are not sought.
    """
    wanted = frozenset(query_terms(query))
    flags = bytearray(len(text))
    for start, end in _sought_spans(text, wanted):
        flags[start:end] = b"\x01" * (end - start)
    pieces: list[Piece] = []
    for is_sought, places in groupby(range(len(text)), key=flags.__getitem__):
        run = list(places)
        pieces.append(Piece(text[run[0] : run[-1] + 1], bool(is_sought)))
    return pieces


def _sought_spans(text: str, wanted: AbstractSet[str]) -> Iterator[tuple[int, int]]:
    for word in _WORDS.finditer(text):
        if not _CJK.match(word[0]):
            if not wanted.isdisjoint(terms(word[0])):
                yield word.span()
            continue
        for at in range(word.start(), word.end()):
            # A single character is sought only where the query is one.
            for length in (1, 2):
                if at + length <= word.end() and not wanted.isdisjoint(terms(text[at : at + length])):
                    yield at, at + length
