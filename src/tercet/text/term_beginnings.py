"""Whether a short text can hold one of some terms at all, told without reading its words.

A path or heading is read in full by ``terms``, some ten microseconds each; most of those that a query
meets hold none of its terms, and that shows at their letters.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

_OTHER_STEMS: Final = frozenset({"die", "lie", "tie"})
"""Snowball stems of words that begin otherwise: dying, lying, tying."""
_UNWRITTEN: Final = str.maketrans("", "", ".'")
"""What stands between the letters of ``u.s.a`` and ``don't`` and is no part of their terms."""


def beginnings(terms: Sequence[str]) -> tuple[str, ...]:
    """Return what a plain ASCII text must hold one of to have one of the terms; for ``may_hold``."""
    return tuple(dict.fromkeys(_beginning(term) for term in terms if term.isascii()))


def may_hold(text: str, wanted: Sequence[str]) -> bool:
    """Say whether a text may have one of the terms; True whenever that cannot be told at a glance."""
    if not text.isascii():
        return True
    letters = text.lower().translate(_UNWRITTEN)
    return any(beginning in letters for beginning in wanted)


def _beginning(term: str) -> str:
    """Return the letters with which a term begins wherever it is written: a stem changes only the end of a word."""
    if term.isalpha():
        return term[:1] if term in _OTHER_STEMS else term[:2]
    return next((sign for sign in term if sign.isalnum()), "")
