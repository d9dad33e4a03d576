"""What interfaces offer beyond single calls of the facade: one entry, and its correction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tercet.errors import InvalidInputError, NotFoundError

if TYPE_CHECKING:
    from tercet.interfaces.face import MemoryFace
    from tercet.interfaces.grants import Whose
    from tercet.model import Category, Entry


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
