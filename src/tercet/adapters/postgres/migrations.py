"""Bringing a database to this program's schema: numbered files, once each, whoever comes first."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from tercet.errors import StoreFormatError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import psycopg

SCHEMA = "tercet"
"""Every table is in it; connections have it first in their search path."""

_LOCK = 0x7E2CE7
"""Key of the advisory lock that one migrating process holds."""
_FILE = re.compile(r"(\d{4})_\w+\.sql")


@dataclass(frozen=True, slots=True)
class Migration:
    """One step of the schema."""

    version: int
    name: str
    """Of its file."""
    statements: str


def known_migrations() -> list[Migration]:
    """Return the steps this program knows, in order."""
    found = [
        Migration(int(match[1]), entry.name, entry.read_text(encoding="utf-8"))
        for entry in files("tercet.adapters.postgres").joinpath("migrations").iterdir()
        if (match := _FILE.fullmatch(entry.name))
    ]
    return sorted(found, key=lambda migration: migration.version)


async def migrate(
    connection: psycopg.AsyncConnection[Any],  # Any: rows of whatever query
    migrations: Sequence[Migration],
    place: str,
) -> None:
    """Bring the database to the last of ``migrations``; each step is one transaction.

    Processes that come at once take turns, and do each step once.

    Args:
        connection: With no transaction open.
        migrations: Every step this program knows, in order.
        place: The server as it may be shown.

    Raises:
        StoreFormatError: a newer Tercet was here (permanent).
    """
    if not _pending(migrations, await _applied(connection), place):
        return  # the usual case takes no lock
    while True:
        async with connection.transaction():
            await connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
            pending = _pending(migrations, await _applied(connection), place)
            if not pending:
                return
            await _apply(connection, pending[0])


async def _applied(connection: psycopg.AsyncConnection[Any]) -> set[int]:  # Any: as above
    async with connection.transaction():
        # Not by to_regclass: what it found missing before this process waited for the lock, it still finds missing.
        found = await connection.execute(
            "SELECT EXISTS (SELECT FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace"
            " WHERE nspname = 'tercet' AND relname = 'migrations')"
        )
        (has_table,) = await found.fetchone() or (False,)
        if not has_table:
            return set()
        rows = await connection.execute("SELECT version FROM tercet.migrations")
        return {version for (version,) in await rows.fetchall()}


def _pending(migrations: Sequence[Migration], applied: set[int], place: str) -> list[Migration]:
    newest = max((migration.version for migration in migrations), default=0)
    if max(applied, default=0) > newest:
        msg = f"The database at {place} has schema {max(applied)}, this Tercet knows up to {newest}: update Tercet."
        raise StoreFormatError(msg)
    return [migration for migration in migrations if migration.version not in applied]


async def _apply(connection: psycopg.AsyncConnection[Any], migration: Migration) -> None:  # Any: as above
    # Bytes, since the library takes only literals as text: the files are this package's own.
    await connection.execute(migration.statements.encode())
    await connection.execute(
        "INSERT INTO tercet.migrations (version, name) VALUES (%s, %s)", (migration.version, migration.name)
    )
