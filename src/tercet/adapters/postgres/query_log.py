"""The latest queries with the ids they found; bounded, and without passage text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tercet.adapters.postgres.times import unix_ms
from tercet.adapters.sqlite.query_log import LOGGED_HITS, LOGGED_QUERIES

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from tercet.adapters.postgres.database import Connection
    from tercet.model import Reach


async def append_query(
    connection: Connection, query: str, hit_ids: Sequence[str], at: datetime, best: float | None, reach: Reach | None
) -> None:
    """Log a query and drop the oldest beyond the bound, within the caller's transaction.

    Raises:
        InvalidInputError: the time has no zone (permanent).
    """
    at_ms = unix_ms(at)
    number = await last_number(connection, "query", 1)
    await connection.execute(
        "INSERT INTO query_log (number, query, hit_ids, at_ms, best, agent, anchors) "
        "VALUES (%s, %s, %s::text[], %s, %s, %s, %s::text[])",
        (
            number,
            query,
            list(hit_ids[:LOGGED_HITS]),
            at_ms,
            best if reach else None,  # nobody's question is in nobody's salience
            reach.agent if reach else "",
            list(reach.anchors if reach else ()),
        ),
    )
    await connection.execute("DELETE FROM query_log WHERE number <= %s", (number - LOGGED_QUERIES,))


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


async def last_number(connection: Connection, log: str, more: int) -> int:
    """Take the next ``more`` numbers of a tenant's log and return the last of them.

    Whoever else adds to the log waits until the transaction ends: numbers have no gaps, so that a
    bound needs no counting, and are committed in order.
    """
    found = await connection.execute(
        "INSERT INTO log_position AS held (log, last) VALUES (%s, %s) "
        "ON CONFLICT (tenant, log) DO UPDATE SET last = held.last + excluded.last RETURNING last",
        (log, more),
    )
    number: int
    (number,) = await found.fetchone() or (more,)
    return number
