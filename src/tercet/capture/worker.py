"""Works what waits in the inbox into entries: in order, each thing once, whatever dies meanwhile."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from tercet.capture.dedupe import decide
from tercet.capture.drafts import Drafter, Drafts, entry_id
from tercet.capture.entry_sync import BATCH as SYNC_BATCH
from tercet.capture.entry_sync import entry_record, entry_row, sync_entries
from tercet.capture.injection import looks_like_injection
from tercet.capture.neighbours import Neighbours, squared_l2
from tercet.errors import InvalidInputError, TransientError
from tercet.model import Entry, Reach
from tercet.ports.capture import SeenAgain, Stored
from tercet.text.redaction import redact

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from tercet.capture.entry_sync import Embed
    from tercet.model import Category, InboxItem, Row, Scope
    from tercet.ports.capture import Change, Extractor
    from tercet.ports.engine import Engine
    from tercet.ports.ledger import Ledger
    from tercet.ports.manager import Clock

BATCH: Final = 32
LEASE_S: Final = 120.0
MOST_ATTEMPTS: Final = 5
MOST_BACKOFF_S: Final = 60.0
_RACES: Final = 5
"""How often a decision is made anew because the entries changed under it."""


@dataclass(frozen=True, slots=True)
class WorkerParts:
    """What the worker works with."""

    ledger: Ledger
    engine: Callable[[], Awaitable[Engine]]
    """Returns the open engine, or raises EngineUnavailableError."""
    embed: Embed
    extractor: Extractor
    rules: Extractor
    """Takes over where ``extractor`` is down; the same object where there is no other."""
    clock: Clock
    max_per_turn: int = 20


@dataclass(frozen=True, slots=True)
class CaptureReport:
    """What became of the messages."""

    kept: int = 0
    skipped: tuple[tuple[str, int], ...] = ()
    """Why messages or parts of them were not kept, and how often, most frequent first."""
    merged: int = 0
    """Told again: counted with the entry that says it already."""
    superseded: int = 0
    """Entries that something newer took the place of."""
    waiting: int = 0
    """Messages that wait on: the embedder is down, or they are to be tried again."""
    dead: int = 0
    """Messages given up in this run; kept as dead letters."""
    degraded: str | None = None
    """Why the rules selected instead of the language model; None when nothing of the like happened."""


@dataclass(frozen=True, slots=True)
class TakenOver:
    """What became of entries of another memory, by id; what stands in neither was known already."""

    added: tuple[str, ...]
    told: tuple[str, ...]
    """Counted with live entries that say the same."""


@dataclass(slots=True)
class _Tally:
    kept: int = 0
    skipped: Counter[str] = field(default_factory=Counter[str])
    merged: int = 0
    superseded: int = 0
    dead: int = 0
    fallback: str = ""


class CaptureWorker:
    """Makes entries of messages; one at a time in a home (hold its writer lock).

    A message is finished in the transaction that writes its entries, so that a kill leaves it either
    waiting or done.
    """

    def __init__(self, parts: WorkerParts) -> None:
        """Hold the parts; nothing is opened yet."""
        self._parts = parts
        self._inbox, self._journal = parts.ledger.inbox, parts.ledger.journal
        self._drafter = Drafter(parts.extractor, parts.rules, parts.max_per_turn)
        self._neighbours = Neighbours(self._journal, parts.engine)

    async def drain(self) -> CaptureReport:
        """Work in everything whose time has come; pauses where the embedder is down.

        Raises:
            TransientError: the ledger is busy; what was not finished waits on.
        """
        tally = _Tally()
        while items := await self._inbox.claim(BATCH, self._parts.clock.now(), LEASE_S):
            if not await self._work_in(items, tally):
                break
        await self._sync()
        status = await self._inbox.status()
        skipped = tuple(tally.skipped.most_common())
        degraded = f"{tally.fallback} The rules selected instead." if tally.fallback else None
        return CaptureReport(tally.kept, skipped, tally.merged, tally.superseded, status.waiting, tally.dead, degraded)

    async def run(self, stop: asyncio.Event, *, every_s: float = 5.0) -> None:
        """Drain again and again until ``stop`` is set."""
        while not stop.is_set():
            # What is down says so in its own status; what waits is tried again.
            with suppress(TransientError):
                await self.drain()
            try:
                await asyncio.wait_for(stop.wait(), every_s)
            except TimeoutError:
                continue

    async def remember(
        self,
        scope: Scope,
        text: str,
        *,
        category: Category = "fact",
        importance: float = 0.7,
        session: str = "",
        supersedes: Sequence[str] = (),
        more: bool = False,
    ) -> Entry:
        """Store one text now, by hand: redacted, compared, in the journal, and in the engine if it can be.

        While the embedder is down it is stored without a vector, which is filled in later. With
        ``more`` to come the engine is told of all of them with the last.

        Returns:
            The new entry, or the live one that says the same already.

        Raises:
            InvalidInputError: a ``supersedes`` id is not live in this scope (permanent).
        """
        at = self._parts.clock.now()
        safe = redact(text.strip()).text
        entry = Entry(
            id=entry_id("by hand", scope.agent, scope.anchor, at.isoformat(), safe),
            scope=scope,
            text=safe,
            category=category,
            importance=importance,
            said_at=at,
            origin="untrusted" if looks_like_injection(safe) else "owner",
            session=session,
        )
        (row,) = await self._rows([entry])
        change, _ = await self._settle(entry, row, told=supersedes)
        if not more:
            await self._sync()
        kept = change.entry_id if isinstance(change, SeenAgain) else entry.id
        stored = await self._journal.get([kept], Reach(scope.agent, (scope.anchor,)))
        return stored[0] if stored else await self._neighbours.same(scope, safe) or entry

    async def take_over(self, entries: Sequence[Entry]) -> TakenOver:
        """Store entries of another memory, each compared with what is there as a captured one is.

        They are embedded in batches; while the embedder is down they are stored without vectors,
        which are filled in later. An id that the journal knows, in any state, adds nothing.

        Args:
            entries: Redacted, oldest first, so that what is newer takes the place of what is older.
        """
        added: list[str] = []
        told: list[str] = []
        for start in range(0, len(entries), SYNC_BATCH):
            batch = entries[start : start + SYNC_BATCH]
            for entry, row in zip(batch, await self._rows(batch), strict=True):
                change, is_added = await self._settle(entry, row)
                if is_added:
                    added.append(entry.id)
                elif isinstance(change, SeenAgain):
                    told.append(entry.id)
            await self._sync()
        return TakenOver(tuple(added), tuple(told))

    async def _rows(self, entries: Sequence[Entry]) -> Sequence[Row]:
        """Return the entries' rows, without vectors while the embedder is down."""
        plain = [entry_row(entry) for entry in entries]
        return (await self._parts.embed(plain)) or plain

    async def _settle(self, entry: Entry, row: Row, *, told: Sequence[str] = ()) -> tuple[Change, bool]:
        """Decide about one entry and write what was decided; also whether the entry was added."""
        at = self._parts.clock.now()
        race = 0
        while True:
            change = await self._change(entry, row, told=told)
            try:
                return change, bool(await self._journal.apply([change], at=at))
            except InvalidInputError:
                # Trigger: somebody forgot or replaced an entry between decision and writing.
                race += 1
                if told or race == _RACES:
                    raise

    async def _work_in(self, items: Sequence[InboxItem], tally: _Tally) -> bool:
        """Work in one batch; False when the embedder is down and nothing more can be done."""
        drafts = [draft for item in items if (draft := await self._drafted(item, tally)) is not None]
        plain = [entry_row(entry) for draft in drafts for entry in draft.entries]
        rows: Sequence[Row] | None = await self._parts.embed(plain) if plain else ()
        if rows is None:
            # Trigger: the embedder is down. Why: without vectors repeats would be missed. Outcome:
            # all wait in their order, found by words; what gives no entry is finished all the same.
            empty = [draft for draft in drafts if not draft.entries]
            waiting = [draft.item.id for draft in drafts if draft.entries]
            await self._inbox.release(waiting, retry_at=self._parts.clock.now(), count_attempt=False)
            for draft in empty:
                await self._finish(draft, {}, tally)
            return False
        by_id = {row.passage.id: row for row in rows}
        for draft in drafts:
            try:
                await self._finish(draft, by_id, tally)
            except TransientError:
                raise
            except Exception as error:  # noqa: BLE001 - one message must not stop the others; it is kept, with the reason
                await self._put_off(draft.item, error, tally)
        await self._sync()
        return True

    async def _drafted(self, item: InboxItem, tally: _Tally) -> Drafts | None:
        try:
            return await self._drafter.draft(item)
        except Exception as error:  # noqa: BLE001 - as above
            await self._put_off(item, error, tally)
            return None

    async def _put_off(self, item: InboxItem, error: Exception, tally: _Tally) -> None:
        reason = f"{type(error).__name__}: {error}"
        if item.attempts + 1 >= MOST_ATTEMPTS:
            await self._inbox.bury([item.id], reason)
            tally.dead += 1
            return
        backoff = timedelta(seconds=min(MOST_BACKOFF_S, 2.0**item.attempts))
        await self._inbox.release([item.id], retry_at=self._parts.clock.now() + backoff, count_attempt=True)

    async def _finish(self, draft: Drafts, rows: dict[str, Row], tally: _Tally) -> None:
        """Write the entries of one message and finish it, in one transaction."""
        at = self._parts.clock.now()
        race = 0
        while True:
            changes = await self._changes(draft, rows)
            try:
                added = await self._journal.apply(changes, at=at, done=[draft.item.id])
            except InvalidInputError:
                # Trigger: somebody forgot or replaced an entry between decision and writing.
                race += 1
                if race == _RACES:
                    raise
                continue
            break
        tally.skipped.update(draft.skipped)
        tally.fallback = tally.fallback or draft.fallback
        tally.kept += len(added)
        tally.merged += len(changes) - len(added)
        stored = {change.entry.id: change for change in changes if isinstance(change, Stored)}
        tally.superseded += sum(len(stored[entry].supersedes) for entry in added)

    async def _changes(self, draft: Drafts, rows: dict[str, Row]) -> list[Change]:
        item = draft.item
        ordinal = await self._journal.last_ordinal(item.scope, item.session) + 1 if item.keep_all else 0
        changes: list[Change] = []
        earlier: list[tuple[Entry, Row]] = []
        for place, drafted in enumerate(draft.entries):
            entry, row = drafted, rows[drafted.id]
            if item.keep_all:
                entry = replace(drafted, ordinal=ordinal + place)
                row = replace(entry_row(entry), vector=row.vector)
            change = await self._change(entry, row, earlier=earlier, keep_all=item.keep_all)
            changes.append(change)
            if isinstance(change, Stored):
                earlier.append((entry, row))
        return changes

    async def _change(
        self,
        entry: Entry,
        row: Row,
        *,
        earlier: Sequence[tuple[Entry, Row]] = (),
        keep_all: bool = False,
        told: Sequence[str] = (),
    ) -> Change:
        """Decide what becomes of one entry; ``earlier`` are those of the same message."""
        exact = await self._neighbours.same(entry.scope, entry.text)
        if exact is not None and exact.id == entry.id:
            return Stored(entry, entry_record(row))  # a replay: the journal knows it
        near: list[tuple[Entry, float]] = []
        if not keep_all:
            # A conversation that is kept word for word is neither thinned out nor corrected.
            near = await self._neighbours.near(row)
            near += [(other, squared_l2(held.vector, row.vector)) for other, held in earlier]
            near.sort(key=lambda pair: pair[1])
        decision = decide(
            entry.text,
            near,
            exact,
            said_at=entry.said_at,
            may_supersede=entry.origin == "owner",
            told_to_supersede=told,
        )
        if decision.verdict == "duplicate":
            return SeenAgain(decision.targets[0], entry.said_at or self._parts.clock.now())
        self._neighbours.add(row)
        return Stored(entry, entry_record(row), decision.superseded, decision.links)

    async def _sync(self) -> None:
        """Tell the engine; where it is away the journal knows what it lacks."""
        known = self._neighbours.rows()

        async def embed(rows: Sequence[Row]) -> Sequence[Row] | None:
            made = [known.get(row.passage.id) for row in rows]
            lacking = [row for row, held in zip(rows, made, strict=True) if held is None or held.vector is None]
            if not lacking:
                return [held for held in made if held is not None]
            done = await self._parts.embed(lacking)
            if done is None:
                return None
            by_id = {row.passage.id: row for row in done}
            return [by_id.get(row.passage.id) or known[row.passage.id] for row in rows]

        try:
            await sync_entries(self._journal, await self._parts.engine(), embed)
        except TransientError:
            return
        self._neighbours.clear()
