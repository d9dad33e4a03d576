"""Upserts and deletes of rows, one transaction a call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tercet.adapters.passage_values import check_passage
from tercet.adapters.postgres.conditions import compile_filter
from tercet.adapters.postgres.lexemes import scope_mark, to_tsvector
from tercet.adapters.postgres.rows import UPSERT, columns_of
from tercet.adapters.postgres.space_records import lock_spaces
from tercet.adapters.postgres.statements import fetch
from tercet.adapters.vectors import check_rows
from tercet.filters import Filter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tercet.adapters.postgres.database import Connection
    from tercet.adapters.postgres.store import PostgresStore
    from tercet.model import Row

_ROWS_AT_ONCE = 500

_SEE_EVERY_LEXEME = "SELECT set_config('app.lexemes', '!''none''', true)"
"""A query that every row meets: an upsert must see the row it replaces."""
_UPSERT_TERMS = (
    "INSERT INTO passage_terms (tenant, id, agent, anchor, length, lexemes)"
    " SELECT %(tenant)s, id, agent, anchor, length, lexemes::tsvector FROM unnest(%(id)s::text[],"
    " %(agent)s::text[], %(anchor)s::text[], %(length)s::integer[], %(lexemes)s::text[])"
    " AS u (id, agent, anchor, length, lexemes)"
    " ON CONFLICT (tenant, id) DO UPDATE SET agent = excluded.agent, anchor = excluded.anchor,"
    " length = excluded.length, lexemes = excluded.lexemes"
)
_INSERT_VECTORS = (
    "INSERT INTO vectors (tenant, id, space, vector) SELECT %(tenant)s, id, %(space)s, vector"
    " FROM unnest(%(id)s::text[], %(vector)b::vector[]) AS u (id, vector)"
)


_DELETE_VECTORS = "DELETE FROM vectors WHERE tenant = %(tenant)s AND id = ANY(%(id)s::text[])"
"""In every space: a vector of the text that was is none of the text that is."""


@dataclass(frozen=True, slots=True)
class _Part:
    """Some rows as they are sent."""

    columns: dict[str, list[object]]
    with_vector: list[Row]

    @staticmethod
    def of(tenant: str, rows: Sequence[Row]) -> _Part:
        scopes = (row.passage.scope for row in rows)
        marks = (scope_mark(tenant, scope.agent, scope.anchor) for scope in scopes)
        lexemes: list[object] = [to_tsvector(row.terms, mark) for row, mark in zip(rows, marks, strict=True)]
        return _Part({**columns_of(rows), "lexemes": lexemes}, [row for row in rows if row.vector is not None])


async def upsert(store: PostgresStore, rows: Sequence[Row]) -> None:
    """Write rows as ``Engine.upsert`` promises.

    Vectors of a space that is not kept here are not stored: their rows wait for a re-embedding.
    """
    check_rows(rows, store.space.dimensions if store.space else None)
    # In the order of ids, so that two writers of the same rows wait for each other and never in a ring.
    unique = sorted({row.passage.id: row for row in rows}.values(), key=lambda row: row.passage.id)
    for row in unique:
        check_passage(row.passage)
    parts = [
        _Part.of(store.tenant, unique[start : start + _ROWS_AT_ONCE]) for start in range(0, len(unique), _ROWS_AT_ONCE)
    ]
    if not parts:
        return

    async def work(connection: Connection) -> None:
        space = (await lock_spaces(connection, store.tenant, alone=False)).stored(store.space)
        await fetch(connection, _SEE_EVERY_LEXEME)
        for part in parts:
            await _upsert_part(connection, store.tenant, space, part)

    await store.write(work, "write rows")


async def delete(store: PostgresStore, what: Sequence[str] | Filter) -> None:
    """Delete rows as ``Engine.delete`` promises; their lexemes and vectors go with them."""

    async def work(connection: Connection) -> None:
        if not isinstance(what, Filter):
            values = {"tenant": store.tenant, "ids": sorted(set(what))}
            await fetch(
                connection, "DELETE FROM passages WHERE tenant = %(tenant)s AND id = ANY(%(ids)s::text[])", values
            )
            return
        clause = compile_filter(what, store.tenant, await store.stored_space(connection))
        if clause is not None:
            await fetch(connection, f"DELETE FROM passages p WHERE {clause.text}", clause.values)  # noqa: S608 - values are parameters

    await store.write(work, "delete rows")


async def insert_vectors(
    connection: Connection, tenant: str, space: str, ids: Sequence[str], vectors: Sequence[object]
) -> None:
    """Give rows that are there a vector in a space in which they have none."""
    values = {"tenant": tenant, "space": space, "id": list(ids), "vector": list(vectors)}
    await fetch(connection, _INSERT_VECTORS, values)


async def _upsert_part(connection: Connection, tenant: str, space: str | None, part: _Part) -> None:
    values = {"tenant": tenant, **part.columns}
    for statement in (UPSERT, _UPSERT_TERMS, _DELETE_VECTORS):
        await fetch(connection, statement, values)
    if space is not None and part.with_vector:
        vectors = [row.vector for row in part.with_vector]
        await insert_vectors(connection, tenant, space, [row.passage.id for row in part.with_vector], vectors)
