"""File names for titles: safe on every system and in Obsidian, readable, distinct."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from typing import TYPE_CHECKING, Final

from tercet.text.notes.links import comparable

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_CHARACTERS: Final = 100
MAX_BYTES: Final = 200
"""Of UTF-8: file systems stop at 255, and a suffix, ``.md`` and a temporary's name must fit."""

_HASH_LENGTH: Final = 8
_COLON: Final = re.compile(r"\s*[:|]\s+")
_PARTING: Final = re.compile(r"[\\/:|]+")
_FORBIDDEN: Final = re.compile(r"""[*?"<>#^\[\]]""")
_DOTS: Final = re.compile(r"\.{2,}")
_JOINERS: Final = frozenset("\u200c\u200d")
"""Persian words and emoji sequences need them; every other format character is invisible trouble."""
_DROPPED: Final = frozenset({"Cc", "Cf", "Cs", "Cn", "Co"})
_SPACES: Final = frozenset({"Zs", "Zl", "Zp"})
_TELLING: Final = ("L", "N", "So")
_RESERVED: Final = re.compile(
    r"(?:con|prn|aux|nul|clock\$|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³]|index)(?=\.|$)", re.IGNORECASE
)


def file_stem(title: str) -> str:
    """Return a file name without ``.md`` for a note's title.

    Letters, digits and emoji of every script stay. Characters that Windows, macOS or Obsidian forbid
    become a dash or a space; a name that a system reserves (``CON``, ``index``) gets ``note`` in
    front; a title of no letter, digit or emoji becomes ``note-`` and a hash of it. At most 100
    characters and 200 bytes of UTF-8; what is cut ends in a hash of the whole title, so that two
    long titles differ.
    """
    stem = _trimmed(_replaced(_printable(title)))
    if not any(unicodedata.category(character).startswith(_TELLING) for character in stem):
        return f"note-{_hash(title)}"
    if _RESERVED.match(stem):
        stem = f"note {stem}"
    return stem if _fits(stem) else _cut(stem, f"-{_hash(title)}")


def distinct(stem: str, taken: Callable[[str], bool]) -> str:
    """Return the stem, or the first of ``stem 2``, ``stem 3``, ... that is free.

    Args:
        stem: Of ``file_stem``.
        taken: Asked with each name as written and with its ``comparable`` form (NFC, case-folded), so
            that a set of comparable names makes names distinct on every file system.
    """
    number, candidate = 1, stem
    while taken(candidate) or taken(comparable(candidate)):
        number += 1
        end = f" {number}"
        candidate = stem + end if _fits(stem + end) else _cut(stem, end)
    return candidate


def _printable(title: str) -> str:
    """Return the title in NFC without control and format characters, white space folded."""
    kept: list[str] = []
    for character in unicodedata.normalize("NFC", title):
        category = unicodedata.category(character)
        if category in _SPACES or character in "\t\n\r\v\f\x85":
            kept.append(" ")
        elif category not in _DROPPED or character in _JOINERS:
            kept.append(character)
    return " ".join("".join(kept).split())


def _replaced(text: str) -> str:
    text = _COLON.sub(" - ", text)
    text = _FORBIDDEN.sub(" ", _PARTING.sub("-", text))
    return unicodedata.normalize("NFC", " ".join(_DOTS.sub(".", text).split()))


def _trimmed(stem: str) -> str:
    """Take away what must not begin or end a name: dots, spaces, dashes in front, lone joiners."""
    return stem.strip(". \u200c\u200d").lstrip("-~ .\u200c\u200d").rstrip(". \u200c\u200d")


def _fits(stem: str) -> bool:
    return len(stem) <= MAX_CHARACTERS and len(stem.encode()) <= MAX_BYTES


def _cut(stem: str, end: str) -> str:
    """Shorten a stem so that it fits with its end, between characters as people see them."""
    kept = stem[: MAX_CHARACTERS - len(end)]
    kept = kept.encode()[: MAX_BYTES - len(end.encode())].decode(errors="ignore")
    if len(kept) < len(stem):
        at = len(kept)
        while at and (unicodedata.combining(stem[at]) or stem[at] in _JOINERS or stem[at - 1] in _JOINERS):
            at -= 1
        kept = kept[:at] or kept
    return _trimmed(kept) + end


def _hash(title: str) -> str:
    normal = unicodedata.normalize("NFC", title)
    return hashlib.sha256(normal.encode("utf-8", "surrogatepass")).hexdigest()[:_HASH_LENGTH]
