"""Upkeep of one tenant's index, and the figures that ``status`` shows."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from tercet.adapters.postgres.nearest_index import build_missing, drop_unused
from tercet.adapters.postgres.statements import fetch, fetch_one
from tercet.ports.engine import EngineStats

if TYPE_CHECKING:
    from tercet.adapters.postgres.database import Connection
    from tercet.adapters.postgres.store import PostgresStore

_TABLES = ("passages", "passage_terms", "vectors")
_LEADER_LOCK = 0x7E2C03
"""Class of the advisory locks, one a tenant, that the one maintaining service holds."""
_STALE_SHARE = 0.2
"""Of a table's rows changed since its statistics were made; autovacuum's own measure is half of it."""


async def maintain(store: PostgresStore, budget_s: float, exact_rows: int) -> str:
    """Do upkeep as ``Engine.maintain`` promises; where another service is at it, leave it to that.

    Old versions of rows are the server's own affair (autovacuum).

    Args:
        store: An open store.
        budget_s: Seconds after which no further step begins; a step that runs is not cut short.
        exact_rows: Rows in reach above which vectors get an index.

    Returns:
        One line.
    """
    deadline = time.monotonic() + budget_s
    async with store.upkeep("be maintained") as connection:
        (is_leader,) = await fetch_one(
            connection,
            "SELECT pg_try_advisory_lock(%(class)s, hashtext(%(tenant)s))",
            {"class": _LEADER_LOCK, "tenant": store.tenant},
        )
        if not is_leader:
            return "Another service maintains this tenant's index now."
        # The lock ends with the connection.
        if not await _is_owner(connection):
            return "Left upkeep to the owner of the tables."
        await fetch(connection, "SELECT gin_clean_pending_list('passage_terms_lexemes')")
        done = ["took new lexemes in", await _refresh_statistics(connection)]
        if time.monotonic() <= deadline:
            done.append(await drop_unused(connection, store.tenant))
        if time.monotonic() <= deadline:
            done.append(await build_missing(connection, store.tenant, exact_rows))
        return "; ".join(filter(None, done)) + "."


async def stats(store: PostgresStore) -> EngineStats:
    """Return what ``Engine.stats`` promises.

    Rows are counted. Bytes are the tenant's share, by rows, of what the tables of all take.
    """
    async with store.reading("be measured") as connection:
        values = {"tenant": store.tenant, "space": await store.stored_space(connection), "tables": list(_TABLES)}
        rows, vectors = await fetch_one(
            connection,
            "SELECT (SELECT count(*) FROM passages WHERE tenant = %(tenant)s),"
            " (SELECT count(*) FROM vectors WHERE tenant = %(tenant)s AND space = %(space)s)",
            values,
        )
        all_bytes, all_rows = await fetch_one(
            connection,
            "SELECT sum(pg_total_relation_size(oid))::bigint,"
            " max(reltuples) FILTER (WHERE relname = 'passages')::float8"
            " FROM pg_class WHERE relnamespace = 'tercet'::regnamespace AND relname = ANY(%(tables)s::text[])",
            values,
        )
    share = rows / max(rows, all_rows, 1)
    return EngineStats(
        rows=rows,
        rows_without_vector=rows - vectors,
        bytes_on_disk=round(all_bytes * share),
        versions=1,
        # Lexemes not yet merged into their index are searched with it.
        unindexed_rows=0,
    )


async def _is_owner(connection: Connection) -> bool:
    """Say whether the service's role may make indexes; where it may only read and write, another one does."""
    (is_owner,) = await fetch_one(
        connection, "SELECT pg_has_role(relowner, 'USAGE') FROM pg_class WHERE oid = 'tercet.passages'::regclass"
    )
    return bool(is_owner)


async def _refresh_statistics(connection: Connection) -> str:
    """Let the planner know of a bulk load before autovacuum comes round; says what was done."""
    stale = await fetch(
        connection,
        "SELECT relname::text FROM pg_stat_user_tables WHERE schemaname = 'tercet'"
        " AND relname = ANY(%(tables)s::text[]) AND n_mod_since_analyze > %(share)s::float8 * n_live_tup",
        {"tables": list(_TABLES), "share": _STALE_SHARE},
    )
    for (name,) in stale:
        await fetch(connection, f"VACUUM (ANALYZE, SKIP_LOCKED) tercet.{name}")
    return f"refreshed the statistics of {len(stale)} tables" if stale else ""
