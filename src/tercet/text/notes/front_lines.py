"""The lines of a front matter, and which of them are whose."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol, cast

from tercet.errors import InvalidInputError
from tercet.text.lines import without_line_end
from tercet.text.notes.visible import line_starts
from tercet.text.notes.yaml_text import entry_lines, item_line, scalar_text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_BLANK_OR_COMMENT: Final = re.compile(r"\s*(?:#.*)?\Z", re.DOTALL)
_COMMENT: Final = re.compile(r"\s*#")
_ITEM: Final = re.compile(r"(\s*)- ")


class FrontLines:
    """Lines between the fences, edited key by key; every edit is of the lines as they were."""

    def __init__(self, lines: Sequence[str], line_end: str) -> None:
        """Take the lines with their ends.

        Args:
            lines: As the file has them; YAML must be able to read them.
            line_end: Of lines that are added.

        Raises:
            InvalidInputError: the keys do not stand on lines of their own (permanent).
        """
        self._lines = list(lines)
        self._end = line_end
        self._entries = _entries("".join(lines))
        self._edits: dict[int, tuple[int, list[str]]] = {}
        """First line -> (behind the last line, the lines instead)."""
        self._added: list[str] = []

    def edited(self) -> list[str]:
        """Return the lines with all edits made."""
        lines = list(self._lines)
        for start, (end, new) in sorted(self._edits.items(), reverse=True):
            lines[start:end] = new
        return lines + self._added

    def remove(self, key: str) -> None:
        """Take a key's own lines away; a comment on a line of its own stays, at the margin.

        Indented it could become text of a block that ends above.
        """
        span = self._span(key)
        if span is not None:
            indent = " " * span.column
            self._edits[span.start] = span.end, [indent + line.lstrip() for line in span.comments(self._lines)]

    def put(self, key: str, value: object, old: object) -> None:
        """Give a key a value, in the lines it has or in new ones at the end.

        Args:
            key: At the top of the mapping.
            value: Not None.
            old: What the key holds now.
        """
        span = self._span(key)
        if span is None:
            self._append(key, value)
        else:
            new = self._items_kept(span, value, old) or self._rewritten(span, key, value)
            self._edits[span.start] = span.end, new

    def _append(self, key: str, value: object) -> None:
        indent = " " * (self._entries[0].column if self._entries else 0)
        self._added += [f"{indent}{line}{self._end}" for line in entry_lines(key, value)]

    def _rewritten(self, span: _Span, key: str, value: object) -> list[str]:
        """Return new lines for a key; its comments stay, the one behind a single value on that line."""
        first = self._lines[span.start]
        indent = first[: span.column]
        new = [f"{indent}{line}" for line in entry_lines(key, value)]
        written_key = first[span.column : span.colon]
        begin, _, rest = new[0][len(indent) :].partition(f"{scalar_text(key)}:")
        new[0] = f"{indent}{begin}{written_key}:{rest}"
        if span.remark:
            new[0] += span.remark
        return [*(f"{line}{self._end}" for line in new), *span.comments(self._lines)]

    def _items_kept(self, span: _Span, value: object, old: object) -> list[str] | None:
        """Return the lines of a list in which the items that stay keep theirs; None when it is another thing.

        Only lists written one text a line, of which the new one keeps the order.
        """
        wanted, had = _texts(value), _texts(old)
        kept = [item for item in had if item in wanted]
        body = self._lines[span.start + 1 : span.end]
        at = [index for index, line in enumerate(body) if not _BLANK_OR_COMMENT.match(line)]
        indents = {mark[1] if mark else None for mark in (_ITEM.match(body[index]) for index in at)}
        indent = indents.pop() if len(indents) == 1 else None
        if not wanted or wanted[: len(kept)] != kept or len(at) != len(had) or indent is None:
            return None
        gone = {index for index, item in zip(at, had, strict=True) if item not in wanted}
        rest = [line for index, line in enumerate(body) if index not in gone]
        added = [f"{indent}{item_line(item)}{self._end}" for item in wanted[len(kept) :]]
        return [self._lines[span.start], *rest, *added]

    def _span(self, key: str) -> _Span | None:
        for number, entry in enumerate(self._entries):
            if entry.key == key:
                following = self._entries[number + 1 : number + 2]
                end = following[0].line if following else len(self._lines)
                return _span_of(entry, end, self._lines)
        return None


@dataclass(frozen=True, slots=True)
class _Entry:
    """One key of the mapping at the top, where YAML found it (0-based)."""

    key: str
    line: int
    column: int
    key_end: int
    """Column behind the key."""
    value_end: int
    """Column behind the value when that is on the key's own line, else -1."""
    is_text_block: bool
    """Literal or folded: what looks like a comment in it is text."""


@dataclass(frozen=True, slots=True)
class _Span:
    """The lines of one key: ``[start, end)``."""

    start: int
    end: int
    column: int
    colon: int
    """Column of the colon behind the key."""
    remark: str
    """White space and comment behind a value of one line."""
    is_text_block: bool

    def comments(self, lines: Sequence[str]) -> list[str]:
        """Return the comments that stand on lines of their own within the span."""
        if self.is_text_block:
            return []
        return [line for line in lines[self.start + 1 : self.end] if _COMMENT.match(line)]


def _texts(value: object) -> list[str]:
    """Return a list of nothing but texts; an empty one for anything else."""
    if not isinstance(value, list | tuple):
        return []
    items = cast("Sequence[object]", value)  # reason: YAML is untyped
    texts = [item for item in items if isinstance(item, str)]
    return texts if len(texts) == len(items) else []


def _span_of(entry: _Entry, end: int, lines: Sequence[str]) -> _Span:
    # Blank lines and comments at the margin belong to what follows.
    while end > entry.line + 1:
        line = lines[end - 1]
        if line.strip() and not line[: entry.column + 1].lstrip().startswith("#"):
            break
        end -= 1
    first = without_line_end(lines[entry.line])
    colon = first.find(":", entry.key_end)
    if colon < 0 or first[: entry.column].strip():
        msg = f"The front matter is not edited (line {entry.line + 2}: {entry.key} is written in an unusual way)."
        raise InvalidInputError(msg)
    remark = ""
    if entry.value_end >= 0 and end == entry.line + 1:
        behind = first[max(entry.value_end, colon + 1) :]
        remark = behind if _COMMENT.match(behind) else ""
    return _Span(entry.line, end, entry.column, colon, remark, entry.is_text_block)


def _entries(text: str) -> list[_Entry]:
    """Return the keys of the mapping at the top, in order.

    Raises:
        InvalidInputError: it is written ``{key: value}`` (permanent).
    """
    # Imported here: reading notes must not pay for a YAML reader that few of them need.
    from ruamel.yaml import YAML  # noqa: PLC0415  # reason: slow import

    reader = YAML(typ="safe", pure=True)
    reader.composer.warn_double_anchors = False
    compose = cast("Callable[[str], _Node | None]", reader.compose)  # pyright: ignore[reportUnknownMemberType]  # reason: untyped library
    root = compose(text)
    if root is None:
        return []
    if root.flow_style:
        msg = "The front matter is not edited (line 2: it is written in braces): write one 'key: value' a line."
        raise InvalidInputError(msg)
    starts = line_starts(text)
    return [_entry(key, value, starts) for key, value in cast("list[tuple[_Node, _Node]]", root.value)]


def _entry(key: _Node, value: _Node, starts: Sequence[int]) -> _Entry:
    line = bisect_right(starts, key.start_mark.index) - 1
    begin = starts[line]
    style: object = getattr(value, "style", None)  # only single values have one
    is_empty = not style and value.value == ""
    last = key.end_mark.index if is_empty else value.end_mark.index
    return _Entry(
        key=str(key.value),
        line=line,
        column=key.start_mark.index - begin,
        key_end=key.end_mark.index - begin,
        value_end=last - begin if bisect_right(starts, last) - 1 == line else -1,
        is_text_block=style in {"|", ">"},
    )


class _Mark(Protocol):
    index: int


class _Node(Protocol):
    """What is used of a node of the YAML library: marks count characters, lines as it sees them."""

    value: object
    start_mark: _Mark
    end_mark: _Mark
    flow_style: bool | None
