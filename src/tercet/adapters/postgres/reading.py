"""What a search asks of the index by vector and by id."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tercet.adapters.postgres.conditions import compile_filter
from tercet.adapters.postgres.nearest_index import indexed_type
from tercet.adapters.postgres.rows import SELECTED, WITH_VECTOR, row_of
from tercet.adapters.postgres.statements import fetch, fetch_one
from tercet.adapters.vectors import check_vector
from tercet.model import Match

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tercet.adapters.postgres.conditions import Clause
    from tercet.adapters.postgres.database import Connection
    from tercet.adapters.postgres.space_records import SpaceRecord
    from tercet.adapters.postgres.store import PostgresStore
    from tercet.filters import Filter
    from tercet.model import Row, Space, Vector

_TIE_MARGIN = 8
_LEAST_EF, _MOST_EF = 200, 1000
"""Candidates HNSW keeps on its way: recall@10 was .97 with 40, its default, 1.0 from 100 on (60,000 clustered vectors
of 512 numbers), and 200 took no longer; 1000 is the most the extension takes."""
_DISTANCE = "vector_l2_squared_distance(v.vector, %(query)s)"
"""A function and no operator: no index answers for it, so that whoever orders by it searches exactly."""
_OWN_VECTOR = "v.tenant = %(tenant)s AND v.space = %(space)s"


async def vector_topk(
    store: PostgresStore, vector: Vector, k: int, where: Filter, *, exact: bool, exact_rows: int
) -> list[Match]:
    """Return what ``Engine.vector_topk`` promises.

    Args:
        store: An open store.
        vector: The query.
        k: Most rows wanted.
        where: What may be found.
        exact: Whether every row in reach is read, however many.
        exact_rows: Rows in reach up to which all are read in any case.
    """
    query = check_vector(vector, store.space.dimensions if store.space else None)
    async with store.reading("search by vector") as connection:
        space = await store.serving_space(connection)
        clause = None if space is None or k <= 0 else compile_filter(where, store.tenant, space.name)
        if space is None or clause is None:
            return []
        values = {**clause.values, "query": query, "k": k}
        if exact or not space.has_index or not await _has_more(connection, clause, exact_rows):
            found = await _all_compared(connection, clause, values)
        else:
            found = await _walked(connection, clause, values, space, k)
    return matches_of(found)


async def get(store: PostgresStore, ids: Sequence[str]) -> list[Row]:
    """Return what ``Engine.get`` promises; an id asked for twice comes once."""
    wanted = list(dict.fromkeys(ids))
    async with store.reading("read rows") as connection:
        values = {"tenant": store.tenant, "ids": wanted, "space": await store.stored_space(connection)}
        found = await fetch(
            connection,
            f"SELECT {SELECTED} FROM passages p {WITH_VECTOR}"  # noqa: S608 - values are parameters
            " WHERE p.tenant = %(tenant)s AND p.id = ANY(%(ids)s::text[])",
            values,
        )
    rows = {row.passage.id: row for row in map(row_of, found)}
    return [rows[identifier] for identifier in wanted if identifier in rows]


async def scan(store: PostgresStore, where: Filter, *, after: str, limit: int) -> list[Row]:
    """Return what ``Engine.scan`` promises."""
    async with store.reading("list rows") as connection:
        space = await store.stored_space(connection)
        clause = compile_filter(where, store.tenant, space, after=after) if limit > 0 else None
        if clause is None:
            return []
        found = await fetch(
            connection,
            f"SELECT {SELECTED} FROM passages p {WITH_VECTOR} WHERE {clause.text} ORDER BY p.id LIMIT %(limit)s",  # noqa: S608 - values are parameters
            {**clause.values, "limit": limit},
        )
    return [row_of(record) for record in found]


def matches_of(found: Sequence[Sequence[Any]]) -> list[Match]:  # Any: one value a column
    """Return the matches of records whose last value is the raw number."""
    return [Match(row_of(record), float(record[-1])) for record in found]


async def _has_more(connection: Connection, clause: Clause, rows: int) -> bool:
    """Say whether more rows than this meet a condition; counts no further."""
    (count,) = await fetch_one(
        connection,
        f"SELECT count(*) FROM (SELECT FROM passages p WHERE {clause.text} LIMIT %(most)s) AS found",  # noqa: S608 - values are parameters
        {**clause.values, "most": rows + 1},
    )
    return bool(count > rows)


async def _all_compared(
    connection: Connection, clause: Clause, values: Mapping[str, object]
) -> list[tuple[Any, ...]]:  # Any: one value a column
    """Compare the query with every vector in reach, whatever indexes there are."""
    return await fetch(
        connection,
        f"WITH reach AS MATERIALIZED (SELECT p.id FROM passages p WHERE {clause.text}),"  # noqa: S608 - values are parameters
        f" best AS MATERIALIZED (SELECT v.id, {_DISTANCE} AS squared_l2 FROM reach"
        f" JOIN vectors v ON {_OWN_VECTOR} AND v.id = reach.id ORDER BY squared_l2, v.id LIMIT %(k)s)"
        f" {_WITH_ROWS}",
        values,
    )


async def _walked(
    connection: Connection, clause: Clause, values: Mapping[str, object], space: SpaceRecord, k: int
) -> list[tuple[Any, ...]]:  # Any: one value a column
    """Walk the index from near to far until enough rows in reach were met."""
    ef = str(min(max(k, _LEAST_EF), _MOST_EF))
    # Without sorting, so that the planner does not read every vector after all.
    await fetch(
        connection,
        "SELECT set_config('hnsw.ef_search', %(ef)s, true), set_config('enable_sort', 'off', true)",
        {"ef": ef},
    )
    walk = (
        f"SELECT v.id, {_DISTANCE} AS squared_l2 FROM vectors v"  # noqa: S608 - values are parameters
        f" JOIN passages p ON p.tenant = v.tenant AND p.id = v.id WHERE {_OWN_VECTOR} AND {clause.text}"
        f" ORDER BY {_walk_order(space.space)} LIMIT %(walked)s"
    )
    walked = k + _TIE_MARGIN
    while True:
        near = await fetch(connection, walk, {**values, "walked": walked})
        # The index breaks ties as it likes: walk on until no tie crosses the k-th place.
        if len(near) < walked or near[k - 1][1] < near[-1][1]:
            break
        walked *= 4
    best = sorted(near, key=lambda found: (found[1], found[0]))[:k]
    picked = "WITH best AS (SELECT * FROM unnest(%(ids)s::text[], %(found)s::float8[]) AS b (id, squared_l2))"
    return await fetch(
        connection,
        f"{picked} {_WITH_ROWS}",
        {**values, "ids": [found[0] for found in best], "found": [found[1] for found in best]},
    )


def _walk_order(space: Space) -> str:
    """Return the expression of the index, since it answers for no other."""
    kind = indexed_type(space.dimensions)
    return f"v.vector::{kind} <-> %(query)s::{kind}"


_WITH_ROWS = (
    f"SELECT {SELECTED}, best.squared_l2 FROM best"  # noqa: S608 - names of this program alone
    " JOIN passages p ON p.tenant = %(tenant)s AND p.id = best.id"
    f" JOIN vectors v ON {_OWN_VECTOR} AND v.id = best.id ORDER BY best.squared_l2, best.id"
)
