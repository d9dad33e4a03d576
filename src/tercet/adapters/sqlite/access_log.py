"""What was looked at and what was asked in vain, in the ledger."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from tercet.adapters.ledger_bounds import KEPT_ACCESSES
from tercet.adapters.ledger_times import unix_ms
from tercet.adapters.sqlite.connection import as_list
from tercet.ports.accesses import Accesses, WeakQuery

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

    from tercet.adapters.sqlite.connection import Database
    from tercet.model import Reach
    from tercet.ports.accesses import AccessKind


class SqliteAccessLog:
    """See ``tercet.ports.accesses.AccessLog``."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def note(self, items: Sequence[str], kind: AccessKind, at: datetime) -> None:
        """Note one access of each item; a power cut may lose the last of them.

        Raises:
            InvalidInputError: the time has no zone (permanent).
            LedgerBusyError: another process writes for too long (transient).
        """
        await self._database.write_relaxed(_note, tuple(items), kind, unix_ms(at))

    async def counts(self, since: datetime) -> dict[str, Accesses]:
        """Return the accesses from ``since`` on, by item."""
        return await self._database.read(_counts, unix_ms(since))

    async def weak_queries(self, reach: Reach, since: datetime, below: float) -> list[WeakQuery]:
        """Return what was asked within reach and found nothing as good as ``below``, the latest first."""
        return await self._database.read(_weak_queries, reach, unix_ms(since), below)


def forget_accesses(connection: sqlite3.Connection, ids: Sequence[str]) -> None:
    """Drop every access of these entries; the caller holds the transaction."""
    connection.execute("DELETE FROM access WHERE item IN (SELECT value FROM json_each(?))", (as_list(ids),))


def _note(connection: sqlite3.Connection, items: tuple[str, ...], kind: str, at_ms: int) -> None:
    # An access is written behind its answer: the entry may have been forgotten in between.
    connection.execute(
        "INSERT INTO access (item, kind, at_ms) SELECT value, ?, ? FROM json_each(?) "
        "WHERE NOT EXISTS (SELECT 1 FROM entry WHERE id = value AND state = 'forgotten')",
        (kind, at_ms, as_list(items)),
    )
    # Numbers only grow and are never given twice, so the bound needs no counting.
    connection.execute("DELETE FROM access WHERE number <= (SELECT max(number) FROM access) - ?", (KEPT_ACCESSES,))


def _counts(connection: sqlite3.Connection, since_ms: int) -> dict[str, Accesses]:
    rows = connection.execute(
        "SELECT item, count(*), max(at_ms) FROM access WHERE at_ms >= ? GROUP BY item", (since_ms,)
    )
    return {item: Accesses(count, datetime.fromtimestamp(latest / 1000, UTC)) for item, count, latest in rows}


def _weak_queries(connection: sqlite3.Connection, reach: Reach, since_ms: int, below: float) -> list[WeakQuery]:
    # Beside max(), SQLite takes the other columns from the row that has it: the latest.
    rows = connection.execute(
        "SELECT query, count(*), hit_ids, max(id) FROM query_log "
        "WHERE best < ? AND at_ms >= ? AND agent = ? AND NOT EXISTS "
        "(SELECT 1 FROM json_each(anchors) WHERE value NOT IN (SELECT value FROM json_each(?))) "
        "GROUP BY query ORDER BY max(id) DESC",
        (below, since_ms, reach.agent, as_list(reach.anchors)),
    )
    return [WeakQuery(query, times, tuple(json.loads(hit_ids))) for query, times, hit_ids, _ in rows]
