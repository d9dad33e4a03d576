"""Small named values: the active space, the background cosines."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3


def read_value(connection: sqlite3.Connection, key: str) -> str | None:
    """Return a value; None when there is none."""
    row: tuple[str] | None = connection.execute("SELECT value FROM named_value WHERE key = ?", (key,)).fetchone()
    return row[0] if row else None


def write_value(connection: sqlite3.Connection, key: str, value: str | None) -> None:
    """Set or, with None, drop a value; the caller holds the transaction."""
    if value is None:
        connection.execute("DELETE FROM named_value WHERE key = ?", (key,))
    else:
        connection.execute(
            "INSERT INTO named_value VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
            (key, value),
        )
