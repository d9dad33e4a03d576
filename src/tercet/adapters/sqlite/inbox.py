"""User messages that wait to be worked into entries, in the ledger."""

# ruff: noqa: S608 - only constants of this module are put between the words; every value is bound

from __future__ import annotations

from typing import TYPE_CHECKING

from tercet.adapters.ledger_messages import items_of, source_of, whole_characters
from tercet.adapters.ledger_times import from_unix_ms, to_text, unix_ms
from tercet.adapters.sqlite.connection import as_list
from tercet.adapters.sqlite.term_counts import scope_number
from tercet.ports.capture import InboxStatus, Unworked
from tercet.text.same_text import text_digest

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence
    from datetime import datetime

    from tercet.adapters.sqlite.connection import Database
    from tercet.model import InboxItem, Reach

_ITEM = (
    "SELECT inbox.id, agent, anchor, session, message_id, text, said_at, received_at, attempts, keep_all "
    "FROM inbox JOIN scope ON scope.id = scope_id "
)


class SqliteInbox:
    """See ``tercet.ports.capture.Inbox``."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def put(self, items: Sequence[InboxItem]) -> int:
        """Keep items durably and return how many are new; half a character becomes U+FFFD.

        Raises:
            InvalidInputError: a time has no zone; nothing is kept (permanent).
        """
        return await self._database.write(_put, tuple(items)) if items else 0

    async def claim(self, limit: int, now: datetime, lease_s: float) -> list[InboxItem]:
        """Lease the oldest items whose time has come, in the order they were put."""
        # A lease lost with the power is claimed again: no need to wait for the disk.
        return await self._database.write_relaxed(_claim, limit, unix_ms(now), round(lease_s * 1000))

    async def release(self, ids: Sequence[str], *, retry_at: datetime, count_attempt: bool) -> None:
        """Give items back unworked; one that does not wait any more is left as it is."""
        await self._database.write(_release, tuple(ids), unix_ms(retry_at), count_attempt)

    async def bury(self, ids: Sequence[str], reason: str) -> None:
        """Move waiting items to the dead letters with a reason."""
        await self._database.write(_bury, tuple(ids), reason)

    async def status(self, agent: str | None = None) -> InboxStatus:
        """Return counts, of one agent or of all."""
        return await self._database.read(_status, agent)

    async def waiting(self, reach: Reach, limit: int) -> list[InboxItem]:
        """Return what waits in reach, newest first."""
        return await self._database.read(_waiting, reach, limit)

    async def unworked(self, reach: Reach, limit: int) -> list[Unworked]:
        """Return what waits and the dead letters in reach, the last put first."""
        return await self._database.read(_unworked, reach, limit)


def _put(connection: sqlite3.Connection, items: tuple[InboxItem, ...]) -> int:
    added = 0
    for item in items:
        text = whole_characters(item.text)
        added += connection.execute(
            "INSERT INTO inbox (id, scope_id, source, session, message_id, text, digest, said_at, received_at, due_ms,"
            " attempts, keep_all) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?) ON CONFLICT (id) DO NOTHING",
            (
                item.id,
                scope_number(connection, item.scope),
                source_of(item.scope, item.session, item.message_id, item.said_at),
                item.session,
                item.message_id,
                text,
                text_digest(text),
                to_text(item.said_at),
                to_text(item.received_at),
                item.attempts,
                item.keep_all,
            ),
        ).rowcount
    return added


def _claim(connection: sqlite3.Connection, limit: int, now_ms: int, lease_ms: int) -> list[InboxItem]:
    items = items_of(
        connection.execute(
            f"{_ITEM} WHERE state = 'waiting' AND due_ms <= ? ORDER BY number LIMIT ?", (now_ms, max(limit, 0))
        )
    )
    connection.execute(
        "UPDATE inbox SET due_ms = ? WHERE id IN (SELECT value FROM json_each(?))",
        (now_ms + lease_ms, as_list(item.id for item in items)),
    )
    return items


def _release(connection: sqlite3.Connection, ids: tuple[str, ...], retry_ms: int, count_attempt: bool) -> None:  # noqa: FBT001 - the port's keyword, handed through
    connection.execute(
        "UPDATE inbox SET due_ms = ?, attempts = attempts + ? "
        "WHERE state = 'waiting' AND id IN (SELECT value FROM json_each(?))",
        (retry_ms, int(count_attempt), as_list(ids)),
    )


def _bury(connection: sqlite3.Connection, ids: tuple[str, ...], reason: str) -> None:
    connection.execute(
        "UPDATE inbox SET state = 'dead', reason = ? "
        "WHERE state = 'waiting' AND id IN (SELECT value FROM json_each(?))",
        (reason, as_list(ids)),
    )


def _status(connection: sqlite3.Connection, agent: str | None) -> InboxStatus:
    count = (
        "SELECT count(*) FROM inbox JOIN scope ON scope.id = scope_id WHERE state = '{}' AND agent = coalesce(?, agent)"
    )
    (waiting,) = connection.execute(count.format("waiting"), (agent,)).fetchone()
    (dead,) = connection.execute(count.format("dead"), (agent,)).fetchone()
    oldest = connection.execute(
        f"{_ITEM} WHERE state = 'waiting' AND agent = coalesce(?, agent) ORDER BY number LIMIT 1", (agent,)
    )
    return InboxStatus(waiting, next((item.received_at for item in items_of(oldest)), None), dead)


def _waiting(connection: sqlite3.Connection, reach: Reach, limit: int) -> list[InboxItem]:
    return items_of(
        connection.execute(
            f"{_ITEM} WHERE state = 'waiting' AND agent = ? AND anchor IN (SELECT value FROM json_each(?)) "
            "ORDER BY number DESC LIMIT ?",
            (reach.agent, as_list(reach.anchors), max(limit, 0)),
        )
    )


def _unworked(connection: sqlite3.Connection, reach: Reach, limit: int) -> list[Unworked]:
    meant = (
        "WHERE state IN ('waiting', 'dead') AND agent = ? AND anchor IN (SELECT value FROM json_each(?)) "
        "ORDER BY number DESC LIMIT ?"
    )
    which = (reach.agent, as_list(reach.anchors), max(limit, 0))
    items = items_of(connection.execute(f"{_ITEM} {meant}", which))
    told = connection.execute(
        f"SELECT state = 'dead', reason, due_ms FROM inbox JOIN scope ON scope.id = scope_id {meant}", which
    )
    return [
        Unworked(item, bool(is_dead), reason, from_unix_ms(due_ms) if due_ms and not is_dead else None)
        for item, (is_dead, reason, due_ms) in zip(items, told, strict=True)
    ]
