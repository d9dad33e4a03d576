"""The durable way of a turn: inbox, then journal; the journal is the truth about entries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from tercet.model import Category, Entry, InboxItem, Reach, Scope
    from tercet.ports.ledger import PassageRecord


EntryState: TypeAlias = Literal["live", "superseded", "forgotten"]


@dataclass(frozen=True, slots=True)
class InboxStatus:
    """How much waits, since when, and what was given up."""

    waiting: int
    oldest: datetime | None
    dead: int


@dataclass(frozen=True, slots=True)
class Unworked:
    """A message that was handed over and made into nothing yet."""

    item: InboxItem
    is_dead: bool
    """Given up: kept and shown, not tried again."""
    reason: str = ""
    """Why it was given up; empty while it waits."""
    not_before: datetime | None = None
    """When it is tried next at the earliest; None when its time has never been put off, or it is dead."""


class Inbox(Protocol):
    """User messages that were handed over and are not worked in yet; survives every crash."""

    async def put(self, items: Sequence[InboxItem]) -> int:
        """Keep items durably (fsync) and return how many are new; a known id is no error.

        An id that was worked in, or forgotten while it waited, stays known: a replay adds nothing.
        """
        ...

    async def claim(self, limit: int, now: datetime, lease_s: float) -> list[InboxItem]:
        """Lease the oldest items whose time has come, in the order they were put.

        An item whose lease ran out (its worker died) is claimed again.
        """
        ...

    async def release(self, ids: Sequence[str], *, retry_at: datetime, count_attempt: bool) -> None:
        """Give items back unworked, e.g. because the embedder is down (no attempt is counted then)."""
        ...

    async def bury(self, ids: Sequence[str], reason: str) -> None:
        """Move items to the dead letters with a reason; they are kept and shown, not tried again."""
        ...

    async def status(self, agent: str | None = None) -> InboxStatus:
        """Return counts, of one agent or of all."""
        ...

    async def waiting(self, reach: Reach, limit: int) -> list[InboxItem]:
        """Return what waits in reach, newest first, for search by keyword while capture is paused."""
        ...

    async def unworked(self, reach: Reach, limit: int) -> list[Unworked]:
        """Return what waits and the dead letters in reach, the last put first."""
        ...


@dataclass(frozen=True, slots=True)
class Stored:
    """A new entry to write, with the counts that its terms add."""

    entry: Entry
    record: PassageRecord
    supersedes: tuple[str, ...] = ()
    """Live entries that it retires: out of recall, kept in history."""
    links: tuple[str, ...] = ()
    """Near entries it is to be shown with."""


@dataclass(frozen=True, slots=True)
class SeenAgain:
    """A live entry that was told once more."""

    entry_id: str
    at: datetime


Change = Stored | SeenAgain


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What a forget removed, and until when its bytes remain for ``undo``."""

    entry_ids: tuple[str, ...]
    inbox_ids: tuple[str, ...]
    purge_at: datetime
    told: tuple[tuple[Scope, str], ...] = ()
    """Whose the entries were and what they said, in the order of their ids."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """An entry as a page of the journal shows it."""

    entry: Entry
    """Of a forgotten one only id, scope, category, ``stored_at`` and state: no text, no session."""
    supersedes: tuple[str, ...] = ()
    """The entries that it retired and that are not forgotten, sorted."""
    undo_until: datetime | None = None
    """Until when a forgotten one can be brought back."""


class Journal(Protocol):
    """Append-only record of entries; what is live is derived from it.

    Every change of entries, their term counts and the inbox items they came from is one
    transaction. ``pending`` names what the engine has yet to be told.
    """

    async def apply(self, changes: Sequence[Change], *, at: datetime, done: Sequence[str] = ()) -> list[str]:
        """Write changes and finish the inbox items they came from.

        An entry whose id is already there (a replay) changes nothing. An entry from an inbox item
        that was forgotten or finished meanwhile is not written, and where that holds for all of
        ``done`` nothing is. A text that a live entry of the scope has already (by the digest of its
        normalised text) counts as that entry seen again, unless that entry is superseded by it. A
        ``supersedes`` id that is not live, or not in the same scope, and a ``SeenAgain`` of what is
        not live are InvalidInputErrors and nothing is written: decide again.

        Returns:
            Ids of entries that were really added.
        """
        ...

    async def get(self, ids: Sequence[str], reach: Reach) -> list[Entry]:
        """Return entries in any state but forgotten, in the order asked for."""
        ...

    async def live(self, reach: Reach, *, since: datetime | None = None, limit: int = 1000) -> list[Entry]:
        """Return live entries, newest first."""
        ...

    async def by_text(self, scope: Scope, digests: Sequence[str]) -> dict[str, Entry]:
        """Return live entries of exactly this scope by the digest of their normalised text."""
        ...

    async def history(self, entry_id: str, reach: Reach) -> list[Entry]:
        """Return the chain of supersession that the entry belongs to, oldest first."""
        ...

    async def forget(
        self,
        *,
        at: datetime,
        purge_at: datetime,
        ids: Sequence[str] = (),
        anchors: Sequence[Scope] = (),
        session: tuple[str, str] | None = None,
    ) -> Forgotten:
        """Take entries (by id, by whole scopes, or by (agent, session)) out of everything at once.

        Waiting inbox items of these scopes or that session are forgotten too, so that one in flight
        does not come back, and so are those named in ``ids`` and those that say in the same scope
        what a forgotten entry says; what a superseding entry had retired stays retired.
        """
        ...

    async def undo(self, entry_ids: Sequence[str], *, at: datetime, agent: str | None = None) -> list[str]:
        """Bring back what the last forget took, of one agent or of all, while its bytes remain; returns the ids."""
        ...

    async def last_forgotten(self, agent: str) -> list[str]:
        """Return the entry ids of the agent's latest forget that can still be undone."""
        ...

    async def undo_until(self, entry_ids: Sequence[str], agent: str) -> dict[str, tuple[Scope, datetime]]:
        """Return whose these forgotten entries are and until when ``undo`` can bring them back.

        Any other id, of another agent too, is absent.
        """
        ...

    async def page(
        self,
        reach: Reach,
        *,
        states: Sequence[EntryState],
        categories: Sequence[Category] = (),
        since: datetime | None = None,
        until: datetime | None = None,
        before: tuple[datetime, str] | None = None,
        limit: int = 50,
    ) -> list[Recorded]:
        """Return entries by the time they were stored, to the millisecond, the latest first, then by id from the last.

        Forgotten ones are among them while ``undo`` can bring them back.

        Args:
            reach: Whose.
            states: Only these; none gives nothing.
            categories: Only these; empty for all.
            since: Stored then or later.
            until: Stored before then.
            before: ``stored_at`` and id of an entry: only what comes after it in this order, whether or
                not it is still there.
            limit: At most so many.
        """
        ...

    async def purge(self, now: datetime) -> int:
        """Erase the bytes of what was forgotten and is due; tombstones stay. Returns how many."""
        ...

    async def pending(self, limit: int) -> tuple[list[Entry], list[str]]:
        """Return (live entries the engine lacks, ids it must delete)."""
        ...

    async def synced(self, ids: Sequence[str], *, has_vector: bool) -> None:
        """Note that the engine has (or no longer has) these, as ``pending`` last gave them out.

        One that changed since then stays pending. ``has_vector`` False for entries that are there
        means that their text has no vector at all; one that waits for the embedder is left pending.
        """
        ...

    async def synced_count(self) -> int:
        """Return how many live entries the engine has, over all agents; cheap."""
        ...

    async def anchors(self, agent: str) -> list[str]:
        """Return the anchors under which an agent has entries not forgotten, or messages that wait, sorted."""
        ...

    async def last_ordinal(self, scope: Scope, session: str) -> int:
        """Return the highest ordinal that an entry of this session has, 0 when there is none."""
        ...

    async def reset_sync(self) -> None:
        """Mark every live entry as lacking in the engine, for a rebuild."""
        ...


class IdentityLinks(Protocol):
    """Which session anchors are one person."""

    async def link(self, agent: str, name: str, anchors: Sequence[str]) -> None:
        """Add anchors to a name; an anchor that belongs to another name is an InvalidInputError."""
        ...

    async def unlink(self, agent: str, name: str, anchors: Sequence[str] = ()) -> None:
        """Take anchors (or, with none, the whole name) out again; NotFoundError when it is not there."""
        ...

    async def links(self, agent: str) -> dict[str, tuple[str, ...]]:
        """Return anchors by name, sorted."""
        ...


@dataclass(frozen=True, slots=True)
class Extracted:
    """One thing worth keeping out of a message."""

    text: str
    category: Category
    importance: float
    subject: str = ""
    """What it is about, as far as the extractor knows: only the same subject may be superseded."""


class Extractor(Protocol):
    """Turns a sanitised user message into what is worth keeping."""

    @property
    def identity(self) -> str:
        """Name and kind in words (``"rules"``)."""
        ...

    async def extract(self, text: str) -> list[Extracted]:
        """Return what to keep; empty for small talk.

        Raises:
            TransientError: a model is down; the rules take over.
        """
        ...
