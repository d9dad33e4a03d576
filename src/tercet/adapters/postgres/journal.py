"""The truth about entries, in the shared database."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from tercet.adapters.ledger_times import unix_ms
from tercet.adapters.postgres.embedding_cache import forget_vectors
from tercet.adapters.postgres.journal_apply import apply, prepare
from tercet.adapters.postgres.journal_forget import Target, due_texts, erase, forget, last_forgotten, undo
from tercet.adapters.postgres.journal_pages import PageFilter, page_of, undo_until
from tercet.adapters.postgres.journal_rows import chain_of, entries_by_id, live_by_digest, live_entries, pending_entries
from tercet.model import Entry, Scope
from tercet.ports.capture import Forgotten
from tercet.text.entry_passage import passage_of
from tercet.text.indexed_text import embedded_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from tercet.adapters.postgres.database import Connection, Database
    from tercet.model import Category, Reach
    from tercet.ports.capture import Change, EntryState, Recorded


class PostgresJournal:
    """See ``tercet.ports.capture.Journal``."""

    def __init__(self, database: Database) -> None:
        """Use an open database."""
        self._database = database
        self._given_out: dict[str, int] = {}
        """Revision of each entry as ``pending`` last gave it out here."""

    async def apply(self, changes: Sequence[Change], *, at: datetime, done: Sequence[str] = ()) -> list[str]:
        """Write changes and finish the inbox items they came from, in one transaction.

        Raises:
            InvalidInputError: what is to be superseded or seen again is not live there (permanent).
            LedgerBusyError: the server cannot be reached, or other work held the scope too long; nothing
                is written, or (where the answer was lost) all: call it again (transient).
        """
        prepared = prepare(changes)
        return await self._database.run(lambda connection: apply(connection, prepared, at, done), "store entries")

    async def get(self, ids: Sequence[str], reach: Reach) -> list[Entry]:
        """Return entries in any state but forgotten, in the order asked for."""
        return await self._database.run(lambda connection: entries_by_id(connection, ids, reach), "read entries")

    async def live(self, reach: Reach, *, since: datetime | None = None, limit: int = 1000) -> list[Entry]:
        """Return live entries, newest first by the time they were said (or stored)."""
        since_ms = None if since is None else unix_ms(since)
        return await self._database.run(
            lambda connection: live_entries(connection, reach, since_ms, limit), "list entries"
        )

    async def by_text(self, scope: Scope, digests: Sequence[str]) -> dict[str, Entry]:
        """Return live entries of exactly this scope by ``tercet.text.same_text.text_digest`` of their text."""
        return await self._database.run(lambda connection: live_by_digest(connection, scope, digests), "find entries")

    async def history(self, entry_id: str, reach: Reach) -> list[Entry]:
        """Return the chain of supersession that the entry belongs to, oldest first; empty out of reach."""
        return await self._database.run(lambda connection: chain_of(connection, entry_id, reach), "read a history")

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
        target = Target(tuple(ids), tuple(anchors), *(session or ("", "")))

        async def work(connection: Connection) -> Forgotten:
            entry_ids, inbox_ids, told = await forget(connection, target, at, purge_at)
            await forget_vectors(connection, _cache_keys(text for _, text in told))
            return Forgotten(tuple(entry_ids), tuple(inbox_ids), purge_at, tuple(told))

        return await self._database.run(work, "forget")

    async def undo(self, entry_ids: Sequence[str], *, at: datetime, agent: str | None = None) -> list[str]:
        """Bring back what was forgotten, of one agent or of all, while its text remains; returns the ids."""
        return await self._database.run(lambda connection: undo(connection, entry_ids, at, agent), "undo a forget")

    async def last_forgotten(self, agent: str) -> list[str]:
        """Return the entry ids of the agent's latest forget that can still be undone."""
        return await self._database.run(lambda connection: last_forgotten(connection, agent), "find the last forget")

    async def undo_until(self, entry_ids: Sequence[str], agent: str) -> dict[str, tuple[Scope, datetime]]:
        """Return whose these forgotten entries are and until when ``undo`` can bring them back."""
        return await self._database.run(
            lambda connection: undo_until(connection, entry_ids, agent), "find what can be undone"
        )

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
        wanted = PageFilter(reach, states, categories, since, until, before)
        return await self._database.run(lambda connection: page_of(connection, wanted, limit), "list entries")

    async def purge(self, now: datetime) -> int:
        """Erase the texts of what was forgotten and is due; tombstones stay. Returns how many.

        No row and no question to the server shows them any more. The bytes leave its files as the
        server cleans up (autovacuum, recycling of its log), and its backups as they grow old.
        """
        now_ms = unix_ms(now)

        async def work(connection: Connection) -> int:
            # Again: what was being embedded while it was forgotten came into the cache after it.
            await forget_vectors(connection, _cache_keys(await due_texts(connection, now_ms)))
            return await erase(connection, now)

        return await self._database.run(work, "erase what is due")

    async def pending(self, limit: int) -> tuple[list[Entry], list[str]]:
        """Return (live entries the engine lacks, ids it must delete)."""
        live, gone, revisions = await self._database.run(
            lambda connection: pending_entries(connection, limit), "list what the engine lacks"
        )
        self._given_out.update(revisions)
        return live, gone

    async def synced(self, ids: Sequence[str], *, has_vector: bool) -> None:
        """Note that the engine has (or no longer has) these; one changed since ``pending`` stays pending."""
        given = {entry_id: self._given_out.pop(entry_id, None) for entry_id in ids}
        await self._database.run(
            lambda connection: _synced(connection, given, has_vector=has_vector), "note what the engine has"
        )

    async def synced_count(self) -> int:
        """Return how many live entries the engine has, over all agents."""
        return await self._database.run(_synced_count, "count entries")

    async def anchors(self, agent: str) -> list[str]:
        """Return the anchors under which an agent has entries not forgotten, or messages that wait, sorted."""
        return await self._database.run(lambda connection: _anchors(connection, agent), "list anchors")

    async def last_ordinal(self, scope: Scope, session: str) -> int:
        """Return the highest ordinal that an entry of this session has, 0 when there is none."""
        return await self._database.run(
            lambda connection: _last_ordinal(connection, scope, session), "read a session's entries"
        )

    async def reset_sync(self) -> None:
        """Mark every live entry as lacking in the engine, for a rebuild."""
        await self._database.run(_reset_sync, "begin a rebuild")


def _cache_keys(texts: Iterable[str]) -> list[str]:
    """Return the keys under which the vectors of entries with these texts lie."""
    embedded = (embedded_text(passage_of(Entry("", Scope(""), text))) for text in texts)
    return [hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest() for text in embedded]


async def _synced(connection: Connection, given: dict[str, int | None], *, has_vector: bool) -> None:
    # Locked in the order of their ids first: two services may note the same ones at once.
    await connection.execute("SELECT FROM entry WHERE id = ANY(%s) ORDER BY id FOR UPDATE", (list(given),))
    await connection.execute(
        "UPDATE entry SET synced = revision = coalesce(known, revision), has_vector = %s "
        "FROM unnest(%s::text[], %s::integer[]) AS given (given_id, known) WHERE id = given_id",
        (has_vector, list(given), list(given.values())),
    )


async def _synced_count(connection: Connection) -> int:
    found = await connection.execute("SELECT count(*) FROM entry WHERE synced AND state = 'live'")
    ((count,),) = await found.fetchall()
    return int(count)


async def _anchors(connection: Connection, agent: str) -> list[str]:
    found = await connection.execute(
        "SELECT anchor FROM scope WHERE agent = %(agent)s AND EXISTS (SELECT FROM entry "
        "WHERE (entry.agent, entry.anchor) = (scope.agent, scope.anchor) AND state <> 'forgotten') "
        "UNION SELECT anchor FROM inbox WHERE agent = %(agent)s AND state = 'waiting' ORDER BY anchor",
        {"agent": agent},
    )
    return [anchor for (anchor,) in await found.fetchall()]


async def _last_ordinal(connection: Connection, scope: Scope, session: str) -> int:
    found = await connection.execute(
        "SELECT coalesce(max(ordinal), 0) FROM entry "
        "WHERE session = %s AND session <> '' AND agent = %s AND anchor = %s",
        (session, scope.agent, scope.anchor),
    )
    ((ordinal,),) = await found.fetchall()
    return int(ordinal)


async def _reset_sync(connection: Connection) -> None:
    await connection.execute(
        "UPDATE entry SET synced = false, has_vector = false, revision = revision + 1 WHERE state = 'live'"
    )
