"""Front matter of the plainest kind, read without a YAML reader: a tenth of the time.

Most notes hold nothing but ``key: text``, lists of texts, dates and whole numbers. Whatever is written
otherwise, or might be, is left to YAML, so that the outcome is always YAML's.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Final

from tercet.text.lines import split_lines

if TYPE_CHECKING:
    from collections.abc import Callable

_KEY: Final = re.compile(r"([^\W\d_][\w-]{0,60}(?: [\w-]{1,60}){0,3}):(?: +(.*))?")
_ITEM: Final = re.compile(r"( *)- +(.*)")
_TEXT: Final = re.compile(r"[^\W\d_](?:[^:#]++|:(?! |$)|(?<! )#)*+")
_FLOW_TEXT: Final = re.compile(r"[^\W\d_][\w ./-]*")
_DOUBLE: Final = re.compile(r'"([^"\\]*)"')
_SINGLE: Final = re.compile(r"'([^']*)'")
_NUMBER: Final = re.compile(r"0|[1-9][0-9]{0,14}")
_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_TIME: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z")
_WORDS: Final = frozenset({"true", "false", "null"})


class _NotPlain(Exception):  # noqa: N818 - no error: YAML reads it
    """Something is written that only YAML can tell."""


def plain_data(raw: str) -> dict[str, object] | None:
    """Return what YAML reads in front matter of the plainest kind, None for any other.

    Args:
        raw: The lines between the fences.
    """
    try:
        return _read(raw)
    except (_NotPlain, ValueError):  # a date that no calendar has
        return None


def _read(raw: str) -> dict[str, object]:
    data: dict[str, object] = {}
    items: list[object] | None = None
    key = indent = ""
    for ended in split_lines(raw):
        line = ended.rstrip("\n").removesuffix("\r").rstrip(" ")
        if not line.isprintable():
            raise _NotPlain
        if not line or line.lstrip(" ").startswith("#"):
            continue
        pair = _KEY.fullmatch(line)
        if pair is not None:
            key, items = _new_key(pair[1], data), None
            data[key] = _value(pair[2].strip(" "), flow=True) if pair[2] else None
            continue
        item = _ITEM.fullmatch(line)
        if item is None or not key or data[key] is not items or (items and item[1] != indent):
            raise _NotPlain
        if items is None:
            items, indent = [], item[1]
            data[key] = items
        items.append(_value(item[2], flow=False))
    return data


def _new_key(key: str, data: dict[str, object]) -> str:
    if key in data or key.lower() in _WORDS:
        raise _NotPlain
    return key


def _value(written: str, *, flow: bool) -> object:
    if flow and written.startswith("[") and written.endswith("]"):
        inner = written[1:-1].strip(" ")
        return [_scalar(part.strip(" "), _FLOW_TEXT) for part in inner.split(",")] if inner else []
    return _scalar(written, _TEXT)


def _scalar(written: str, text: re.Pattern[str]) -> object:
    if text.fullmatch(written):
        if written.lower() in _WORDS:
            raise _NotPlain
        return written
    for pattern, read in _OTHERS:
        found = pattern.fullmatch(written)
        if found:
            return read(found)
    raise _NotPlain


def _time(found: re.Match[str]) -> datetime:
    return datetime.fromisoformat(found[0]).astimezone(UTC)


_OTHERS: Final[tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], object]], ...]] = (
    (_DOUBLE, lambda found: found[1]),
    (_SINGLE, lambda found: found[1]),
    (_NUMBER, lambda found: int(found[0])),
    (_DATE, lambda found: date.fromisoformat(found[0])),
    (_TIME, _time),
)
