"""The two files of a home as portable tables, read and written whole."""

# ruff: noqa: S608 - only names of this module and of the table's own are put between the words

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Final

from tercet.adapters.sqlite.file_commit import bump_version
from tercet.adapters.sqlite.term_counts import pack_terms, unpack_terms

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Sequence

    from tercet.adapters.sqlite.connection import Database
    from tercet.ports.portable import Kind, PortableTable, Record, Value

_OF_SCOPE: Final = "JOIN scope ON scope.id = {table}.scope_id"
_FROM: Final = {
    "passage": "passage JOIN file ON file.id = file_id JOIN scope ON scope.id = file.scope_id",
    "embedding": "embedding JOIN space ON space.id = space_id",
    "scope": "(SELECT * FROM scope WHERE documents > 0) AS scope",
}
_SCOPED: Final = frozenset({"term_count", "root", "file", "inbox", "entry", "session_window", "session_fact"})
_COLUMNS: Final = {
    ("passage", "id"): "passage.id",
    ("embedding", "space"): "space.name",
    ("embedding", "number"): "embedding.number",
    ("query_log", "number"): "query_log.id",
}
_PACKED: Final = frozenset({("passage", "terms"), ("entry", "terms")})
_SCOPE_ID: Final = "(SELECT id FROM scope WHERE agent = :agent AND anchor = :anchor)"
_PHYSICAL: Final = {
    ("passage", "root"): None,
    ("passage", "path"): ("file_id", "(SELECT id FROM file WHERE root = :root AND path = :path)"),
    ("passage", "agent"): None,
    ("passage", "anchor"): None,
    ("embedding", "space"): ("space_id", "(SELECT id FROM space WHERE name = :space)"),
    ("query_log", "number"): ("id", ":number"),
}
"""Column of a portable table to the file's own and how it is filled; None for one that another stands for."""


class SqlitePortable:
    """See ``tercet.ports.portable.PortableLedger``."""

    def __init__(self, ledger: Database, embeddings: Database) -> None:
        self._ledger = ledger
        self._embeddings = embeddings

    async def read_records(self, table: PortableTable, after: Record | None, limit: int) -> list[Record]:
        """Return records in the order of their key, those behind ``after``, at most ``limit``."""
        return await self._file_of(table).read(partial(_read, table=table, after=after, limit=limit))

    async def write_records(self, table: PortableTable, records: Sequence[Record]) -> None:
        """Add records whose key is not there yet, in one transaction."""
        await self._file_of(table).write(partial(_write, table=table, records=records))

    async def clear_records(self, table: PortableTable) -> None:
        """Take every record of a table out."""
        await self._file_of(table).write(partial(_clear, name=table.name))

    async def settle_records(self) -> None:
        """Count each scope's entries, and let whoever keeps a list of files read it anew."""
        await self._ledger.write(_settle)

    def _file_of(self, table: PortableTable) -> Database:
        return self._embeddings if table.name == "embedding" else self._ledger


def _read(connection: sqlite3.Connection, *, table: PortableTable, after: Record | None, limit: int) -> list[Record]:
    shown = [_expression(table.name, column) for column in table.names]
    key = ", ".join(shown[: table.key])
    source = _FROM.get(table.name, table.name)
    if table.name in _SCOPED:
        source = f"{source} {_OF_SCOPE.format(table=table.name)}"
    behind = f"WHERE ({key}) > ({', '.join('?' * table.key)})" if after is not None else ""
    rows = connection.execute(
        f"SELECT {', '.join(shown)} FROM {source} {behind} ORDER BY {key} LIMIT ?", (*(after or ()), limit)
    )
    return [
        tuple(_plain(table.name, name, kind, value) for (name, kind), value in zip(table.columns, row, strict=True))
        for row in rows
    ]


def _expression(table: str, column: str) -> str:
    if column in {"agent", "anchor"} and (table in _SCOPED or table == "passage"):
        return f"scope.{column}"
    if table == "passage" and column in {"root", "path"}:
        return f"file.{column}"
    return _COLUMNS.get((table, column), f"{table}.{column}")


def _plain(table: str, name: str, kind: Kind, value: object) -> Value:
    if kind == "list":
        if (table, name) in _PACKED:
            return unpack_terms(value) if isinstance(value, bytes) else []
        found: list[str] = json.loads(str(value))
        return found
    if kind == "flag":
        return bool(value)
    return value  # type: ignore[return-value] # SQLite gives back what the column's kind says


def _write(connection: sqlite3.Connection, *, table: PortableTable, records: Sequence[Record]) -> None:
    named = [dict(zip(table.names, record, strict=True)) for record in records]
    if "anchor" in table.names and table.name not in {"scope", "identity_link"}:
        scopes = {(row["agent"], row["anchor"]) for row in named}
        connection.executemany("INSERT OR IGNORE INTO scope (agent, anchor) VALUES (?, ?)", sorted(scopes, key=repr))
    if table.name == "embedding":
        spaces = sorted({str(row["space"]) for row in named})
        connection.executemany("INSERT OR IGNORE INTO space (name) VALUES (?)", [(each,) for each in spaces])
    filled = list(_filled(table))
    columns, values = ", ".join(column for column, _ in filled), ", ".join(value for _, value in filled)
    renewed = (
        "ON CONFLICT (agent, anchor) DO UPDATE SET documents = excluded.documents, total_length = excluded.total_length"
    )
    conflict = renewed if table.name == "scope" else "ON CONFLICT DO NOTHING"
    connection.executemany(
        f"INSERT INTO {table.name} ({columns}) VALUES ({values}) {conflict}",
        [{name: _stored(table.name, name, kind, row[name]) for name, kind in table.columns} for row in named],
    )


def _filled(table: PortableTable) -> Iterable[tuple[str, str]]:
    """Return the file's columns with what they are filled from."""
    for name in table.names:
        if (table.name, name) in _PHYSICAL:
            physical = _PHYSICAL[table.name, name]
            if physical is not None:
                yield physical
        elif name == "agent" and table.name in _SCOPED:
            yield "scope_id", _SCOPE_ID
        elif name != "anchor" or table.name not in _SCOPED:
            yield name, f":{name}"


def _stored(table: str, name: str, kind: Kind, value: Value) -> object:
    if kind == "list" and isinstance(value, list):
        return pack_terms(value) if (table, name) in _PACKED else json.dumps(value)
    return value


def _clear(connection: sqlite3.Connection, *, name: str) -> None:
    if name == "scope":
        # Others refer to their rows: only what is counted goes.
        connection.execute("UPDATE scope SET documents = 0, total_length = 0, entries = 0")
    else:
        connection.execute(f"DELETE FROM {name}")


def _settle(connection: sqlite3.Connection) -> None:
    connection.execute(
        "UPDATE scope SET entries = (SELECT count(*) FROM entry WHERE scope_id = scope.id AND state = 'live')"
    )
    bump_version(connection)
