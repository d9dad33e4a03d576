"""The HNSW index over one tenant's vectors of one space, for tenants too big to be read whole."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from tercet.adapters.postgres.space_records import read_spaces
from tercet.adapters.postgres.statements import fetch, fetch_one

if TYPE_CHECKING:
    from tercet.adapters.postgres.database import Connection
    from tercet.adapters.postgres.space_records import SpaceRecord

MOST_DIMENSIONS = 4000
"""Of an indexed vector; above 2000 the index holds its numbers in half precision. Longer ones are searched exactly."""

_MOST_IN_FULL = 2000
_BUILD_LOCK = 0x7E2C02
"""Of the advisory lock that the one build of the database holds; two would wait for each other."""
_PREFIX = "nearest_"


def indexed_type(dimensions: int) -> str:
    """Return the type that the index holds vectors of this length in."""
    return f"{'vector' if dimensions <= _MOST_IN_FULL else 'halfvec'}({dimensions})"


async def build_missing(connection: Connection, tenant: str, least_rows: int) -> str:
    """Index the active space where one may see more than ``least_rows`` rows; says what was done.

    Searches and writes go on meanwhile. One build runs at a time in a database.

    Args:
        connection: In autocommit, bound to the tenant.
        tenant: Whose vectors.
        least_rows: Up to as many, an exact search is fast enough.
    """
    active = (await read_spaces(connection, tenant)).active
    if active is None or active.space.dimensions > MOST_DIMENSIONS or active.has_index:
        return ""
    if await _biggest_reach(connection, tenant) <= least_rows:
        return ""
    (is_ours,) = await fetch_one(connection, "SELECT pg_try_advisory_lock(%(lock)s)", {"lock": _BUILD_LOCK})
    if not is_ours:
        return "left the index over vectors to the next time, another is being built"
    try:
        await _build(connection, tenant, active)
    finally:
        await fetch(connection, "SELECT pg_advisory_unlock(%(lock)s)", {"lock": _BUILD_LOCK})
    return f"indexed the vectors of {active.space.model}"


async def drop_unused(connection: Connection, tenant: str) -> str:
    """Drop the indexes of this tenant's former spaces and those whose build was cut short; says what was done."""
    records = await read_spaces(connection, tenant)
    known = (records.active, records.filling)
    kept = [_name(tenant, record.name) for record in known if record is not None and record.has_index]
    unused = await fetch(
        connection,
        "SELECT relname::text FROM pg_class WHERE relnamespace = 'tercet'::regnamespace AND relkind = 'i'"
        " AND starts_with(relname, %(own)s::text) AND relname <> ALL(%(kept)s::text[])",
        {"own": _name(tenant, ""), "kept": kept},
    )
    for (name,) in unused:
        await fetch(connection, f"DROP INDEX CONCURRENTLY IF EXISTS tercet.{name}")
    return f"dropped {len(unused)} indexes" if unused else ""


async def _biggest_reach(connection: Connection, tenant: str) -> int:
    """Return how many rows the best-provided conversation sees: its agent's shared ones and its own.

    Many small scopes make a big tenant, but no search of it needs an index.
    """
    (rows,) = await fetch_one(
        connection,
        "SELECT coalesce(max(shared + own), 0)::bigint FROM (SELECT coalesce(max(rows) FILTER (WHERE anchor = ''), 0)"
        " AS shared, coalesce(max(rows) FILTER (WHERE anchor <> ''), 0) AS own FROM (SELECT agent, anchor,"
        " count(*) AS rows FROM passages WHERE tenant = %(tenant)s GROUP BY agent, anchor) AS scopes"
        " GROUP BY agent) AS agents",
        {"tenant": tenant},
    )
    return int(rows)


async def _build(connection: Connection, tenant: str, space: SpaceRecord) -> None:
    name = _name(tenant, space.name)
    kind = indexed_type(space.space.dimensions)
    # It waits for every transaction that began before it, however long.
    await fetch(connection, "SELECT set_config('lock_timeout', '0', false)")
    # Tenant and space are names of a closed alphabet, and no parameter is allowed here.
    await fetch(
        connection,
        f"CREATE INDEX CONCURRENTLY {name} ON tercet.vectors USING hnsw"
        f" ((vector::{kind}) {kind.partition('(')[0]}_l2_ops) WHERE tenant = '{tenant}' AND space = '{space.name}'",
    )
    # The planner's samples of an index are shown to every tenant: row-level security hides those of tables alone.
    await fetch(connection, f"ALTER INDEX tercet.{name} ALTER COLUMN 1 SET STATISTICS 0")
    await fetch(
        connection,
        "UPDATE spaces SET has_index = true WHERE tenant = %(tenant)s AND name = %(name)s",
        {"tenant": tenant, "name": space.name},
    )


def _name(tenant: str, space: str) -> str:
    return f"{_PREFIX}{hashlib.sha256(tenant.encode()).hexdigest()[:16]}_{space}"
