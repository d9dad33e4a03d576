"""How a statement is sent: its text is this program's own, what comes from outside is a parameter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tercet.adapters.postgres.database import Connection


async def fetch(
    connection: Connection, statement: str, values: Mapping[str, object] | None = None
) -> list[tuple[Any, ...]]:  # Any: one value a column
    """Run one statement and return its rows; none where it gives none.

    Args:
        connection: In a transaction.
        statement: SQL with parameters as ``%(name)s``; never made from a caller's text.
        values: The parameters by name; more than the statement names are no error.
    """
    # Bytes: the library takes only literals as text, and these are put together from such.
    cursor = await connection.execute(statement.encode(), values or {}, binary=True)
    return await cursor.fetchall() if cursor.description else []


async def fetch_one(
    connection: Connection, statement: str, values: Mapping[str, object] | None = None
) -> tuple[Any, ...]:  # Any: one value a column
    """Run a statement that gives exactly one row."""
    (row,) = await fetch(connection, statement, values)
    return row
