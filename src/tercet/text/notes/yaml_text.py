"""Values as YAML text that any reader takes for what they are."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from datetime import date, datetime
from typing import TYPE_CHECKING, Final, TypeAlias, cast

from tercet.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Sequence

Scalar: TypeAlias = str | bool | int | float | date | None

# Everything else is quoted: what YAML 1.1 and 1.2 read as numbers, dates, truth values, marks.
_PLAIN: Final = re.compile(r"[^\W\d_](?:[\w ./()+'’-]|:(?=[^\s:]))*", re.UNICODE)
_WORDS: Final = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n", "none"})
_ESCAPED: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")


def entry_lines(key: str, value: object) -> list[str]:
    """Return the lines, without their ends, of ``key: value`` at the top of front matter.

    Args:
        key: Quoted where it has to be.
        value: Text, number, truth value, date, time, None, or a list or mapping of such; a list is
            written one item a line, with a mapping's first key on the line of its dash.

    Raises:
        InvalidInputError: a value is of another type, or not finite (permanent).
    """
    return _entry(key, value, "")


def item_line(item: Scalar) -> str:
    """Return a list's item without its indent.

    Raises:
        InvalidInputError: as for ``entry_lines``.
    """
    return f"- {scalar_text(item)}"


def scalar_text(value: object) -> str:
    """Return one value on one line.

    Raises:
        InvalidInputError: it is of no type that can be written, or not finite (permanent).
    """
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value if is_plain(value) else _quoted(value)
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, int) or (isinstance(value, float) and math.isfinite(value)):
        return repr(value)
    msg = f"{value!r} cannot be written as front matter: give text, numbers, dates, lists or mappings."
    raise InvalidInputError(msg)


def is_plain(text: str) -> bool:
    """Say whether a text may stand in YAML without quotes and is read as that text."""
    return _PLAIN.fullmatch(text) is not None and text[-1] != " " and text.lower() not in _WORDS


def _entry(key: str, value: object, indent: str) -> list[str]:
    begin = f"{indent}{scalar_text(key)}:"
    if isinstance(value, Mapping):
        return _under(begin, "{}", _mapping(cast("Mapping[object, object]", value), indent + "  "))
    if isinstance(value, list | tuple):
        return _under(begin, "[]", _items(cast("Sequence[object]", value), indent + "  "))
    return [f"{begin} {scalar_text(value)}"]


def _under(begin: str, empty: str, lines: list[str]) -> list[str]:
    return [begin, *lines] if lines else [f"{begin} {empty}"]


def _mapping(value: Mapping[object, object], indent: str) -> list[str]:
    return [line for key, one in value.items() for line in _entry(str(key), one, indent)]


def _items(values: Sequence[object], indent: str) -> list[str]:
    lines: list[str] = []
    for value in values:
        if isinstance(value, Mapping) and value:
            first, *rest = _mapping(cast("Mapping[object, object]", value), indent + "  ")
            lines += [f"{indent}- {first.lstrip()}", *rest]
        elif isinstance(value, list | tuple):
            inner = ", ".join(_flow(one) for one in cast("Sequence[object]", value))
            lines.append(f"{indent}- [{inner}]")
        else:
            lines.append(f"{indent}- {'{}' if isinstance(value, Mapping) else scalar_text(value)}")
    return lines


def _flow(value: object) -> str:
    return _quoted(value) if isinstance(value, str) else scalar_text(value)


def _quoted(text: str) -> str:
    """Write JSON's string, which YAML reads, with what YAML does not print escaped."""
    return _ESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(text, ensure_ascii=False))
