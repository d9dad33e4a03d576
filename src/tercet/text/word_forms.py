"""From one written token to its terms: the whole, its parts, and their stems.

``config.toml`` is found as a whole and by ``config``; a query for the whole scores higher on it,
because it carries one more term there.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MAX_TERM_LENGTH: Final = 64
"""Longer terms are cut, in documents and queries alike."""

MAX_PARTS: Final = 24
"""A token of more parts gives only the first ones."""

MAX_TOKEN_LENGTH: Final = 1024
"""Callers cut longer tokens first, so that what is remembered here stays small."""

_JOINTS: Final = re.compile(r"[/\\@:]+")
_CONNECTORS: Final = re.compile(r"[-.&'_]+")
_HUMPS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\WA-Za-z0-9]+")
_CAMEL: Final = re.compile(r"[a-z][A-Z]|[A-Z]{2}[a-z]")
_LETTERS_DIGITS: Final = re.compile(r"([A-Za-z]+)([0-9]+)|([0-9]+)([A-Za-z]+)")
_VERSION: Final = re.compile(r"[vV]([0-9]+(?:\.[0-9]+)+)")
_GROUPED_NUMBER: Final = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?")
_CONTRACTION: Final = re.compile(r"(?i)(.*[a-z])'(s|t|re|ve|ll|d|m)")
_ACRONYM: Final = re.compile(r"(?:[a-z]\.)+[a-z]")


@lru_cache(maxsize=65_536)
def forms(token: str) -> tuple[str, ...]:
    r"""Return the terms of one token, the whole first, without repeats.

    Args:
        token: Letters and digits, perhaps held together by ``_ - . / \ @ : & '`` or led by a dot,
            NFKC, in its own case; no white space, at most ``MAX_TOKEN_LENGTH`` long.
    """
    token = token.replace("’", "'")
    if token.isascii() and token.isalpha() and (token.islower() or token[1:].islower() or token.isupper()):
        return (stem(token.lower()[:MAX_TERM_LENGTH]),)
    if token.isascii() and token.isdigit():
        return (_number(token[:MAX_TERM_LENGTH]),)
    if "," in token and _GROUPED_NUMBER.fullmatch(token):
        return forms(token.replace(",", ""))
    contraction = _CONTRACTION.fullmatch(token) if "'" in token else None
    if contraction:
        base, ending = contraction[1], contraction[2].lower()
        if ending == "s":
            return forms(base)
        return ((base + ending).replace("'", "").casefold()[:MAX_TERM_LENGTH],)
    return tuple(dict.fromkeys(_all_forms(token)))


def stem(word: str) -> str:
    """Return the English Snowball stem of a lower-case word; only pure ASCII letters are stemmed."""
    if word.isascii() and word.isalpha():
        return _stemmer()(word)
    return word


def _all_forms(token: str) -> list[str]:
    """Return the whole, then each segment of a path or address, then the parts of each."""
    found = [_whole(token)]
    segments = [segment for segment in _JOINTS.split(token) if segment]
    if len(segments) > 1:
        found += [_whole(segment) for segment in segments[:MAX_PARTS]]
    parts: list[str] = []
    for segment in segments:
        parts += _parts(segment)
    return found + parts[:MAX_PARTS]


def _whole(token: str) -> str:
    """Return a token as one term: folded; a stem when it is a plain word, as a query would have it."""
    folded = token.casefold()[:MAX_TERM_LENGTH]
    return _number(folded) if folded[:1].isdigit() else stem(folded)


@lru_cache(maxsize=16_384)
def _parts(segment: str) -> tuple[str, ...]:
    """Return the parts of one segment in order, perhaps with repeats; paths share theirs, so it is remembered."""
    found: list[str] = []
    if segment.startswith("."):
        found.append(_whole(segment[1:]))
    version = _VERSION.fullmatch(segment) if segment[0] in "vV" else None
    if version:
        found.append(version[1])
    if "." in segment and _ACRONYM.fullmatch(segment.casefold()):
        found.append(stem(segment.casefold().replace(".", "")[:MAX_TERM_LENGTH]))
    for piece in _CONNECTORS.split(segment):
        found += _piece(piece)
    return tuple(found)


@lru_cache(maxsize=16_384)
def _piece(piece: str) -> tuple[str, ...]:
    """Return what a segment's piece between two connectors gives; nothing for one of signs alone."""
    plain = piece.rstrip("+#")
    if not plain:
        return ()
    return (_whole(piece), *((_whole(plain),) if plain != piece else ()), *_humps(plain))


def _humps(word: str) -> Iterator[str]:
    """Yield the words of ``camelCase`` and the halves of ``gpt4`` and ``500MB``."""
    halves = _LETTERS_DIGITS.fullmatch(word)
    if halves:
        for half in halves.groups():
            if half:
                yield _whole(half)
                if _CAMEL.search(half):
                    yield from _humps(half)
    elif _CAMEL.search(word):
        for hump in _HUMPS.findall(word[: MAX_TERM_LENGTH * 2]):
            if len(hump) > 1:
                yield _whole(hump)


def _number(term: str) -> str:
    """Return two digits without a leading zero: the 05 of a date is the 5 of ``5 May``."""
    if len(term) == 2 and term[0] == "0" and term.isdigit():  # noqa: PLR2004  # reason: said in the docstring
        return term[1]
    return term


@cache
def _stemmer() -> Callable[[str], str]:
    # Made at first use: importing the package loads no extension module.
    import Stemmer  # noqa: PLC0415  # reason: as above

    # Its own cache is off: forms() remembers, and a stemmer without one may be shared by threads.
    return cast("Callable[[str], str]", Stemmer.Stemmer("english", 0).stemWord)  # pyright: ignore[reportUnknownMemberType]  # reason: untyped library
