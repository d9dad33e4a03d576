"""Rows to the columns of ``passages`` and back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from tercet.adapters.passage_values import join_terms, milliseconds_of, place_of, timestamp_of, utc_offset_of
from tercet.model import Passage, Row, Scope

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tercet.model import Vector


@dataclass(frozen=True, slots=True)
class _Column:
    name: str
    type: str
    value: Callable[[Row], object]


_COLUMNS = (
    _Column("id", "text", lambda row: row.passage.id),
    _Column("agent", "text", lambda row: row.passage.scope.agent),
    _Column("anchor", "text", lambda row: row.passage.scope.anchor),
    _Column("kind", "text", lambda row: row.passage.kind),
    _Column("root", "text", lambda row: row.passage.root),
    _Column("path", "text", lambda row: row.passage.path),
    _Column("start_line", "bigint", lambda row: row.passage.start_line),
    _Column("end_line", "bigint", lambda row: row.passage.end_line),
    _Column("timestamp_ms", "bigint", lambda row: milliseconds_of(row.passage.timestamp)),
    _Column("utc_offset_s", "integer", lambda row: utc_offset_of(row.passage.timestamp)),
    _Column("importance", "double precision", lambda row: row.passage.importance),
    _Column("category", "text", lambda row: row.passage.category),
    _Column("origin", "text", lambda row: row.passage.origin),
    _Column("speaker", "text", lambda row: row.passage.speaker),
    _Column("session", "text", lambda row: row.passage.session),
    _Column("ordinal", "bigint", lambda row: row.passage.ordinal),
    _Column("place", "text", lambda row: place_of(row.passage)),
    # An array of arrays must be even in PostgreSQL: each row's tags come as the text of one.
    _Column("tags", "text", lambda row: _array_text(row.passage.tags)),
    _Column("header", "text", lambda row: row.passage.header),
    _Column("context", "text", lambda row: row.passage.context),
    _Column("body", "text", lambda row: row.passage.text),
    _Column("terms", "text", lambda row: join_terms(row.terms)),
    _Column("length", "integer", lambda row: len(row.terms)),
)
_NAMES = tuple(column.name for column in _COLUMNS)
_VECTOR = len(_NAMES)

SELECTED = ", ".join([*(f"p.{name}" for name in _NAMES), "v.vector"])
"""What ``row_of`` reads, of ``passages p`` and ``vectors v``."""

WITH_VECTOR = "LEFT JOIN vectors v ON v.tenant = p.tenant AND v.id = p.id AND v.space = %(space)s"

UPSERT = (
    f"INSERT INTO passages (tenant, {', '.join(_NAMES)})"  # noqa: S608 - names of this file alone
    f" SELECT %(tenant)s, {', '.join('tags::text[]' if name == 'tags' else name for name in _NAMES)}"
    f" FROM unnest({', '.join(f'%({column.name})s::{column.type}[]' for column in _COLUMNS)})"
    f" AS u ({', '.join(_NAMES)})"
    f" ON CONFLICT (tenant, id) DO UPDATE SET {', '.join(f'{name} = excluded.{name}' for name in _NAMES[1:])}"
)


def columns_of(rows: Sequence[Row]) -> dict[str, list[object]]:
    """Return the values of ``UPSERT``, a list a column.

    Raises:
        InvalidInputError: a term is empty or holds white space.
    """
    return {column.name: [column.value(row) for row in rows] for column in _COLUMNS}


def row_of(record: Sequence[Any]) -> Row:  # Any: one value a column, typed by the table
    """Return the row of a record that begins with what ``SELECTED`` names."""
    fields = dict(zip(_NAMES, record, strict=False))
    passage = Passage(
        id=fields["id"],
        kind=fields["kind"],
        scope=Scope(fields["agent"], fields["anchor"]),
        text=fields["body"],
        header=fields["header"],
        context=fields["context"],
        root=fields["root"],
        path=fields["path"],
        start_line=fields["start_line"],
        end_line=fields["end_line"],
        timestamp=timestamp_of(fields["timestamp_ms"], fields["utc_offset_s"]),
        importance=fields["importance"],
        category=fields["category"],
        origin=fields["origin"],
        speaker=fields["speaker"],
        session=fields["session"],
        ordinal=fields["ordinal"],
        tags=tuple(fields["tags"]),
    )
    terms, vector = fields["terms"], record[_VECTOR]
    numbers = None if vector is None else cast("Vector", vector.to_numpy())  # cast: an untyped record
    return Row(passage, tuple(terms.split(" ")) if terms else (), numbers)


def _array_text(values: Sequence[str]) -> str:
    quoted = (value.replace("\\", "\\\\").replace('"', '\\"') for value in values)
    return "{" + ",".join(f'"{value}"' for value in quoted) + "}"
