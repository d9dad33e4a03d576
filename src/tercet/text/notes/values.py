"""What people write behind the keys of a note's front matter, read as what it is meant to be."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime, time
from typing import TYPE_CHECKING, Final, cast

from tercet.model.notes import Claim

if TYPE_CHECKING:
    from collections.abc import Iterator

_COMMA: Final = re.compile(r"[,，]")
_COMMA_AND_SPACE: Final = re.compile(r",\s+|，\s*")
_COMMA_OR_SPACE: Final = re.compile(r"[,，\s]+")
_WIKILINK: Final = re.compile(r"!?\[\[([^\[\]|#]*+)[^\[\]]*+\]\]")


class Unreadable(Exception):  # noqa: N818 - no error of the program's: it becomes a note's problem
    """A value is not what its key is for; the text says what it should be."""


def text_of(value: object) -> str:
    """Return one value as text, white space folded; of a list its first; a ``[[link]]`` as its target.

    Raises:
        Unreadable: it is a mapping.
    """
    if isinstance(value, Mapping):
        msg = "text belongs here, not 'key: value' lines"
        raise Unreadable(msg)
    for one in _flat(value):
        return _plain(one)
    return ""


def names_of(value: object) -> tuple[str, ...]:
    """Return aliases: a list, or text parted by commas."""
    return tuple(_parted(value, _COMMA))


def tags_of(value: object) -> tuple[str, ...]:
    """Return tags without ``#``: a list, or text parted by commas or spaces."""
    return tuple(tag for tag in (name.strip("#/") for name in _parted(value, _COMMA_OR_SPACE)) if tag)


def sources_of(value: object) -> tuple[str, ...]:
    """Return sources: a list, or text parted by a comma and a space (addresses hold commas)."""
    return tuple(_parted(value, _COMMA_AND_SPACE))


def time_of(value: object) -> datetime | None:
    """Return a date or time as an aware time, UTC where it names no zone; None for nothing.

    Raises:
        Unreadable: it is no date or time.
    """
    if value is None or value == "":
        return None
    if isinstance(value, datetime):
        return value if value.tzinfo else value.replace(tzinfo=UTC)
    if isinstance(value, date):
        return datetime.combine(value, time(), UTC)
    try:
        return time_of(datetime.fromisoformat(_plain(value))) if isinstance(value, str) else _no_time(value)
    except ValueError:
        return _no_time(value)


def claims_of(value: object) -> tuple[tuple[Claim, ...], tuple[str, ...]]:
    """Return the claims of a list and what is wrong with those that are none."""
    if value is None:
        return (), ()
    if not isinstance(value, list):
        return (), ("claims is no list of {id, text, status, confidence}",)
    claims: list[Claim] = []
    faults: list[str] = []
    for number, item in enumerate(cast("list[object]", value), 1):  # reason: YAML is untyped
        claim, fault = _claim(item)
        if claim is not None:
            claims.append(claim)
        if fault:
            faults.append(f"claim {number}: {fault}")
    return tuple(claims), tuple(faults)


def _claim(item: object) -> tuple[Claim | None, str]:
    if isinstance(item, str) and item.strip():
        return Claim("", _plain(item)), ""
    if not isinstance(item, Mapping):
        return None, "no text"
    given = cast("Mapping[object, object]", item)  # reason: YAML is untyped
    try:
        claim_id, text, status = (text_of(given.get(key)) for key in ("id", "text", "status"))
    except Unreadable as unreadable:
        return None, str(unreadable)
    if not text:
        return None, "no text"
    confidence = _confidence(given.get("confidence"))
    wrong = confidence is None and given.get("confidence") is not None
    return Claim(claim_id, text, status, confidence), "confidence is no number from 0 to 1" if wrong else ""


def _confidence(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except ValueError:
        return None
    return number if 0 <= number <= 1 else None


def _no_time(value: object) -> datetime:
    msg = f"{_plain(value)[:40]!r} is no date: write 2026-01-31 or 2026-01-31T12:00:00Z"
    raise Unreadable(msg)


def _parted(value: object, separator: re.Pattern[str]) -> Iterator[str]:
    """Give each distinct text of a list, or the parts of one text.

    Raises:
        Unreadable: it is a mapping.
    """
    if isinstance(value, Mapping):
        msg = "a list belongs here, not 'key: value' lines"
        raise Unreadable(msg)
    texts = separator.split(value) if isinstance(value, str) else map(_plain, _flat(value))
    yield from dict.fromkeys(text for text in map(_plain, texts) if text)


def _flat(value: object) -> Iterator[object]:
    """Give the scalars of nested lists: an unquoted ``[[link]]`` is a list in a list to YAML."""
    if isinstance(value, list | tuple | set):
        for item in cast("list[object]", value):  # reason: YAML is untyped
            yield from _flat(item)
    elif value is not None and not isinstance(value, Mapping):
        yield value


def _plain(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, date):
        return value.isoformat()
    return _WIKILINK.sub(lambda link: link[1], " ".join(str(value).split())).strip()
