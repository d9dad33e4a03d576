"""Inbox and journal in memory, for the tests of what stands on them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from tercet.errors import InvalidInputError
from tercet.model import Entry, Scope
from tercet.ports.capture import Forgotten, InboxStatus, Recorded, Stored, Unworked
from tercet.testing.memory_accesses import MemoryAccessLog
from tercet.text.same_text import text_digest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tercet.model import Category, InboxItem, Reach
    from tercet.ports.capture import Change, EntryState

_LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(slots=True)
class _HeldItem:
    item: InboxItem
    due: datetime = _LONG_AGO
    state: str = "waiting"
    reason: str = ""


class MemoryInbox:
    """See ``tercet.ports.capture.Inbox``."""

    def __init__(self) -> None:
        self.held: dict[str, _HeldItem] = {}

    async def put(self, items: Sequence[InboxItem]) -> int:
        """Keep items and return how many are new."""
        new = [item for item in {item.id: item for item in items}.values() if item.id not in self.held]
        self.held.update((item.id, _HeldItem(item)) for item in new)
        return len(new)

    async def claim(self, limit: int, now: datetime, lease_s: float) -> list[InboxItem]:
        """Lease the oldest items whose time has come."""
        due = [held for held in self._waiting() if held.due <= now][: max(limit, 0)]
        for held in due:
            held.due = now + timedelta(seconds=lease_s)
        return [held.item for held in due]

    async def release(self, ids: Sequence[str], *, retry_at: datetime, count_attempt: bool) -> None:
        """Give items back unworked."""
        for held in self._waiting():
            if held.item.id in ids:
                held.due = retry_at
                held.item = replace(held.item, attempts=held.item.attempts + count_attempt)

    async def bury(self, ids: Sequence[str], reason: str) -> None:
        """Move items to the dead letters."""
        for held in self._waiting():
            if held.item.id in ids:
                held.state, held.reason = "dead", reason

    async def status(self, agent: str | None = None) -> InboxStatus:
        """Return counts."""
        mine = [held for held in self.held.values() if agent in (None, held.item.scope.agent)]
        waiting = [held.item.received_at for held in mine if held.state == "waiting"]
        return InboxStatus(len(waiting), next(iter(waiting), None), sum(held.state == "dead" for held in mine))

    async def waiting(self, reach: Reach, limit: int) -> list[InboxItem]:
        """Return what waits in reach, newest first."""
        found = [held.item for held in self._waiting() if is_in_reach(held.item.scope, reach)]
        return found[::-1][: max(limit, 0)]

    async def unworked(self, reach: Reach, limit: int) -> list[Unworked]:
        """Return what waits and the dead letters in reach, the last put first."""
        kept = [held for held in self.held.values() if held.state in {"waiting", "dead"}]
        found = [
            Unworked(held.item, is_dead, held.reason, None if is_dead or held.due == _LONG_AGO else held.due)
            for held in kept[::-1]
            if is_in_reach(held.item.scope, reach)
            for is_dead in (held.state == "dead",)
        ]
        return found[: max(limit, 0)]

    def _waiting(self) -> list[_HeldItem]:
        return [held for held in self.held.values() if held.state == "waiting"]


def is_in_reach(scope: Scope, reach: Reach) -> bool:
    """Return whether the scope is one of the reach."""
    return scope.agent == reach.agent and scope.anchor in reach.anchors


@dataclass(slots=True)
class _HeldEntry:
    entry: Entry
    terms: tuple[str, ...]
    links: tuple[str, ...] = ()
    synced: bool = False
    changed: bool = False
    """Since ``pending`` last gave it out."""
    before: str = ""
    forgotten_in: int = 0
    purge_at: datetime | None = None

    @property
    def at(self) -> datetime:
        return self.entry.said_at or self.entry.stored_at or _LONG_AGO

    @property
    def stored(self) -> tuple[datetime, str]:
        return _in_ms(self.entry.stored_at or _LONG_AGO), self.entry.id

    def change(self, entry: Entry) -> None:
        self.entry, self.synced, self.changed = entry, False, True


class MemoryJournal:
    """See ``tercet.ports.capture.Journal``."""

    def __init__(self, inbox: MemoryInbox, queries: list[tuple[str, list[str]]]) -> None:
        self._inbox = inbox
        self._queries = queries
        self._held: dict[str, _HeldEntry] = {}
        self._batches = 0
        self.accesses = MemoryAccessLog(self._is_forgotten)

    def _is_forgotten(self, entry_id: str) -> bool:
        held = self._held.get(entry_id)
        return held is not None and held.entry.state == "forgotten"

    async def apply(self, changes: Sequence[Change], *, at: datetime, done: Sequence[str] = ()) -> list[str]:
        """Write changes and finish inbox items, all or nothing."""
        items = [self._inbox.held[item] for item in done if item in self._inbox.held]
        closed = {_source(held.item) for held in items if held.state != "waiting"}
        if items and all(held.state != "waiting" for held in items):
            return []
        before = {key: replace(held) for key, held in self._held.items()}
        added: list[str] = []
        try:
            for change in changes:
                if not isinstance(change, Stored):
                    self._see_again(change.entry_id, change.at)
                elif _source(change.entry) not in closed and self._store(change, at):
                    added.append(change.entry.id)
        except InvalidInputError:
            self._held = before
            raise
        for held in items:
            if held.state == "waiting":
                held.state = "done"
        return added

    def _store(self, change: Stored, at: datetime) -> bool:
        entry = change.entry
        if change.record.id != entry.id:
            msg = f"The terms of {change.record.id!r} were given for {entry.id!r}."
            raise InvalidInputError(msg)
        if entry.id in self._held:
            return False
        for target in dict.fromkeys(change.supersedes):
            held = self._held.get(target)
            if held is None or held.entry.state != "live" or held.entry.scope != entry.scope:
                msg = f"The entry {target!r} is not live in this scope and cannot be superseded."
                raise InvalidInputError(msg)
            held.change(replace(held.entry, state="superseded", superseded_by=entry.id))
        same = self._live_with(entry.scope, text_digest(entry.text))
        if same is not None:
            if change.supersedes:
                msg = f"The entry {same.entry.id!r} says the same as the new one."
                raise InvalidInputError(msg)
            self._see_again(same.entry.id, entry.said_at or at)
            return False
        stored_at = entry.stored_at or at
        seen = entry.last_seen or entry.said_at or stored_at
        entry = replace(entry, stored_at=stored_at, last_seen=seen, state="live", superseded_by="", links=())
        self._held[entry.id] = _HeldEntry(entry, change.record.terms, change.links)
        return True

    def _see_again(self, entry_id: str, at: datetime) -> None:
        held = self._held.get(entry_id)
        if held is None or held.entry.state != "live":
            msg = f"The entry {entry_id!r} is not live any more and cannot be seen again."
            raise InvalidInputError(msg)
        held.entry = replace(held.entry, seen=held.entry.seen + 1, last_seen=at)

    def _live_with(self, scope: Scope, digest: str) -> _HeldEntry | None:
        found = [h for h in self._live() if h.entry.scope == scope and text_digest(h.entry.text) == digest]
        return found[-1] if found else None

    def _live(self) -> list[_HeldEntry]:
        return [held for held in self._held.values() if held.entry.state == "live"]

    def _shown(self, held: _HeldEntry) -> Entry:
        linked = {*held.links, *(key for key, other in self._held.items() if held.entry.id in other.links)}
        kept = (key for key in linked if key in self._held and self._held[key].entry.state != "forgotten")
        return replace(held.entry, links=tuple(sorted(kept)))

    async def get(self, ids: Sequence[str], reach: Reach) -> list[Entry]:
        """Return entries in any state but forgotten."""
        found = [self._held[key] for key in dict.fromkeys(ids) if key in self._held]
        return [self._shown(h) for h in found if h.entry.state != "forgotten" and is_in_reach(h.entry.scope, reach)]

    async def live(self, reach: Reach, *, since: datetime | None = None, limit: int = 1000) -> list[Entry]:
        """Return live entries, newest first."""
        found = [h for h in self._live() if is_in_reach(h.entry.scope, reach) and h.at >= (since or _LONG_AGO)]
        # Of those said at the same time the one stored last comes first.
        return [self._shown(h) for h in sorted(found, key=lambda h: h.at)[::-1]][: max(limit, 0)]

    async def by_text(self, scope: Scope, digests: Sequence[str]) -> dict[str, Entry]:
        """Return live entries of exactly this scope by digest."""
        found = {digest: self._live_with(scope, digest) for digest in digests}
        return {digest: self._shown(held) for digest, held in found.items() if held is not None}

    async def history(self, entry_id: str, reach: Reach) -> list[Entry]:
        """Return the chain of supersession, oldest first."""
        if not await self.get([entry_id], reach):
            return []
        chain, size = {entry_id}, 0
        while size < len(chain):
            size = len(chain)
            for key, held in self._held.items():
                by = held.entry.superseded_by
                if by and (key in chain or by in chain):
                    chain |= {key, by}
        ordered = sorted((self._held[key] for key in self._held if key in chain), key=lambda h: h.at)
        return await self.get([held.entry.id for held in ordered], reach)

    async def forget(
        self,
        *,
        at: datetime,
        purge_at: datetime,
        ids: Sequence[str] = (),
        anchors: Sequence[Scope] = (),
        session: tuple[str, str] | None = None,
    ) -> Forgotten:
        """Take entries and waiting items out."""
        del at
        self._batches += 1

        def is_meant(one: Entry | InboxItem) -> bool:
            of_session = session is not None and bool(session[1]) and (one.scope.agent, one.session) == session
            return one.id in ids or one.scope in anchors or of_session

        entries: list[str] = []
        texts: set[tuple[Scope, str]] = set()
        for key, held in self._held.items():
            if held.entry.state != "forgotten" and is_meant(held.entry):
                held.before, held.forgotten_in, held.purge_at = held.entry.state, self._batches, purge_at
                held.change(replace(held.entry, state="forgotten"))
                entries.append(key)
                texts.add((held.entry.scope, text_digest(held.entry.text)))
        gone: list[str] = []
        for key, held_item in self._inbox.held.items():
            same = (held_item.item.scope, text_digest(held_item.item.text)) in texts
            if held_item.state in {"waiting", "dead"} and (same or is_meant(held_item.item)):
                held_item.state = "forgotten"
                gone.append(key)
        found_them = {*entries, *gone}
        self._queries[:] = [query for query in self._queries if not found_them.intersection(query[1])]
        self.accesses.forget(found_them)
        told = tuple((self._held[key].entry.scope, self._held[key].entry.text) for key in entries)
        return Forgotten(tuple(entries), tuple(gone), purge_at, told)

    async def undo(self, entry_ids: Sequence[str], *, at: datetime, agent: str | None = None) -> list[str]:
        """Bring back what was forgotten, while its text remains."""
        del at
        back: list[str] = []
        for key in dict.fromkeys(entry_ids):
            held = self._held.get(key)
            if held is None or held.purge_at is None or (agent is not None and held.entry.scope.agent != agent):
                continue
            told = self._live_with(held.entry.scope, text_digest(held.entry.text))
            if held.before == "live" and told is not None:
                held.change(replace(held.entry, state="superseded", superseded_by=told.entry.id))
            else:
                held.change(replace(held.entry, state="live" if held.before == "live" else "superseded"))
            held.before, held.forgotten_in, held.purge_at = "", 0, None
            back.append(key)
        return back

    async def last_forgotten(self, agent: str) -> list[str]:
        """Return the ids of the agent's latest forget that can still be undone."""
        mine = [h for h in self._held.values() if h.entry.scope.agent == agent and h.purge_at is not None]
        last = max((held.forgotten_in for held in mine), default=0)
        return [held.entry.id for held in mine if held.forgotten_in == last]

    async def undo_until(self, entry_ids: Sequence[str], agent: str) -> dict[str, tuple[Scope, datetime]]:
        """Return whose these forgotten entries are and until when they can be brought back."""
        held = [self._held[key] for key in entry_ids if key in self._held]
        mine = [each for each in held if each.entry.scope.agent == agent]
        return {each.entry.id: (each.entry.scope, each.purge_at) for each in mine if each.purge_at is not None}

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
        """Return entries by the time they were stored, the latest first."""
        found = [
            held
            for held in self._held.values()
            if is_in_reach(held.entry.scope, reach)
            and held.entry.state in states
            and (held.entry.state != "forgotten" or held.purge_at is not None)
            and (not categories or held.entry.category in categories)
            and (since is None or held.stored[0] >= _in_ms(since))
            and (until is None or held.stored[0] < _in_ms(until))
            and (before is None or held.stored < (_in_ms(before[0]), before[1]))
        ]
        return [self._recorded(held) for held in sorted(found, key=lambda h: h.stored)[::-1][: max(limit, 0)]]

    def _recorded(self, held: _HeldEntry) -> Recorded:
        entry = held.entry
        if entry.state == "forgotten":
            left = Entry(entry.id, entry.scope, "", entry.category, stored_at=entry.stored_at, state="forgotten")
            return Recorded(left, undo_until=held.purge_at)
        older = [each.entry for each in self._held.values() if each.entry.superseded_by == entry.id]
        return Recorded(self._shown(held), tuple(sorted(each.id for each in older if each.state != "forgotten")))

    async def purge(self, now: datetime) -> int:
        """Erase the texts of what is due."""
        due = [held for held in self._held.values() if held.purge_at is not None and held.purge_at <= now]
        for held in due:
            held.entry = Entry(held.entry.id, held.entry.scope, "", state="forgotten")
            held.terms, held.links, held.purge_at = (), (), None
        return len(due)

    async def pending(self, limit: int) -> tuple[list[Entry], list[str]]:
        """Return (live entries the engine lacks, ids it must delete)."""
        found = [held for held in self._held.values() if not held.synced][: max(limit, 0)]
        for held in found:
            held.changed = False
        live = [self._shown(held) for held in found if held.entry.state == "live"]
        return live, [held.entry.id for held in found if held.entry.state != "live"]

    async def synced(self, ids: Sequence[str], *, has_vector: bool) -> None:
        """Note that the engine has (or no longer has) these."""
        del has_vector
        for key in ids:
            if key in self._held:
                self._held[key].synced = not self._held[key].changed

    async def synced_count(self) -> int:
        """Return how many live entries the engine has."""
        return sum(held.synced for held in self._live())

    async def anchors(self, agent: str) -> list[str]:
        """Return the anchors under which an agent has entries, or messages that wait."""
        scopes = [h.entry.scope for h in self._held.values() if h.entry.state != "forgotten"]
        scopes += [h.item.scope for h in self._inbox.held.values() if h.state == "waiting"]
        return sorted({scope.anchor for scope in scopes if scope.agent == agent})

    async def last_ordinal(self, scope: Scope, session: str) -> int:
        """Return the highest ordinal of a session."""
        held = [h.entry for h in self._held.values() if session and h.entry.session == session]
        return max((entry.ordinal for entry in held if entry.scope == scope), default=0)

    async def reset_sync(self) -> None:
        """Mark every live entry as lacking."""
        for held in self._live():
            held.change(held.entry)

    def terms_in(self, reach: Reach) -> list[tuple[str, ...]]:
        """Return the terms of every live entry in reach."""
        return [held.terms for held in self._live() if is_in_reach(held.entry.scope, reach)]


def _in_ms(at: datetime) -> datetime:
    return at.replace(microsecond=at.microsecond // 1000 * 1000)


def _source(one: Entry | InboxItem) -> tuple[Scope, str, str, datetime | None]:
    return one.scope, one.session, one.message_id, one.said_at
