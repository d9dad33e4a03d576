"""The latest queries with the ids they found; bounded, and without passage text."""

# ruff: noqa: S608 - only a constant of this module is put between the words; every value is bound

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tercet.adapters.ledger_bounds import LOGGED_HITS, LOGGED_QUERIES
from tercet.adapters.ledger_times import unix_ms

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from tercet.adapters.postgres.database import Connection
    from tercet.model import Reach

NUMBERED: Final = (
    "numbered AS (INSERT INTO log_position AS held (log, last) VALUES (%(log)s, %(more)s) "
    "ON CONFLICT (tenant, log) DO UPDATE SET last = held.last + excluded.last RETURNING last)"
)
"""Takes the next numbers of a tenant's log, as the first part of a statement that adds to it.

Whoever else adds to the log waits until the transaction ends: numbers have no gaps, so that a bound
needs no counting, and are committed in order.
"""


async def append_query(
    connection: Connection, query: str, hit_ids: Sequence[str], at: datetime, best: float | None, reach: Reach | None
) -> None:
    """Log a query and drop the oldest beyond the bound, within the caller's transaction.

    Raises:
        InvalidInputError: the time has no zone (permanent).
    """
    await connection.execute(
        f"WITH {NUMBERED}, logged AS (INSERT INTO query_log (number, query, hit_ids, at_ms, best, agent, anchors) "
        "SELECT last, %(query)s, %(hit_ids)s::text[], %(at_ms)s, %(best)s, %(agent)s, %(anchors)s::text[] "
        "FROM numbered) "
        "DELETE FROM query_log USING numbered WHERE number <= last - %(kept)s",
        {
            "log": "query",
            "more": 1,
            "kept": LOGGED_QUERIES,
            "query": query,
            "hit_ids": list(hit_ids[:LOGGED_HITS]),
            "at_ms": unix_ms(at),
            "best": best if reach else None,  # nobody's question is in nobody's salience
            "agent": reach.agent if reach else "",
            "anchors": list(reach.anchors if reach else ()),
        },
    )


async def latest_queries(connection: Connection, limit: int) -> list[tuple[str, list[str]]]:
    """Return up to ``limit`` queries with their hit ids, newest first."""
    found = await connection.execute(
        "SELECT query, hit_ids FROM query_log ORDER BY number DESC LIMIT %s", (max(limit, 0),)
    )
    return [(query, hit_ids) for query, hit_ids in await found.fetchall()]


async def forget_queries(connection: Connection, ids: Sequence[str]) -> None:
    """Drop logged queries that found any of these: a query says what its answer says."""
    if ids:
        await connection.execute("DELETE FROM query_log WHERE hit_ids && %s::text[]", (list(ids),))
