"""Small named values: the active space, the background cosines."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tercet.adapters.postgres.database import Connection


async def read_value(connection: Connection, key: str) -> str | None:
    """Return a value; None when there is none."""
    found = await connection.execute("SELECT value FROM named_value WHERE key = %s", (key,))
    row: tuple[str] | None = await found.fetchone()
    return row[0] if row else None


async def write_value(connection: Connection, key: str, value: str | None) -> None:
    """Set or, with None, drop a value, within the caller's transaction."""
    if value is None:
        await connection.execute("DELETE FROM named_value WHERE key = %s", (key,))
    else:
        await connection.execute(
            "INSERT INTO named_value (key, value) VALUES (%s, %s) "
            "ON CONFLICT (tenant, key) DO UPDATE SET value = excluded.value",
            (key, value),
        )
