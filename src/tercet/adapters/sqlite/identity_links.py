"""Which anchors are one person, in the ledger."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tercet.adapters.sqlite.connection import as_list
from tercet.errors import InvalidInputError, NotFoundError

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

    from tercet.adapters.sqlite.connection import Database


class SqliteIdentityLinks:
    """See ``tercet.ports.capture.IdentityLinks``."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def link(self, agent: str, name: str, anchors: Sequence[str]) -> None:
        """Add anchors to a name; the same again is no error.

        Raises:
            InvalidInputError: an anchor belongs to another name; nothing is linked (permanent).
        """
        await self._database.write(_link, agent, name, tuple(anchors))

    async def unlink(self, agent: str, name: str, anchors: Sequence[str] = ()) -> None:
        """Take anchors, or with none the whole name, out again.

        Raises:
            NotFoundError: one of them is not linked under this name; nothing is changed (permanent).
        """
        await self._database.write(_unlink, agent, name, tuple(anchors))

    async def links(self, agent: str) -> dict[str, tuple[str, ...]]:
        """Return anchors by name, both sorted."""
        return await self._database.read(_links, agent)


def _link(connection: sqlite3.Connection, agent: str, name: str, anchors: tuple[str, ...]) -> None:
    held = connection.execute(
        "SELECT anchor, name FROM identity_link WHERE agent = ? AND name <> ? "
        "AND anchor IN (SELECT value FROM json_each(?)) ORDER BY anchor",
        (agent, name, as_list(anchors)),
    ).fetchone()
    if held is not None:
        msg = f"{held[0]!r} is linked as {held[1]!r} already: unlink it there before it becomes {name!r}."
        raise InvalidInputError(msg)
    connection.executemany(
        "INSERT INTO identity_link (agent, anchor, name) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
        [(agent, anchor, name) for anchor in anchors],
    )


def _unlink(connection: sqlite3.Connection, agent: str, name: str, anchors: tuple[str, ...]) -> None:
    held = set(_links(connection, agent).get(name, ()))
    missing = [anchor for anchor in anchors if anchor not in held]
    if missing or not held:
        what = f"{missing[0]!r} is not linked as {name!r}" if missing else f"Nothing is linked as {name!r}"
        msg = f"{what}: 'tercet identity list' shows what is."
        raise NotFoundError(msg)
    connection.executemany(
        "DELETE FROM identity_link WHERE agent = ? AND name = ? AND anchor = ?",
        [(agent, name, anchor) for anchor in anchors or held],
    )


def _links(connection: sqlite3.Connection, agent: str) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for name, anchor in connection.execute(
        "SELECT name, anchor FROM identity_link WHERE agent = ? ORDER BY name, anchor", (agent,)
    ):
        found.setdefault(name, []).append(anchor)
    return {name: tuple(anchors) for name, anchors in found.items()}
