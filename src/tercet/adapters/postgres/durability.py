"""How soon a transaction counts as done."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tercet.adapters.postgres.database import Connection


async def relax(connection: Connection) -> None:
    """Let the caller's transaction end before the disk has it: a power cut may lose it, whole, never torn."""
    await connection.execute("SET LOCAL synchronous_commit = off")
