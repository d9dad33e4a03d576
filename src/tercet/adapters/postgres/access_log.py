"""What was looked at and what was asked in vain, in the shared database."""

# ruff: noqa: S608 - only a constant is put between the words; every value is bound

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from tercet.adapters.ledger_bounds import KEPT_ACCESSES
from tercet.adapters.ledger_times import unix_ms
from tercet.adapters.postgres.durability import relax
from tercet.adapters.postgres.query_log import NUMBERED
from tercet.ports.accesses import Accesses, WeakQuery

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tercet.adapters.postgres.database import Connection, Database
    from tercet.model import Reach
    from tercet.ports.accesses import AccessKind


class PostgresAccessLog:
    """See ``tercet.ports.accesses.AccessLog``."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def note(self, items: Sequence[str], kind: AccessKind, at: datetime) -> None:
        """Note one access of each item; a power cut may lose the last of them.

        Raises:
            InvalidInputError: the time has no zone (permanent).
            LedgerBusyError: the database is away, or others hold the log for too long (transient).
        """
        at_ms = unix_ms(at)

        async def noted(connection: Connection) -> None:
            await relax(connection)
            await _note(connection, items, kind, at_ms)

        await self._database.run(noted, "note accesses")

    async def counts(self, since: datetime) -> dict[str, Accesses]:
        """Return the accesses from ``since`` on, by item."""
        async with self._database.transaction("count accesses") as connection:
            found = await connection.execute(
                "SELECT item, count(*), max(at_ms) FROM access WHERE at_ms >= %s GROUP BY item", (unix_ms(since),)
            )
            rows = await found.fetchall()
        return {item: Accesses(count, datetime.fromtimestamp(latest / 1000, UTC)) for item, count, latest in rows}

    async def weak_queries(self, reach: Reach, since: datetime, below: float) -> list[WeakQuery]:
        """Return what was asked within reach and found nothing as good as ``below``, the latest first."""
        async with self._database.transaction("read logged queries") as connection:
            found = await connection.execute(
                "SELECT query, times, hit_ids FROM (SELECT DISTINCT ON (query) "
                "query, count(*) OVER (PARTITION BY query) AS times, hit_ids, number FROM query_log "
                "WHERE best < %s AND at_ms >= %s AND agent = %s AND anchors <@ %s::text[] "
                "ORDER BY query, number DESC) AS latest ORDER BY number DESC",
                (below, unix_ms(since), reach.agent, list(reach.anchors)),
            )
            rows = await found.fetchall()
        return [WeakQuery(query, times, tuple(hit_ids)) for query, times, hit_ids in rows]


async def forget_accesses(connection: Connection, ids: Sequence[str]) -> None:
    """Drop every access of these entries, within the caller's transaction and after it marked them forgotten."""
    if ids:
        await connection.execute("DELETE FROM access WHERE item = ANY(%s::text[])", (list(ids),))


async def _note(connection: Connection, items: Sequence[str], kind: str, at_ms: int) -> None:
    # An access is written behind its answer: the entry may have been forgotten in between. Held, it
    # cannot be forgotten until this access is there to be dropped with it.
    found = await connection.execute(
        "SELECT id, state FROM entry WHERE id = ANY(%s::text[]) ORDER BY id FOR SHARE", (list(set(items)),)
    )
    forgotten = {entry_id for entry_id, state in await found.fetchall() if state == "forgotten"}
    kept = [item for item in items if item not in forgotten]
    if not kept:
        return
    await connection.execute(
        f"WITH {NUMBERED}, noted AS (INSERT INTO access (number, item, kind, at_ms) "
        "SELECT last - %(more)s + place, item, %(kind)s, %(at_ms)s "
        "FROM numbered, unnest(%(items)s::text[]) WITH ORDINALITY AS kept (item, place)) "
        "DELETE FROM access USING numbered WHERE number <= last - %(kept)s",
        {
            "log": "access",
            "more": len(kept),
            "kept": KEPT_ACCESSES,
            "items": kept,
            "kind": kind,
            "at_ms": at_ms,
        },
    )
