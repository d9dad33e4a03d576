"""The timeline of entries, page by page."""

from __future__ import annotations

import base64
import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from tercet.browsing.values import TimelineItem, TimelinePage
from tercet.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tercet.browsing.values import Cursor
    from tercet.model import Entry, Reach
    from tercet.ports import Journal, Recorded


async def timeline_page(journal: Journal, reach: Reach, found: Sequence[Recorded], limit: int) -> TimelinePage:
    """Return the first ``limit`` of what was found, with the texts of what these entries retired."""
    shown = found[:limit]
    retired = [each for recorded in shown for each in recorded.supersedes]
    texts = {entry.id: entry for entry in await journal.get(retired, reach)} if retired else {}
    items = tuple(_item(recorded, texts) for recorded in shown)
    return TimelinePage(items, cursor_at(shown[-1].entry) if len(found) > limit else None)


def cursor_at(entry: Entry) -> Cursor:
    """Return the cursor that leads to what comes after this entry."""
    stored_at = entry.stored_at or datetime.fromtimestamp(0, UTC)
    place = json.dumps([stored_at.isoformat(), entry.id]).encode()
    return base64.urlsafe_b64encode(place).rstrip(b"=").decode()


def place_of(cursor: Cursor) -> tuple[datetime, str]:
    """Return time and id that a cursor stands for.

    Raises:
        InvalidInputError: it is none of ``cursor_at`` (permanent).
    """
    try:
        place = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
        stored_at, entry_id = json.loads(place)
        return datetime.fromisoformat(stored_at).astimezone(UTC), str(entry_id)
    except (ValueError, TypeError, OverflowError) as error:
        msg = f"The cursor {cursor!r} leads nowhere: begin at the first page."
        raise InvalidInputError(msg) from error


def _item(recorded: Recorded, texts: Mapping[str, Entry]) -> TimelineItem:
    superseded = tuple(texts[each] for each in recorded.supersedes if each in texts)
    return TimelineItem(recorded.entry, superseded, recorded.entry.superseded_by, recorded.undo_until)
