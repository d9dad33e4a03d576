"""What interfaces offer beyond single calls of the facade: one entry, its correction, a read within a scope."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from tercet.errors import InvalidInputError, NotFoundError
from tercet.identity import parse_session_key
from tercet.model import FileText

if TYPE_CHECKING:
    from tercet.interfaces.face import MemoryFace
    from tercet.interfaces.grants import Whose
    from tercet.model import Category, Entry

_ID = re.compile(r"[0-9a-f]{24}|[0-9a-f]{32}")


async def entry_of(memory: MemoryFace, entry_id: str, whose: Whose) -> Entry:
    """Return one entry, live or replaced.

    Raises:
        NotFoundError: there is no such entry in reach (permanent).
    """
    for entry in await memory.history(entry_id, whose.session_key):
        if entry.id == entry_id:
            return entry
    msg = f"There is no entry {entry_id!r} here: take a whole id from a search or a list."
    raise NotFoundError(msg)


async def correct(
    memory: MemoryFace,
    entry_id: str,
    whose: Whose,
    *,
    text: str | None = None,
    category: Category | None = None,
    importance: float | None = None,
) -> Entry:
    """Replace a live entry by one that differs in what is given; the old one stays in its history.

    Raises:
        NotFoundError: there is no such entry in reach (permanent).
        InvalidInputError: nothing is given, or the entry was replaced already (permanent).
    """
    if text is None and category is None and importance is None:
        msg = "There is nothing to change: give text, category or importance."
        raise InvalidInputError(msg)
    old = await entry_of(memory, entry_id, whose)
    if old.state != "live":
        newer = f": correct {old.superseded_by!r} instead" if old.superseded_by else ""
        msg = f"The entry {entry_id!r} is {old.state}{newer}."
        raise InvalidInputError(msg)
    return await memory.remember(
        old.text if text is None else text,
        category=category or old.category,
        importance=old.importance if importance is None else importance,
        session_key=old.session or old.scope.anchor or None,
        supersedes=[entry_id],
    )


async def read_within(
    memory: MemoryFace, ref: str, whose: Whose, start: int | None = None, lines: int | None = None
) -> FileText:
    """Return lines of what a ref points at, and for a bound session only of what it may see.

    A person sees the agent's files and its own entries; a group sees its own entries alone.

    Raises:
        NotFoundError, AmbiguousRefError, InvalidInputError: permanent.
    """
    session_key = whose.session_key
    if not whose.is_bound or session_key is None:
        return await memory.read(ref, start, lines)
    name = ref.strip()
    if _ID.fullmatch(name) and (own := await _own_entry(memory, name, session_key)) is not None:
        return _lines_of(own, start, lines)
    if parse_session_key(session_key, whose.agent).is_group:
        raise _nothing(ref)
    found = await memory.read(ref, start, lines)
    if _ID.fullmatch(found.path):
        raise _nothing(ref)  # an entry, and not one that this session sees
    return found


async def _own_entry(memory: MemoryFace, entry_id: str, session_key: str) -> FileText | None:
    try:
        chain = await memory.history(entry_id, session_key)
    except NotFoundError:
        return None
    text = next((entry.text for entry in chain if entry.id == entry_id and entry.state == "live"), None)
    if text is None:
        return None
    count = len(text.splitlines()) or 1
    return FileText(text, entry_id, 1, count, count)


def _lines_of(file: FileText, start: int | None, lines: int | None) -> FileText:
    if start is None and lines is None:
        return file
    first = start or 1
    last = file.total_lines if lines is None else min(file.total_lines, first + lines - 1)
    wanted = "\n".join(file.text.splitlines()[first - 1 : last])
    return replace(file, text=wanted, start_line=first, end_line=max(first, last))


def _nothing(ref: str) -> NotFoundError:
    return NotFoundError(f"{ref!r} is no indexed file and no id that this session sees: take a ref from a search.")
