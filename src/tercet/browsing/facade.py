"""What a person who looks into a memory may ask."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tercet.browsing.files import FileBrowser
from tercet.browsing.forgetting import preview_of, waiting_item
from tercet.browsing.timeline import place_of, timeline_page
from tercet.browsing.values import UndoPreview
from tercet.errors import InvalidInputError
from tercet.model import SHARED, Reach

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from datetime import datetime

    from tercet.access_notes import AccessNotes
    from tercet.browsing.forgetting import NotesWith
    from tercet.browsing.values import Cursor, FileSummary, FileView, ForgetPreview, TimelinePage, WaitingItem
    from tercet.model import Category
    from tercet.ports import EntryState, FileStore, Ledger

MOST_AT_ONCE: Final = 500
"""Items of one page."""
ALL_STATES: Final[tuple[EntryState, ...]] = ("live", "superseded", "forgotten")


@dataclass(frozen=True, slots=True)
class BrowsingParts:
    """What browsing reads."""

    agent: str
    ledger: Ledger
    reach: Callable[[str | None], Awaitable[Reach]]
    """What a session may see; of None the owner."""
    take_in: Callable[[], Awaitable[None]]
    """Brings into the inbox what it would not take before."""
    notes_with: NotesWith
    """Returns the texts of an anchor's notes that hold any of some words, by path in the vault."""
    files: FileStore | None = None
    """None where no folders are indexed, since that layer is not used."""
    refresh: Callable[[], Awaitable[object]] | None = None
    """Takes in changed files."""
    accesses: AccessNotes | None = None
    """Where it is noted that a file was looked at."""


class Browsing:
    """Reads for whoever looks into a memory, and changes nothing but that a file counts as looked at.

    Every method shows what its session may see and nothing else; without a session key that is what
    the agent's owner sees. A forget or an undo without a session key is the whole agent's, and so is
    its preview.
    """

    def __init__(self, parts: BrowsingParts) -> None:
        """Hold the parts."""
        self._parts = parts

    async def people(self) -> list[str]:
        """Return the anchors under which the agent has anything, sorted; each is a session key.

        For the owner alone: who else speaks to the agent is nobody's business.
        """
        ledger, agent = self._parts.ledger, self._parts.agent
        roots = await ledger.manifest.roots(agent)
        anchors = {*(await ledger.journal.anchors(agent)), *(root.scope.anchor for root in roots)}
        return sorted(anchors - {SHARED})

    async def files(self, *, session_key: str | None = None) -> list[FileSummary]:
        """Return every indexed file in reach as the index has it, by root and path.

        Raises:
            IdentityError: the session key is malformed (permanent).
        """
        if self._parts.files is None:
            return []
        browser = FileBrowser(self._parts.ledger.manifest, self._parts.files)
        return await browser.summaries(await self._parts.reach(session_key))

    async def file(self, ref: str, *, session_key: str | None = None) -> FileView:
        """Take in changed files, then return one as it lies on disk.

        Args:
            ref: ``root:path`` or a path; lines in it are passed over.
            session_key: Who asks; None is the agent's owner.

        Raises:
            NotFoundError, AmbiguousRefError, InvalidInputError: permanent.
        """
        parts = self._parts
        if parts.files is None:
            msg = "The layer memory-lancedb is not used: 'tercet plugins enable memory-lancedb' brings it back."
            raise InvalidInputError(msg)
        if parts.refresh is not None:
            await parts.refresh()
        browser = FileBrowser(parts.ledger.manifest, parts.files)
        view = await browser.view(ref, await parts.reach(session_key))
        if parts.accesses is not None:
            parts.accesses.note([view.summary.ref], "read")
        return view

    async def timeline(
        self,
        *,
        session_key: str | None = None,
        before: Cursor | None = None,
        limit: int = 50,
        states: Sequence[EntryState] = ALL_STATES,
        categories: Sequence[Category] = (),
        since: datetime | None = None,
        until: datetime | None = None,
    ) -> TimelinePage:
        """Return entries in reach by the time they were stored, the latest first.

        Forgotten ones are shown while they can be brought back, and without their text.

        Args:
            session_key: Who asks; None is the agent's owner.
            before: Of the page before.
            limit: 1 to 500.
            states: Only these.
            categories: Only these; empty for all.
            since: Aware; stored then or later.
            until: Aware; stored before then.

        Raises:
            InvalidInputError: the limit is out of range, a time has no zone, the cursor is not one of
                these, or the session key is malformed (permanent).
        """
        _check_limit(limit)
        journal, reach = self._parts.ledger.journal, await self._parts.reach(session_key)
        found = await journal.page(
            reach,
            states=states,
            categories=categories,
            since=_with_zone(since),
            until=_with_zone(until),
            before=None if before is None else place_of(before),
            limit=limit + 1,
        )
        return await timeline_page(journal, reach, found, limit)

    async def waiting(self, *, session_key: str | None = None, limit: int = 100) -> list[WaitingItem]:
        """Return the messages in reach that wait or were given up, the last handed over first.

        Raises:
            InvalidInputError: the limit is not within 1 to 500, or the session key malformed (permanent).
        """
        _check_limit(limit)
        await self._parts.take_in()
        reach = await self._parts.reach(session_key)
        return [waiting_item(each) for each in await self._parts.ledger.inbox.unworked(reach, limit)]

    async def forget_preview(self, ids: Sequence[str], *, session_key: str | None = None) -> ForgetPreview:
        """Return what a forget of these ids would take, and what notes would still say of it.

        Raises:
            NotFoundError: an id is no entry in reach and no message that waits or was given up (permanent).
        """
        await self._parts.take_in()
        parts = self._parts
        return await preview_of(ids, await self._whole_reach(session_key), parts.ledger, parts.notes_with)

    async def undo_preview(self, *, session_key: str | None = None) -> UndoPreview:
        """Return what of the last forget can be brought back, and until when."""
        journal, agent = self._parts.ledger.journal, self._parts.agent
        ids = await journal.last_forgotten(agent)
        left = await journal.undo_until(ids, agent)
        if session_key is not None:
            anchors = (await self._parts.reach(session_key)).anchors
            left = {entry_id: held for entry_id, held in left.items() if held[0].anchor in anchors}
        until = min((at for _, at in left.values()), default=None)
        return UndoPreview(tuple(entry_id for entry_id in ids if entry_id in left), until)

    async def _whole_reach(self, session_key: str | None) -> Reach:
        """Return what a forget by id reaches: without a session key everything of the agent."""
        if session_key is not None:
            return await self._parts.reach(session_key)
        anchors = await self._parts.ledger.journal.anchors(self._parts.agent)
        return Reach(self._parts.agent, tuple(dict.fromkeys((SHARED, *anchors))))


def _check_limit(limit: int) -> None:
    if not 1 <= limit <= MOST_AT_ONCE:
        msg = f"The limit {limit} is out of range: give 1 to {MOST_AT_ONCE}."
        raise InvalidInputError(msg)


def _with_zone(at: datetime | None) -> datetime | None:
    if at is not None and at.tzinfo is None:
        msg = f"The time {at.isoformat()} has no zone: add one, e.g. +00:00."
        raise InvalidInputError(msg)
    return at
