"""A note's file read: what its front matter says, and its body."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from tercet.model.notes import Note
from tercet.text.front_matter import BOM, FrontMatter, closing_fence, read_front_matter
from tercet.text.indexed_text import stem_of
from tercet.text.lines import split_lines
from tercet.text.notes.links import links_of
from tercet.text.notes.plain_front import plain_data
from tercet.text.notes.tags import distinct_tags, tags_in
from tercet.text.notes.values import Unreadable, claims_of, names_of, sources_of, tags_of, text_of, time_of
from tercet.text.notes.visible import body_outline

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import TypeVar

    from tercet.model.notes import Claim, WikiLink
    from tercet.model.scopes import Scope
    from tercet.text.markdown_lines import Heading

    T = TypeVar("T")

ID_KEYS: Final = ("id",)
TITLE_KEYS: Final = ("title",)
TYPE_KEYS: Final = ("type", "pageType", "page_type")
TAG_KEYS: Final = ("tags", "tag")
ALIAS_KEYS: Final = ("aliases", "alias")
SOURCE_KEYS: Final = ("sources", "sourceIds", "source_ids", "source")
CREATED_KEYS: Final = ("created", "createdAt", "created_at", "date created", "date")
UPDATED_KEYS: Final = ("updated", "updatedAt", "updated_at", "modified", "date modified", "lastmod")

_LINE_AND_CAUSE: Final = re.compile(r"line (\d+): (.*)")
_KEY_AT_ONCE: Final = re.compile(r"[A-Za-z_][\w-]*:(?:\s|$)")
_NUMBER: Final = re.compile(r"""[-+]?[0-9][0-9_.:eE+-]*""")


def parse_note(text: str, path: str, scope: Scope) -> Note:
    """Read a note; never raises for its content.

    Keys are read in the spellings people and programs use (``tags`` and ``tag``, ``type`` and
    ``pageType``, ``sources`` and ``sourceIds``, ...); the first that holds something counts. What
    cannot be read is named in ``problems`` and the rest is read all the same. Links of the front
    matter count as the note's.

    Args:
        text: The whole file.
        path: POSIX, below the vault.
        scope: Whose note it is.
    """
    lines = split_lines(text)
    front = _front_of(text, lines)
    none: tuple[str, ...] = ()
    body_line = 1 if front is None else front.end_line + 1
    body = "".join(lines[body_line - 1 :])
    if front is None:
        body = body.removeprefix(BOM)
    reader = _Reader(front)
    headings = body_outline(body).headings
    return Note(
        id=reader.scalar(ID_KEYS),
        title=reader.scalar(TITLE_KEYS) or text_of(_title_heading(body, headings)) or stem_of(path),
        type=reader.value(TYPE_KEYS, text_of, ""),
        path=path,
        scope=scope,
        body=body,
        body_line=body_line,
        tags=distinct_tags((*reader.value(TAG_KEYS, tags_of, none), *tags_in(body))),
        aliases=reader.value(ALIAS_KEYS, names_of, none),
        sources=reader.value(SOURCE_KEYS, sources_of, none),
        claims=reader.claims(),
        headings=tuple(heading.title for heading in headings if heading.title),
        links=(*_links_of_front(front), *links_of(body, body_line)),
        created=reader.value(CREATED_KEYS, time_of, None),
        updated=reader.value(UPDATED_KEYS, time_of, None),
        problems=tuple(sorted((*reader.problems, *_never_closed(front, lines)))),
    )


def _title_heading(body: str, headings: Sequence[Heading]) -> str:
    """Return the heading of level 1 that a body begins with; a later one heads a part of the note, not the note."""
    first = headings[0] if headings else None
    if first is None or first.level != 1 or "".join(split_lines(body)[: first.first - 1]).strip():
        return ""
    return first.title


def is_never_closed(lines: list[str]) -> bool:
    """Say whether a file begins with front matter that no ``---`` ends, and not with a thematic break."""
    return (
        len(lines) > 1
        and lines[0].removeprefix(BOM).rstrip() == "---"
        and _KEY_AT_ONCE.match(lines[1]) is not None
        and not any(line.rstrip() in {"---", "..."} for line in lines[1:])
    )


def _front_of(text: str, lines: list[str]) -> FrontMatter | None:
    closing = closing_fence(lines)
    if closing is None:
        return None
    raw = "".join(lines[1:closing])
    data = plain_data(raw)
    return read_front_matter(text) if data is None else FrontMatter(1, closing + 1, raw, data, "")


class _Reader:
    """The values of one front matter, and what was wrong with them."""

    def __init__(self, front: FrontMatter | None) -> None:
        self._data: Mapping[str, object] = {} if front is None else front.data
        self._raw = "" if front is None else front.raw
        self.problems: list[tuple[int, str]] = []
        if front is not None and front.problem:
            found = _LINE_AND_CAUSE.match(front.problem)
            # YAML counts a lone CR as the end of a line.
            self.problems.append((min(int(found[1]), front.end_line), found[2]) if found else (1, front.problem))

    def value(self, keys: tuple[str, ...], read: Callable[[object], T], nothing: T) -> T:
        """Return what the first of the keys that holds something says, read; else ``nothing``."""
        key = self._first(keys)
        if key is None:
            return nothing
        try:
            return read(self._data[key])
        except Unreadable as unreadable:
            self._note(key, f"{key}: {unreadable}")
            return nothing

    def scalar(self, keys: tuple[str, ...]) -> str:
        """Return a text as it is written: ``1.10`` is no number where a name belongs (F13)."""
        key = self._first(keys)
        if key is None:
            return ""
        if isinstance(self._data[key], int | float) and (found := self._line(key)) is not None:
            written = _NUMBER.match(found[1])
            if written:
                return written[0]
        return self.value((key,), text_of, "")

    def claims(self) -> tuple[Claim, ...]:
        """Return the claims."""
        claims, faults = claims_of(self._data.get("claims"))
        for fault in faults:
            self._note("claims", fault)
        return claims

    def _first(self, keys: tuple[str, ...]) -> str | None:
        return next((key for key in keys if self._data.get(key) not in (None, "", [])), None)

    def _note(self, key: str, problem: str) -> None:
        found = self._line(key)
        self.problems.append((1 if found is None else found[0], problem))

    def _line(self, key: str) -> tuple[int, str] | None:
        """Return the file's line of a key, and what stands behind the colon."""
        found = re.search(rf"""^\s*["']?{re.escape(key)}["']?\s*:[ \t]*(.*)$""", self._raw, re.MULTILINE)
        return None if found is None else (self._raw.count("\n", 0, found.start(1)) + 2, found[1])


def _links_of_front(front: FrontMatter | None) -> tuple[WikiLink, ...]:
    if front is None or "[[" not in front.raw:
        return ()
    lines = ("\n" if line.lstrip().startswith("#") else line for line in split_lines(front.raw))
    return links_of("".join(lines), 2)


def _never_closed(front: FrontMatter | None, lines: list[str]) -> list[tuple[int, str]]:
    if front is None and is_never_closed(lines):
        return [(1, "the front matter is never closed: end it with a line '---'")]
    return []
