"""Entries by hand: store, list, correct, forget, bring back; and which keys are one person."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from tercet.capture.pieces import in_pieces
from tercet.errors import IdentityError, InvalidInputError, NotFoundError
from tercet.handover import session_of
from tercet.identity import checked_links, parse_session_key, reach_for
from tercet.importing.entry_import import ImportReport, import_facts
from tercet.model import SHARED, Entry, Reach, Scope, SearchOptions
from tercet.text.envelopes import sanitise_user_text
from tercet.text.redaction import redact

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence
    from datetime import datetime

    from tercet.capture.worker import CaptureWorker
    from tercet.host import Host
    from tercet.importing.facts import ImportedFact
    from tercet.model import Category, InboxItem
    from tercet.ports import Clock, Ledger, WriterLock

    Retract = Callable[[Sequence[tuple[Scope, str]]], Awaitable[None]]

KEPT_FOR_UNDO = timedelta(hours=1)
CANDIDATES = 10
"""How many entries a forget by query shows."""
IMPORTED_AT_ONCE = 200
"""Facts of another memory that are taken over under one hold of the lock."""
LISTED = 1000
MOST_UNWORKED = 1_000_000
"""Messages that wait or were given up among which an id is sought: all of them."""


@dataclass(frozen=True, slots=True)
class ForgetReport:
    """What a forget found, and what it removed."""

    candidates: tuple[Entry, ...] = ()
    """What it is about, before anything is removed; a message that waits stands as an entry."""
    removed: tuple[str, ...] = ()
    """Ids of entries that are gone from every read."""
    waiting_removed: int = 0
    """Messages taken out of the inbox; their bytes are gone at once."""
    purge_at: datetime | None = None
    """Until when the entries' bytes remain, for ``undo``; None when no entry was removed."""
    notes_left: tuple[str, ...] = ()
    """Notes in the folder of a forgotten person, by path in the vault: files, which only people delete."""


@dataclass(frozen=True, slots=True)
class KeepingParts:
    """What keeping works with."""

    agent: str
    ledger: Ledger
    host: Host
    worker: CaptureWorker
    lock: WriterLock
    clock: Clock
    configured_links: Mapping[str, tuple[str, ...]]
    """Of the settings; those of the ledger are added."""
    shared_in_groups: Sequence[str]
    """Session keys of groups that may see what the agent shares."""
    sync: Callable[[], Awaitable[None]]
    """Brings the engine to what the journal says."""
    retract: Retract | None = None
    """Takes what forgotten entries said out of the notes it was written to."""
    notes_of: Callable[[Sequence[str]], Awaitable[Sequence[str]]] | None = None
    """Returns the paths of the notes that lie in the folders of these anchors."""


class Keeping:
    """What a person, a tool or the command line does to entries."""

    def __init__(self, parts: KeepingParts) -> None:
        """Hold the parts.

        Raises:
            IdentityError: a key of the settings is malformed or a group's (permanent).
        """
        self._parts = parts
        checked_links(parts.agent, parts.configured_links)
        self._open_groups = frozenset(parse_session_key(key, parts.agent).anchor for key in parts.shared_in_groups)

    async def links(self) -> dict[str, tuple[str, ...]]:
        """Return anchors by name, of the settings and of the ledger together.

        Raises:
            IdentityError: one anchor stands under two names (permanent).
        """
        parts = self._parts
        merged: dict[str, list[str]] = {name: list(keys) for name, keys in parts.configured_links.items()}
        for name, anchors in (await parts.ledger.links.links(parts.agent)).items():
            merged.setdefault(name, []).extend(anchors)
        return checked_links(parts.agent, merged)

    async def link(self, name: str, keys: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """Make session keys one person; returns all links.

        Raises:
            IdentityError: a key is malformed, a group's, or another name's (permanent).
            InvalidInputError: no name or no key, or a name that is a session key (permanent).
        """
        if not name.strip() or not keys:
            msg = "A link needs a name and at least one session key: tercet identity link owner telegram:123."
            raise InvalidInputError(msg)
        if _is_session_key(name, self._parts.agent):
            msg = f"A link cannot be named {name!r}: that is a session key, and forgetting it would mean two people."
            raise InvalidInputError(msg)
        known = await self.links()
        checked = checked_links(self._parts.agent, {**known, name: (*known.get(name, ()), *keys)})
        added = checked_links(self._parts.agent, {name: tuple(keys)})[name]
        await self._parts.ledger.links.link(self._parts.agent, name, added)
        return checked

    async def unlink(self, name: str, keys: Sequence[str] = ()) -> dict[str, tuple[str, ...]]:
        """Part session keys from a name, or with none drop the name; returns what is left.

        Raises:
            NotFoundError: no such link; one of the settings is taken out there (permanent).
        """
        anchors = [parse_session_key(key, self._parts.agent).anchor for key in keys]
        await self._parts.ledger.links.unlink(self._parts.agent, name, anchors)
        return await self.links()

    async def reach(self, session_key: str | None) -> Reach:
        """Return what a session may see now.

        Raises:
            IdentityError: the key is malformed (permanent).
        """
        is_open = False
        if session_key is not None and self._open_groups:
            is_open = parse_session_key(session_key, self._parts.agent).anchor in self._open_groups
        return reach_for(self._parts.agent, session_key, await self.links(), shared_in_groups=is_open)

    async def remember(
        self,
        text: str,
        *,
        category: Category = "fact",
        importance: float = 0.7,
        session_key: str | None = None,
        supersedes: Sequence[str] = (),
    ) -> Entry:
        """Store one fact now: redacted, compared with what is there, in journal and index.

        Raises:
            InvalidInputError: blank, an importance outside [0, 1], or a ``supersedes`` id that is
                not live in the same scope (permanent).
        """
        # Half a character becomes U+FFFD, as in what is captured.
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        if not any(letter.isprintable() and not letter.isspace() for letter in text):
            msg = "There is nothing to remember: give a text."
            raise InvalidInputError(msg)
        if not 0 <= importance <= 1:
            msg = f"The importance {importance} is out of range: give 0 to 1."
            raise InvalidInputError(msg)
        parts = self._parts
        key = parse_session_key("main" if session_key is None else session_key, parts.agent)
        async with _Held(parts.lock):
            pieces = in_pieces(redact(text).text)
            # A long text is several entries, each embedded whole; the first stands for them. Secrets go
            # before it is cut: half a private key has no shape to be known by.
            entries = [
                await parts.worker.remember(
                    key.scope,
                    piece,
                    category=category,
                    importance=importance,
                    session="" if session_key is None else session_of(key),
                    supersedes=supersedes if place == 0 else (),
                    more=place < len(pieces) - 1,
                )
                for place, piece in enumerate(pieces)
            ]
            return entries[0]

    async def import_facts(self, facts: Sequence[ImportedFact], session_key: str | None = None) -> ImportReport:
        """Take facts of another memory over as entries, each once however often it is imported.

        Raises:
            IdentityError: the session key is malformed (permanent).
        """
        parts = self._parts
        key = parse_session_key("main" if session_key is None else session_key, parts.agent)
        report = ImportReport()
        for start in range(0, len(facts), IMPORTED_AT_ONCE):
            # Given back in between: whoever stores or captures meanwhile need not wait for all of them.
            async with _Held(parts.lock):
                batch = facts[start : start + IMPORTED_AT_ONCE]
                report = report.plus(await import_facts(parts.worker, parts.ledger, key.scope, batch))
        return report

    async def list_entries(
        self, session_key: str | None = None, since: datetime | None = None, limit: int = LISTED
    ) -> list[Entry]:
        """Return live entries that a session sees, newest first."""
        return await self._parts.ledger.journal.live(await self.reach(session_key), since=since, limit=limit)

    async def history(self, entry_id: str, session_key: str | None = None) -> list[Entry]:
        """Return what an entry replaced and what replaced it, oldest first.

        Raises:
            NotFoundError: there is no such entry in reach (permanent).
        """
        chain = await self._parts.ledger.journal.history(entry_id, await self._wide_reach(session_key))
        if not chain:
            raise _no_entry(entry_id)
        return chain

    async def forget(
        self,
        ids: Sequence[str] = (),
        *,
        query: str | None = None,
        session: str | None = None,
        anchor: str | None = None,
        session_key: str | None = None,
        confirm: bool = False,
    ) -> ForgetReport:
        """Take entries out of everything at once; with a query, only what was shown and confirmed.

        Args:
            ids: Entries, whole ids.
            query: What they are about; without ``confirm`` the candidates are only returned.
            session: A session key: all that came from this session.
            anchor: A session key or a link's name: everything about this person, on every platform.
            session_key: Whose memory ids and query are sought in; None is the whole agent's for ids.
            confirm: Remove what the query finds.

        Raises:
            NotFoundError: an id is no entry and no message that waits or was given up; nothing is guessed,
                nothing is removed (L16).
            InvalidInputError: none or several of ids, query, session and anchor are given.
            VaultUnavailableError: the entries are forgotten, but not the lines of notes that were
                made of them; the message says why (transient).
        """
        if sum(map(bool, (ids, query, session, anchor))) != 1:
            msg = "Say what to forget in one way: ids, a query, a session or an anchor."
            raise InvalidInputError(msg)
        journal, parts = self._parts.ledger.journal, self._parts
        at = parts.clock.now()
        purge_at = at + KEPT_FOR_UNDO
        candidates: list[Entry] = []
        if query:
            candidates = await self._about(query, session_key)
            if not confirm:
                return ForgetReport(tuple(candidates))
            gone = await journal.forget(at=at, purge_at=purge_at, ids=[entry.id for entry in candidates])
        elif session:
            key = parse_session_key(session, parts.agent)
            gone = await journal.forget(at=at, purge_at=purge_at, session=(parts.agent, session_of(key)))
        elif anchor:
            scopes = [Scope(parts.agent, each) for each in await self._anchors_of(anchor)]
            gone = await journal.forget(at=at, purge_at=purge_at, anchors=scopes)
        else:
            reach = await self._wide_reach(session_key)
            candidates = await self._named(list(dict.fromkeys(ids)), reach)
            for missing in set(ids) - {entry.id for entry in candidates}:
                raise _no_entry(missing)
            gone = await journal.forget(at=at, purge_at=purge_at, ids=[entry.id for entry in candidates])
        await parts.sync()
        if parts.retract is not None and gone.told:
            await parts.retract(gone.told)
        until = gone.purge_at if gone.entry_ids else None
        left: Sequence[str] = ()
        if anchor and parts.notes_of is not None:
            left = await parts.notes_of(await self._anchors_of(anchor))
        return ForgetReport(tuple(candidates), gone.entry_ids, len(gone.inbox_ids), until, tuple(left))

    async def undo(self, ids: Sequence[str] = ()) -> list[str]:
        """Bring back what the last forget took, or these ids, while their bytes remain; returns the ids.

        Raises:
            NotFoundError: there is nothing left to bring back (permanent).
        """
        journal, parts = self._parts.ledger.journal, self._parts
        meant = list(ids) or await journal.last_forgotten(parts.agent)
        back = await journal.undo(meant, at=parts.clock.now(), agent=parts.agent)
        if not back:
            msg = "There is nothing to bring back: bytes are kept for an hour after a forget."
            raise NotFoundError(msg)
        await parts.sync()
        return back

    async def _about(self, query: str, session_key: str | None) -> list[Entry]:
        reach = await self.reach(session_key)
        found = await self._parts.host.search(query, SearchOptions(limit=5 * CANDIDATES, reach=reach))
        ids = [hit.passage.id for hit in found if hit.passage.kind == "entry"]
        return (await self._named(ids, reach))[:CANDIDATES]

    async def _named(self, ids: Sequence[str], reach: Reach) -> list[Entry]:
        """Return the entries and the messages not worked in of these ids, in their order."""
        found = {entry.id: entry for entry in await self._parts.ledger.journal.get(ids, reach)}
        if any(each not in found for each in ids):
            for unworked in await self._parts.ledger.inbox.unworked(reach, MOST_UNWORKED):
                found.setdefault(unworked.item.id, _as_entry(unworked.item))
        return [found[each] for each in ids if each in found]

    async def _anchors_of(self, person: str) -> tuple[str, ...]:
        links = await self.links()
        if person in links:
            return links[person]
        anchor = parse_session_key(person, self._parts.agent).anchor
        return next((anchors for anchors in links.values() if anchor in anchors), (anchor,))

    async def _wide_reach(self, session_key: str | None) -> Reach:
        """Return what a session sees; without one, everything of the agent, as its owner at the keyboard."""
        if session_key is not None:
            return await self.reach(session_key)
        anchors = await self._parts.ledger.journal.anchors(self._parts.agent)
        return Reach(self._parts.agent, tuple(dict.fromkeys((SHARED, *anchors))))


class _Held:
    """A writer lock, waited for and given back."""

    def __init__(self, lock: WriterLock) -> None:
        self._lock = lock

    async def __aenter__(self) -> None:
        await self._lock.acquire()

    async def __aexit__(self, *_: object) -> None:
        self._lock.release()


def _is_session_key(name: str, agent: str) -> bool:
    try:
        parse_session_key(name, agent)
    except IdentityError:
        return False
    return True


def _as_entry(item: InboxItem) -> Entry:
    return Entry(
        item.id,
        item.scope,
        sanitise_user_text(item.text).text,
        said_at=item.said_at,
        session=item.session,
        message_id=item.message_id,
    )


def _no_entry(entry_id: str) -> NotFoundError:
    return NotFoundError(f"There is no entry {entry_id!r} here: take a whole id from 'tercet list' or 'tercet search'.")
