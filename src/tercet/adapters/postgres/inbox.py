"""User messages that wait to be worked into entries; any number of workers share them."""

# ruff: noqa: S608 - only constants of this module are put between the words; every value is bound

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, LiteralString

from tercet.adapters.ledger_messages import items_of, source_of, whole_characters
from tercet.adapters.ledger_times import from_text, from_unix_ms, to_text, unix_ms
from tercet.adapters.postgres.durability import relax
from tercet.ports.capture import InboxStatus, Unworked
from tercet.text.same_text import text_digest

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from tercet.adapters.postgres.database import Connection, Database
    from tercet.model import InboxItem, Reach

_ITEM = "id, agent, anchor, session, message_id, text, said_at, received_at, attempts, keep_all"


class PostgresInbox:
    """See ``tercet.ports.capture.Inbox``."""

    def __init__(self, database: Database) -> None:
        """Use an open database; whatever is claimed through this object is held by one service."""
        self._database = database
        self._holder = secrets.token_hex(8)

    async def put(self, items: Sequence[InboxItem]) -> int:
        """Keep items durably and return how many are new; half a character becomes U+FFFD.

        Raises:
            InvalidInputError: a time has no zone; nothing is kept (permanent).
        """
        rows = [_row(item) for item in items]
        return await self._database.run(lambda connection: _put(connection, rows), "keep messages") if rows else 0

    async def claim(self, limit: int, now: datetime, lease_s: float) -> list[InboxItem]:
        """Lease the oldest items whose time has come, in the order they were put.

        What a person said is worked in by one service at a time, or an older message might come after
        a newer one: while another service has something of a scope leased, nothing of it is given out.
        """
        claim = {
            "limit": max(limit, 0),
            "now": unix_ms(now),
            "until": unix_ms(now) + round(lease_s * 1000),
            "holder": self._holder,
        }
        return await self._database.run(lambda connection: _claim(connection, claim), "lease messages")

    async def release(self, ids: Sequence[str], *, retry_at: datetime, count_attempt: bool) -> None:
        """Give items back unworked; one that waits no more, or is another service's by now, is left as it is."""
        change = (unix_ms(retry_at), int(count_attempt))
        await self._database.run(
            lambda connection: _change_waiting(
                connection, ids, self._holder, "due_ms = %s, attempts = attempts + %s, holder = ''", change
            ),
            "give messages back",
        )

    async def bury(self, ids: Sequence[str], reason: str) -> None:
        """Move waiting items to the dead letters with a reason; one that is another service's by now is left to it."""
        change = (whole_characters(reason),)
        await self._database.run(
            lambda connection: _change_waiting(connection, ids, self._holder, "state = 'dead', reason = %s", change),
            "give messages up",
        )

    async def status(self, agent: str | None = None) -> InboxStatus:
        """Return counts, of one agent or of all."""
        return await self._database.run(lambda connection: _status(connection, agent), "count messages")

    async def waiting(self, reach: Reach, limit: int) -> list[InboxItem]:
        """Return what waits in reach, newest first."""
        return await self._database.run(lambda connection: _waiting(connection, reach, limit), "list messages")

    async def unworked(self, reach: Reach, limit: int) -> list[Unworked]:
        """Return what waits and the dead letters in reach, the last put first."""
        return await self._database.run(lambda connection: _unworked(connection, reach, limit), "list messages")


def _row(item: InboxItem) -> tuple[object, ...]:
    text = whole_characters(item.text)
    return (
        item.id,
        item.scope.agent,
        item.scope.anchor,
        source_of(item.scope, item.session, item.message_id, item.said_at),
        item.session,
        item.message_id,
        text,
        text_digest(text),
        to_text(item.said_at),
        to_text(item.received_at),
        item.attempts,
        item.keep_all,
    )


async def _put(connection: Connection, rows: Sequence[tuple[object, ...]]) -> int:
    async with connection.cursor() as cursor:
        await cursor.executemany(
            "INSERT INTO inbox (id, agent, anchor, source, session, message_id, text, digest, said_at, received_at, "
            "attempts, keep_all) VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s) "
            "ON CONFLICT (tenant, id) DO NOTHING",
            rows,
        )
        return cursor.rowcount


async def _claim(connection: Connection, claim: Mapping[str, object]) -> list[InboxItem]:
    # A lease lost with the power is claimed again: no need to wait for the disk.
    await relax(connection)
    # One claim at a time, so that each sees what the one before it leased.
    await connection.execute(
        "SELECT pg_advisory_xact_lock(hashtextextended('inbox of ' || current_setting('app.tenant'), 0))"
    )
    found = await connection.execute(
        "WITH elsewhere AS MATERIALIZED (SELECT DISTINCT agent, anchor FROM inbox "
        "WHERE state = 'waiting' AND holder <> '' AND holder <> %(holder)s AND due_ms > %(now)s), "
        "due AS (SELECT id AS due_id FROM inbox WHERE state = 'waiting' AND due_ms <= %(now)s "
        "AND (agent, anchor) NOT IN (SELECT agent, anchor FROM elsewhere) "
        "ORDER BY number LIMIT %(limit)s FOR UPDATE SKIP LOCKED), "
        "leased AS (UPDATE inbox SET due_ms = %(until)s, holder = %(holder)s FROM due WHERE id = due_id "
        "RETURNING inbox.*) "
        f"SELECT {_ITEM} FROM leased ORDER BY number",
        claim,
    )
    return items_of(await found.fetchall())


async def _change_waiting(
    connection: Connection, ids: Sequence[str], holder: str, change: LiteralString, values: tuple[object, ...]
) -> None:
    """Change items that wait still; locked in their order, so that two who change several take turns."""
    found = await connection.execute(
        "SELECT id FROM inbox WHERE state = 'waiting' AND holder IN ('', %s) AND id = ANY(%s) "
        "ORDER BY number FOR UPDATE",
        (holder, list(ids)),
    )
    waiting = [item_id for (item_id,) in await found.fetchall()]
    await connection.execute(f"UPDATE inbox SET {change} WHERE id = ANY(%s)", (*values, waiting))


async def _status(connection: Connection, agent: str | None) -> InboxStatus:
    mine = "AND agent = coalesce(%(agent)s, agent)"
    found = await connection.execute(
        f"SELECT (SELECT count(*) FROM inbox WHERE state = 'waiting' {mine}), "
        f"(SELECT received_at FROM inbox WHERE state = 'waiting' {mine} ORDER BY number LIMIT 1), "
        f"(SELECT count(*) FROM inbox WHERE state = 'dead' {mine})",
        {"agent": agent},
    )
    counts: list[tuple[int, str | None, int]] = await found.fetchall()
    ((waiting, oldest, dead),) = counts
    return InboxStatus(waiting, from_text(oldest), dead)


async def _waiting(connection: Connection, reach: Reach, limit: int) -> list[InboxItem]:
    found = await connection.execute(
        f"SELECT {_ITEM} FROM inbox WHERE state = 'waiting' AND agent = %s AND anchor = ANY(%s) "
        "ORDER BY number DESC LIMIT %s",
        (reach.agent, list(reach.anchors), max(limit, 0)),
    )
    return items_of(await found.fetchall())


async def _unworked(connection: Connection, reach: Reach, limit: int) -> list[Unworked]:
    found = await connection.execute(
        f"SELECT state = 'dead', reason, due_ms, {_ITEM} FROM inbox "
        "WHERE state IN ('waiting', 'dead') AND agent = %s AND anchor = ANY(%s) ORDER BY number DESC LIMIT %s",
        (reach.agent, list(reach.anchors), max(limit, 0)),
    )
    rows = await found.fetchall()
    items = items_of(row[3:] for row in rows)
    return [
        Unworked(item, is_dead, reason, from_unix_ms(due_ms) if due_ms and not is_dead else None)
        for item, (is_dead, reason, due_ms, *_) in zip(items, rows, strict=True)
    ]
