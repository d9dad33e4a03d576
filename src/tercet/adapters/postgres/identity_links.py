"""Which anchors are one person; the key (agent, anchor) holds that each belongs to one name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tercet.errors import InvalidInputError, NotFoundError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tercet.adapters.postgres.database import Connection, Database


class PostgresIdentityLinks:
    """See ``tercet.ports.capture.IdentityLinks``."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def link(self, agent: str, name: str, anchors: Sequence[str]) -> None:
        """Add anchors to a name; the same again is no error.

        Raises:
            InvalidInputError: an anchor belongs to another name; nothing is linked (permanent).
        """
        await self._database.run(lambda connection: _link(connection, agent, name, anchors), "link anchors")

    async def unlink(self, agent: str, name: str, anchors: Sequence[str] = ()) -> None:
        """Take anchors, or with none the whole name, out again.

        Raises:
            NotFoundError: one of them is not linked under this name; nothing is changed (permanent).
        """
        await self._database.run(lambda connection: _unlink(connection, agent, name, anchors), "unlink anchors")

    async def links(self, agent: str) -> dict[str, tuple[str, ...]]:
        """Return anchors by name, both sorted."""
        return await self._database.run(lambda connection: _links(connection, agent), "list links")


async def _link(connection: Connection, agent: str, name: str, anchors: Sequence[str]) -> None:
    # Written first and looked at then: whoever links the same anchor elsewhere at once waits, and finds it.
    await connection.execute(
        "INSERT INTO identity_link (agent, anchor, name) SELECT %s, anchor, %s FROM unnest(%s::text[]) AS anchor "
        "ORDER BY anchor ON CONFLICT (tenant, agent, anchor) DO NOTHING",
        (agent, name, list(anchors)),
    )
    found = await connection.execute(
        "SELECT anchor, name FROM identity_link WHERE agent = %s AND name <> %s AND anchor = ANY(%s) "
        "ORDER BY anchor LIMIT 1",
        (agent, name, list(anchors)),
    )
    held = await found.fetchone()
    if held is not None:
        msg = f"{held[0]!r} is linked as {held[1]!r} already: unlink it there before it becomes {name!r}."
        raise InvalidInputError(msg)


async def _unlink(connection: Connection, agent: str, name: str, anchors: Sequence[str]) -> None:
    found = await connection.execute(
        "DELETE FROM identity_link WHERE agent = %s AND name = %s AND (%s OR anchor = ANY(%s)) RETURNING anchor",
        (agent, name, not anchors, list(anchors)),
    )
    gone = {anchor for (anchor,) in await found.fetchall()}
    missing = [anchor for anchor in anchors if anchor not in gone]
    if missing or not gone:
        what = f"{missing[0]!r} is not linked as {name!r}" if missing else f"Nothing is linked as {name!r}"
        msg = f"{what}: 'tercet identity list' shows what is."
        raise NotFoundError(msg)


async def _links(connection: Connection, agent: str) -> dict[str, tuple[str, ...]]:
    rows = await connection.execute(
        "SELECT name, array_agg(anchor ORDER BY anchor) FROM identity_link WHERE agent = %s "
        "GROUP BY name ORDER BY name",
        (agent,),
    )
    return {name: tuple(anchors) for name, anchors in await rows.fetchall()}
