"""A note's text made, changed and added to; what an edit is not about stays byte for byte."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Final, NoReturn, cast

from tercet.errors import InvalidInputError
from tercet.text.front_matter import BOM, read_front_matter
from tercet.text.lines import split_lines, without_line_end
from tercet.text.markdown_lines import Kind, outline
from tercet.text.notes.front_lines import FrontLines
from tercet.text.notes.parse import is_never_closed
from tercet.text.notes.yaml_text import entry_lines

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from tercet.text.front_matter import FrontMatter
    from tercet.text.markdown_lines import Outline

_MAX_LEVEL: Final = 6
_DAY_LEVEL: Final = 2
_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}")
_FENCE: Final = re.compile(r"[\s>]*(?:(?:[-+*]|\d{1,9}[.)])\s+)*(`{3,}|~{3,})")
_HTML_TAG: Final = re.compile(r"<(pre|script|style|textarea)\b", re.IGNORECASE)


def with_front_matter(text: str, changes: Mapping[str, object]) -> str:
    """Return the note with some keys of its front matter changed.

    Only the lines of the named keys change: other keys, comments, quoting, order, line ends, the byte
    order mark and the body stay byte for byte. New keys come last; a note without front matter
    gets one. A key that has the value already stays as it is written.

    Args:
        text: The whole file.
        changes: Key to new value; None takes the key away.

    Raises:
        InvalidInputError: the front matter cannot be read, so that it must not be edited (the
            message names the line), or is written so that it cannot be edited safely (permanent).
    """
    front = read_front_matter(text)
    if front is None:
        return _with_new_front_matter(text, changes)
    if front.problem:
        _refuse(front.problem)
    wanted = {key: value for key, value in changes.items() if not _has(front.data, key, value)}
    if not wanted:
        return text
    lines = split_lines(text)
    end = _line_end(lines[0])
    block = FrontLines(lines[1 : front.end_line - 1], end)
    for key, value in wanted.items():
        if value is None:
            block.remove(key)
        else:
            block.put(key, value, front.data.get(key))
    edited = "".join((lines[0], *block.edited(), *lines[front.end_line - 1 :]))
    _check(front, read_front_matter(edited), wanted)
    return edited


def new_note_text(
    title: str,
    *,
    id: str,  # noqa: A002 - the key it is written under
    type: str = "",  # noqa: A002 - as above
    tags: Sequence[str] = (),
    aliases: Sequence[str] = (),
    sources: Sequence[str] = (),
    created: datetime | None = None,
    body: str = "",
) -> str:
    """Return a new note's file: front matter, the title as its heading, and the body.

    Args:
        title: White space is folded; the heading is left out where the body begins with one of its own.
        id: Unique in the vault.
        type: ``entity``, ``concept``, ...; empty writes none, as do the empty lists.
        tags: Without ``#``.
        aliases: Other names of it.
        sources: What it rests on.
        created: Aware; None writes none.
        body: Markdown.
    """
    name = " ".join(title.split())
    given: dict[str, object] = {"id": id, "title": name, "type": type, "tags": list(tags)}
    given |= {"aliases": list(aliases), "sources": list(sources), "created": created}
    front = [line for key, value in given.items() if value for line in entry_lines(key, value)]
    parts = "".join(f"{line}\n" for line in ("---", *front, "---", ""))
    text = body.strip("\r\n").replace("\r\n", "\n")
    if name and not text.startswith("# "):
        parts += f"# {name}\n\n" if text else f"# {name}\n"
    return parts + (f"{text}\n" if text else "")


def appended(text: str, heading: str, body: str, level: int = 2) -> str:
    """Return the note with text added under a heading at its end; the note's own bytes all stay.

    Where that heading is the last one of its level already, the text goes under it. A code fence or
    comment that the note leaves open is closed first.

    Args:
        text: The whole file.
        heading: One line, e.g. a date; white space is folded.
        body: Markdown; line ends become the note's.
        level: 1 to 6, of the heading.

    Raises:
        InvalidInputError: the heading or the body is empty, or the level is none (permanent).
    """
    title = " ".join(heading.split())
    added = body.strip("\r\n")
    if not title or not added.strip() or not 1 <= level <= _MAX_LEVEL:
        msg = f"Nothing to append under {heading!r} (level {level}): give a heading, a text and a level from 1 to 6."
        raise InvalidInputError(msg)
    end = "\r\n" if "\r\n" in text else "\n"
    start = _ready(text, end)
    last = [found for found in outline(start).headings if found.level <= level][-1:]
    under = bool(last) and (last[0].level, last[0].title) == (level, title)
    lines = added.replace("\r\n", "\n").split("\n")
    if not under:
        lines = [f"{'#' * level} {title}", "", *lines]
    return start + "".join(f"{line}{end}" for line in lines)


def without_facts(text: str, facts: Collection[str]) -> str:
    """Return the note without the list items ``- FACT`` below a heading that is a day (``## 2026-06-01``).

    Such items are what an extraction appended; the same words elsewhere stay, as does every other
    byte. A day of which nothing is left goes with its heading.
    """
    lines, plan = split_lines(text), outline(text)
    items = {f"- {fact}" for fact in facts}
    gone: set[int] = set()
    for heading in plan.headings:
        if heading.level == _DAY_LEVEL and _DAY.fullmatch(heading.title):
            ends = (next_one.first for next_one in plan.headings if next_one.first > heading.last)
            span = range(heading.last + 1, next(ends, len(lines)))
            told = {at for at in span if without_line_end(lines[at]).rstrip() in items and plan.kinds[at] != Kind.CODE}
            is_empty = told and all(at in told or not lines[at].strip() for at in span)
            gone |= {*span, *range(heading.first, heading.last + 1)} if is_empty else told
    return "".join(line for at, line in enumerate(lines) if at not in gone)


def _with_new_front_matter(text: str, changes: Mapping[str, object]) -> str:
    lines = split_lines(text)
    if is_never_closed(lines):
        _refuse("line 1: it is never closed: end it with a line '---'")
    given = {key: value for key, value in changes.items() if value is not None}
    if not given:
        return text
    end = _line_end(lines[0]) if lines else "\n"
    written = [line for key, value in given.items() for line in entry_lines(key, value)]
    mark = BOM if text.startswith(BOM) else ""
    edited = mark + "".join(f"{line}{end}" for line in ("---", *written, "---")) + text.removeprefix(BOM)
    _check(None, read_front_matter(edited), given)
    return edited


def _check(before: FrontMatter | None, after: FrontMatter | None, changes: Mapping[str, object]) -> None:
    """Refuse an edit whose outcome is read otherwise than it was meant: anchors, merge keys, odd layouts."""
    old: Mapping[str, object] = {} if before is None else before.data
    if after is not None and not after.problem:
        kept = {key: value for key, value in old.items() if key not in changes}
        rest = {key: value for key, value in after.data.items() if key not in changes}
        as_meant = all(
            (key not in after.data) if value is None else _has(after.data, key, value) for key, value in changes.items()
        )
        if repr(kept) == repr(rest) and as_meant:
            return
    _refuse(f"line 2: {', '.join(changes)} cannot be changed without changing other keys")


def _refuse(why: str) -> NoReturn:
    msg = f"The front matter is not edited ({why}): mend it by hand, then try again."
    raise InvalidInputError(msg)


def _has(data: Mapping[str, object], key: str, value: object) -> bool:
    if value is None:
        return key not in data
    return key in data and _canonical(data[key]) == _canonical(value)


def _canonical(value: object) -> object:
    """Return a value such that what is the same in YAML is equal, and true is not 1."""
    if isinstance(value, dict):
        pairs = cast("dict[object, object]", value)  # reason: YAML is untyped
        return {str(key): _canonical(one) for key, one in pairs.items()}
    if isinstance(value, list | tuple):
        return [_canonical(one) for one in cast("list[object]", value)]  # reason: as above
    if isinstance(value, datetime):
        return "time", (value if value.tzinfo else value.replace(tzinfo=UTC)).astimezone(UTC)
    return type(value).__name__, value if isinstance(value, str | int | float | date | None) else repr(value)


def _line_end(line: str) -> str:
    return "\r\n" if line.endswith("\r\n") else "\n"


def _ready(text: str, end: str) -> str:
    """Return the text such that a paragraph may begin behind it: nothing left open, one line blank."""
    if not text.strip("\ufeff"):
        return text
    start = text if text.endswith("\n") else text + end
    for closing in _closings(outline(start)):
        if _is_open(start, end):
            start += closing + end
    return start if split_lines(start)[-1].strip() == "" else start + end


def _is_open(text: str, end: str) -> bool:
    """Say whether a heading added now would be taken for code or a comment."""
    plan = outline(f"{text}{end}# x{end}")
    return plan.kinds[-1] != Kind.HEADING


def _closings(plan: Outline) -> list[str]:
    """Return the lines that may close what the text leaves open, the likeliest first."""
    kind = plan.kinds[-1] if plan.lines else Kind.BLANK
    if kind not in {Kind.CODE, Kind.HTML}:
        return []
    first = len(plan.lines) - 1
    found: list[str] = []
    while first >= 0 and plan.kinds[first] == kind:
        line = plan.lines[first]
        fence = _FENCE.match(line)
        tag = _HTML_TAG.search(line)
        if fence:
            found.append(fence[1])
        elif tag:
            found.append(f"</{tag[1].lower()}>")
        first -= 1
    return [*dict.fromkeys(reversed(found)), "-->"]
