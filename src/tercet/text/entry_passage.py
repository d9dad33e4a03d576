"""An entry as the index sees it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tercet.model import Passage

if TYPE_CHECKING:
    from tercet.model import Entry


def passage_of(entry: Entry) -> Passage:
    """Return the passage of an entry; only one of a wholly kept conversation has neighbours.

    It has no speaker: "user" before every text would only make them all more alike.
    """
    return Passage(
        id=entry.id,
        kind="entry",
        scope=entry.scope,
        text=entry.text,
        timestamp=entry.said_at or entry.stored_at,
        importance=entry.importance,
        category=entry.category,
        origin=entry.origin,
        session=entry.session if entry.ordinal else "",
        ordinal=entry.ordinal,
    )
