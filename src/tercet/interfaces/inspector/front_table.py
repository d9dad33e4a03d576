"""Pure: front matter as rows of a table; what is no plain text stands as it is written."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast

from tercet.text.lines import split_lines

if TYPE_CHECKING:
    from tercet.text.front_matter import FrontMatter

_KEY: Final = re.compile(
    r"""(?P<quote>["']?)(?P<key>[^\s#:"'-][^:"']*)(?P=quote)\s*:(?:\s+(?P<rest>.*))?$""", re.DOTALL
)


@dataclass(frozen=True, slots=True)
class FrontRow:
    """One key."""

    key: str
    texts: tuple[str, ...]
    """Its value, or the items of a list."""
    is_source: bool = False
    """Whether the text is YAML."""


def front_rows(front: FrontMatter) -> list[FrontRow]:
    """Return the keys in the order of the file.

    Numbers, dates and what is nested are shown as written: YAML reads ``1.10`` as 1.1 (F13).
    """
    if front.problem:
        return [FrontRow("", (front.raw,), is_source=True)]
    written = _written(front.raw)
    return [_row(str(key), value, written) for key, value in front.data.items()]


def _row(key: str, value: object, written: dict[str, str]) -> FrontRow:
    texts = _texts(value)
    if texts is not None:
        return FrontRow(key, texts)
    source = written.get(key, "") or ("" if value is None else str(value))
    return FrontRow(key, (source,), is_source="\n" in source)


def _texts(value: object) -> tuple[str, ...] | None:
    """Return a text, or a list of nothing but texts; None for any other value."""
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, list):
        return None
    items = cast("list[object]", value)  # reason: isinstance tells nothing of the items
    return tuple(map(str, items)) if all(isinstance(item, str) for item in items) else None


def _written(raw: str) -> dict[str, str]:
    """Return what stands behind each key of the first level."""
    found: dict[str, str] = {}
    key = ""
    for line in split_lines(raw):
        begun = _KEY.match(line)
        if begun:
            key = begun["key"].strip()
            found[key] = begun["rest"] or ""
        elif key:
            found[key] += line if found[key].endswith("\n") or not found[key] else f"\n{line}"
    return {name: text.rstrip() for name, text in found.items()}
