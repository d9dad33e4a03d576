"""The truth about entries, in the ledger."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from tercet.adapters.ledger_times import unix_ms
from tercet.adapters.sqlite.journal_apply import apply, pack
from tercet.adapters.sqlite.journal_forget import due_texts, erase, forget, last_forgotten, undo
from tercet.adapters.sqlite.journal_pages import PageFilter, page_of, undo_until
from tercet.adapters.sqlite.journal_rows import chain_of, entries_by_id, live_by_digest, live_entries, pending_entries
from tercet.model import Entry, Scope
from tercet.ports.capture import Forgotten
from tercet.text.entry_passage import passage_of
from tercet.text.indexed_text import embedded_text

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from tercet.adapters.sqlite.connection import Database
    from tercet.adapters.sqlite.embedding_cache import SqliteEmbeddingCache
    from tercet.model import Category, Reach
    from tercet.ports.capture import Change, EntryState, Recorded


class SqliteJournal:
    """See ``tercet.ports.capture.Journal``."""

    def __init__(self, database: Database, cache: SqliteEmbeddingCache) -> None:
        """Use an open database and the cache in which forgotten texts have vectors."""
        self._database = database
        self._cache = cache
        self._given_out: dict[str, int] = {}
        """Revision of each entry as ``pending`` last gave it out here."""

    async def apply(self, changes: Sequence[Change], *, at: datetime, done: Sequence[str] = ()) -> list[str]:
        """Write changes and finish the inbox items they came from, in one transaction.

        Raises:
            InvalidInputError: what is to be superseded or seen again is not live there (permanent).
        """
        packed = await self._database.aside(pack, tuple(changes))
        return await self._database.write(apply, packed, at, tuple(done))

    async def get(self, ids: Sequence[str], reach: Reach) -> list[Entry]:
        """Return entries in any state but forgotten, in the order asked for."""
        return await self._database.read(entries_by_id, tuple(ids), reach)

    async def live(self, reach: Reach, *, since: datetime | None = None, limit: int = 1000) -> list[Entry]:
        """Return live entries, newest first by the time they were said (or stored)."""
        return await self._database.read(live_entries, reach, None if since is None else unix_ms(since), limit)

    async def by_text(self, scope: Scope, digests: Sequence[str]) -> dict[str, Entry]:
        """Return live entries of exactly this scope by ``tercet.text.same_text.text_digest`` of their text."""
        return await self._database.read(live_by_digest, scope, tuple(digests))

    async def history(self, entry_id: str, reach: Reach) -> list[Entry]:
        """Return the chain of supersession that the entry belongs to, oldest first; empty out of reach."""
        return await self._database.read(chain_of, entry_id, reach)

    async def forget(
        self,
        *,
        at: datetime,
        purge_at: datetime,
        ids: Sequence[str] = (),
        anchors: Sequence[Scope] = (),
        session: tuple[str, str] | None = None,
    ) -> Forgotten:
        """Take entries and waiting items out of everything at once; see the port."""
        entry_ids, inbox_ids, told = await self._database.write(
            forget, tuple(ids), tuple(anchors), session, at, purge_at
        )
        await self._cache.forget(_cache_keys(text for _, text in told))
        await self._database.fold()
        return Forgotten(tuple(entry_ids), tuple(inbox_ids), purge_at, tuple(told))

    async def undo(self, entry_ids: Sequence[str], *, at: datetime, agent: str | None = None) -> list[str]:
        """Bring back what was forgotten, of one agent or of all, while its bytes remain; returns the ids."""
        return await self._database.write(undo, tuple(entry_ids), at, agent)

    async def last_forgotten(self, agent: str) -> list[str]:
        """Return the entry ids of the agent's latest forget that can still be undone."""
        return await self._database.read(last_forgotten, agent)

    async def undo_until(self, entry_ids: Sequence[str], agent: str) -> dict[str, tuple[Scope, datetime]]:
        """Return whose these forgotten entries are and until when ``undo`` can bring them back."""
        return await self._database.read(undo_until, tuple(entry_ids), agent)

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
        """Return entries by the time they were stored, the latest first; see the port.

        Raises:
            InvalidInputError: a time has no zone (permanent).
        """
        wanted = PageFilter(reach, tuple(states), tuple(categories), since, until, before)
        return await self._database.read(page_of, wanted, limit)

    async def purge(self, now: datetime) -> int:
        """Erase the bytes of what was forgotten and is due; tombstones stay. Returns how many."""
        due = await self._database.read(due_texts, unix_ms(now))
        if not due:
            return 0
        # Again: whoever forgot may have been killed between the two files.
        await self._cache.forget(_cache_keys(text for _, text in due))
        count = await self._database.write(erase, now)
        await self._database.fold()
        return count

    async def pending(self, limit: int) -> tuple[list[Entry], list[str]]:
        """Return (live entries the engine lacks, ids it must delete)."""
        live, gone, revisions = await self._database.read(pending_entries, limit)
        self._given_out.update(revisions)
        return live, gone

    async def synced(self, ids: Sequence[str], *, has_vector: bool) -> None:
        """Note that the engine has (or no longer has) these; one changed since ``pending`` stays pending."""
        given = [(self._given_out.pop(entry_id, None), entry_id) for entry_id in ids]
        await self._database.write(_synced, given, int(has_vector))

    async def synced_count(self) -> int:
        """Return how many live entries the engine has, over all agents."""
        return await self._database.read(_synced_count)

    async def anchors(self, agent: str) -> list[str]:
        """Return the anchors under which an agent has entries not forgotten, or messages that wait, sorted."""
        return await self._database.read(_anchors, agent)

    async def last_ordinal(self, scope: Scope, session: str) -> int:
        """Return the highest ordinal that an entry of this session has, 0 when there is none."""
        return await self._database.read(_last_ordinal, scope, session)

    async def reset_sync(self) -> None:
        """Mark every live entry as lacking in the engine, for a rebuild."""
        await self._database.write(_reset_sync)


def _cache_keys(texts: Iterable[str]) -> list[str]:
    """Return the keys under which the vectors of entries with these texts lie."""
    embedded = (embedded_text(passage_of(Entry("", Scope(""), text))) for text in texts)
    return [hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest() for text in embedded]


def _synced(connection: sqlite3.Connection, given: Sequence[tuple[int | None, str]], has_vector: int) -> None:
    connection.executemany(
        "UPDATE entry SET synced = (revision = coalesce(?, revision)), has_vector = ? WHERE id = ?",
        [(revision, has_vector, entry_id) for revision, entry_id in given],
    )


def _synced_count(connection: sqlite3.Connection) -> int:
    count: int
    (count,) = connection.execute("SELECT count(*) FROM entry WHERE synced = 1 AND state = 'live'").fetchone()
    return count


def _anchors(connection: sqlite3.Connection, agent: str) -> list[str]:
    rows = connection.execute(
        "SELECT anchor FROM scope WHERE agent = ? AND (EXISTS "
        "(SELECT 1 FROM entry WHERE scope_id = scope.id AND state <> 'forgotten') "
        "OR id IN (SELECT scope_id FROM inbox WHERE state = 'waiting')) ORDER BY anchor",
        (agent,),
    )
    return [anchor for (anchor,) in rows]


def _last_ordinal(connection: sqlite3.Connection, scope: Scope, session: str) -> int:
    ordinal: int
    (ordinal,) = connection.execute(
        "SELECT coalesce(max(ordinal), 0) FROM entry JOIN scope ON scope.id = scope_id "
        "WHERE session = ? AND session <> '' AND agent = ? AND anchor = ?",
        (session, scope.agent, scope.anchor),
    ).fetchone()
    return ordinal


def _reset_sync(connection: sqlite3.Connection) -> None:
    connection.execute("UPDATE entry SET synced = 0, has_vector = 0, revision = revision + 1 WHERE state = 'live'")
