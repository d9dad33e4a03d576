"""The timeline: every entry with where it came from and what became of it, and what still waits."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final, get_args

from tercet.browsing import TimelineItem
from tercet.errors import NotFoundError
from tercet.interfaces.correcting import correct, entry_of
from tercet.interfaces.inspector.people import people_of
from tercet.interfaces.inspector.timeline_fields import MOST_SHOWN, CorrectFields, RememberFields, State, TimelineFields
from tercet.keeping import KEPT_FOR_UNDO
from tercet.model import Category
from tercet.text.counted import counted

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence
    from datetime import datetime

    from starlette.responses import Response

    from tercet.browsing import WaitingItem
    from tercet.interfaces.inspector.visits import Visit
    from tercet.model import Entry

MOST_WAITING: Final = 100
"""Messages that are shown before any is worked in."""
MOST_SOUGHT: Final = 500
"""Messages among which one is sought by its id."""
STATE_WORDS: Final[Mapping[str, str]] = {"live": "in force", "superseded": "replaced", "forgotten": "forgotten"}
"""What a state is called on the page."""
_CHOICES: Final[Mapping[str, Any]] = {
    "states": get_args(State),
    "categories": get_args(Category),
    "state_words": STATE_WORDS,
    "most_shown": MOST_SHOWN,
}
"""Of the forms; any: values of a template."""


@dataclass(frozen=True, slots=True)
class ShownEntry:
    """One entry as a card of the timeline."""

    item: TimelineItem
    forgotten_at: datetime | None = None

    @property
    def entry(self) -> Entry:
        """The entry itself."""
        return self.item.entry


@dataclass(frozen=True, slots=True)
class Day:
    """The entries that were stored on one day of UTC."""

    name: str
    """As in ``2026-03-02``; empty where no time was kept."""
    entries: tuple[ShownEntry, ...]


async def _show(visit: Visit) -> Response:
    given = visit.given(TimelineFields)
    if given.entry is not None:
        return await _one(visit, given, given.entry)
    browse, key = visit.memory.browse, visit.session_key
    page = await browse.timeline(
        session_key=key,
        before=given.before,
        limit=given.limit,
        states=get_args(State) if given.state is None else (given.state,),
        categories=() if given.category is None else (given.category,),
        since=given.begins,
        until=given.ends,
    )
    is_first = given.before is None
    unworked = await browse.waiting(session_key=key, limit=MOST_WAITING + 1) if is_first else []
    can_undo = visit.grant.session_key is None
    return visit.page(
        "timeline.html",
        here="timeline",
        given=given,
        told=_told(given),
        days=_by_day(page.items),
        older=page.older,
        is_first=is_first,
        waiting=_shown(unworked, is_dead=False),
        dead=_shown(unworked, is_dead=True),
        more_wait=len(unworked) > MOST_WAITING,
        can_undo=can_undo,
        undo=await browse.undo_preview(session_key=key) if can_undo and is_first else None,
        people=await people_of(visit),
        **_CHOICES,
    )


async def _one(visit: Visit, given: TimelineFields, entry_id: str) -> Response:
    """Show an entry with its history, the latest first; a search finds what waits too, which has none."""
    try:
        chain = await visit.memory.history(entry_id, visit.session_key)
    except NotFoundError:
        waits = await _waiting_one(visit, entry_id)
        if waits is None:
            raise
        return visit.page("timeline_waiting.html", here="timeline", item=waits)
    found = next((entry for entry in chain if entry.id == entry_id), chain[-1])
    return visit.page(
        "timeline_entry.html",
        here="timeline",
        told=_told(given),
        found=found,
        chain=[ShownEntry(TimelineItem(entry, (), entry.superseded_by)) for entry in reversed(chain)],
        can_undo=visit.grant.session_key is None,
        **_CHOICES,
    )


async def _waiting_one(visit: Visit, message_id: str) -> WaitingItem | None:
    unworked = await visit.memory.browse.waiting(session_key=visit.session_key, limit=MOST_SOUGHT)
    return next((item for item in unworked if item.id == message_id), None)


async def _remember(visit: Visit) -> Response:
    given = visit.given(RememberFields)
    entry = await visit.memory.remember(
        given.text, category=given.category, importance=given.importance, session_key=visit.session_key
    )
    return visit.moved("timeline", entry=entry.id, done="remembered")


async def _correct(visit: Visit) -> Response:
    given = visit.given(CorrectFields)
    old = await entry_of(visit.memory, given.id, visit.whose)
    if old.superseded_by:
        newer = await entry_of(visit.memory, old.superseded_by, visit.whose)
        if newer.text == given.text:  # the form was sent twice
            return visit.moved("timeline", entry=newer.id, done="corrected")
    entry = await correct(
        visit.memory,
        given.id,
        visit.whose,
        text=given.text if given.text != old.text else None,
        category=given.category if given.category != old.category else None,
        importance=given.importance if given.importance != old.importance else None,
    )
    return visit.moved("timeline", entry=entry.id, done="corrected")


def _by_day(items: Sequence[TimelineItem]) -> list[Day]:
    def day_of(item: TimelineItem) -> str:
        stored_at = item.entry.stored_at
        return "" if stored_at is None else stored_at.astimezone(UTC).strftime("%Y-%m-%d")

    return [Day(name, tuple(map(_card, of_day))) for name, of_day in groupby(items, day_of)]


def _card(item: TimelineItem) -> ShownEntry:
    return ShownEntry(item, None if item.undo_until is None else item.undo_until - KEPT_FOR_UNDO)


def _shown(unworked: Sequence[WaitingItem], *, is_dead: bool) -> list[WaitingItem]:
    return [item for item in unworked[:MOST_WAITING] if item.is_dead is is_dead]


def _told(given: TimelineFields) -> str:
    """Return what the page before did, in words; empty when it did nothing."""
    if given.done is None:
        return ""
    return {
        "remembered": "Remembered. What was known already is not stored twice: it counts as told once more.",
        "corrected": "Corrected. What it said before is kept in its history.",
        "forgotten": f"Forgotten: {counted(given.count, 'item')}.",
        "restored": f"Brought back: {given.count} {'entry' if given.count == 1 else 'entries'}.",
        "gone": "Nothing was forgotten: all or some of it is gone already. What is left stands below.",
        "nothing": "Nothing was brought back: it is back already, or its hour is over.",
    }[given.done]


PAGES: Sequence[tuple[str, str, Callable[[Visit], Awaitable[Response]]]] = (
    ("GET", "timeline", _show),
    ("POST", "timeline/remember", _remember),
    ("POST", "timeline/correct", _correct),
)
