"""One tenant's ledger as portable tables, read and written whole."""

# ruff: noqa: S608 - only names of this module and of the table's own are put between the words

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Final

from tercet.adapters.ledger_times import unix_ms

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tercet.adapters.postgres.database import Connection, Database
    from tercet.ports.portable import PortableTable, Record, Value

_FROM: Final = {
    "scope": "(SELECT * FROM scope WHERE documents > 0) AS scope",
    "term_count": "(SELECT * FROM term_count WHERE documents > 0) AS term_count",
    # A file's scope is that of its passages; one without any has its folder's.
    "file": (
        "(SELECT file.*, coalesce(held.agent, root.agent) AS agent, coalesce(held.anchor, root.anchor) AS anchor "
        "FROM file JOIN root ON root.tenant = file.tenant AND root.label = file.root LEFT JOIN LATERAL "
        "(SELECT agent, anchor FROM passage WHERE passage.tenant = file.tenant AND passage.root = file.root "
        "AND passage.path = file.path ORDER BY ordinal LIMIT 1) AS held ON true) AS file"
    ),
}
_NOT_STORED: Final = {"file": frozenset({"agent", "anchor"})}
_NUMBERED: Final = {"inbox": "number", "entry": "number", "journal_event": "number", "session_window": "id"}
"""Tables whose numbers the database gives, and the column."""
_LOGS: Final = {"query": "query_log", "access": "access"}
"""Logs by the name under which their position is kept."""


class PostgresPortable:
    """See ``tercet.ports.portable.PortableLedger``."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def read_records(self, table: PortableTable, after: Record | None, limit: int) -> list[Record]:
        """Return records in the order of their key, those behind ``after``, at most ``limit``."""
        return await self._database.run(lambda connection: _read(connection, table, after, limit), "be copied")

    async def write_records(self, table: PortableTable, records: Sequence[Record]) -> None:
        """Add records whose key is not there yet, in one transaction."""
        await self._database.run(lambda connection: _write(connection, table, records), "take records over")

    async def clear_records(self, table: PortableTable) -> None:
        """Take every record of a table out."""

        async def clear(connection: Connection) -> None:
            await connection.execute(f"DELETE FROM {table.name}".encode())

        await self._database.run(clear, "be cleared")

    async def settle_records(self) -> None:
        """Let the next numbers come after those that are there, and count each folder's passages."""
        await self._database.run(_settle, "be settled")


async def _read(connection: Connection, table: PortableTable, after: Record | None, limit: int) -> list[Record]:
    key = ", ".join(table.names[: table.key])
    behind = f"WHERE ({key}) > ({', '.join(['%s'] * table.key)})" if after is not None else ""
    source = _FROM.get(table.name, table.name)
    found = await connection.execute(
        f"SELECT {', '.join(table.names)} FROM {source} {behind} ORDER BY {key} LIMIT %s".encode(),
        (*(after or ()), limit),
    )
    return await found.fetchall()


async def _write(connection: Connection, table: PortableTable, records: Sequence[Record]) -> None:
    left_out = _NOT_STORED.get(table.name, frozenset())
    kept = [place for place, name in enumerate(table.names) if name not in left_out]
    columns = [table.names[place] for place in kept]
    rows: list[list[Value]] = [[record[place] for place in kept] for record in records]
    if table.name == "entry":
        stored_at = table.names.index("stored_at")
        columns.append("stored_ms")
        rows = [[*row, unix_ms(datetime.fromisoformat(str(row[stored_at])))] for row in rows]
    given = "OVERRIDING SYSTEM VALUE" if table.name in _NUMBERED else ""
    async with connection.cursor() as cursor:
        await cursor.executemany(
            f"INSERT INTO {table.name} ({', '.join(columns)}) {given} VALUES ({', '.join(['%s'] * len(columns))}) "
            "ON CONFLICT DO NOTHING".encode(),
            rows,
        )


async def _settle(connection: Connection) -> None:
    for table, column in _NUMBERED.items():
        await _advance(connection, f"pg_get_serial_sequence('{table}', '{column}')", table, column)
    await _advance(connection, "'embedding_number'", "embedding", "number")
    await _advance(connection, "'forget_number'", "entry", "forgotten_in")
    await _advance(connection, "'extraction_claim'", "session_window", "claim")
    await connection.execute(
        "UPDATE root SET version = nextval('manifest_version'), "
        "passages = (SELECT count(*) FROM passage WHERE passage.root = root.label)"
    )
    for log, table in _LOGS.items():
        await connection.execute(
            f"INSERT INTO log_position (log, last) SELECT '{log}', max(number) FROM {table} HAVING max(number) > 0 "
            "ON CONFLICT (tenant, log) DO UPDATE SET last = excluded.last".encode()
        )


async def _advance(connection: Connection, sequence: str, table: str, column: str) -> None:
    """Let a sequence go on behind the highest number there is, and never back: other tenants use it too."""
    highest = f"(SELECT coalesce(max({column}), 0) FROM {table})"
    await connection.execute(f"SELECT setval({sequence}, greatest(nextval({sequence}), {highest}))".encode())
