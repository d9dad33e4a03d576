"""What was said last in each session, in the ledger."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tercet.adapters.ledger_messages import whole_characters
from tercet.adapters.ledger_times import to_text
from tercet.adapters.sqlite.connection import as_list
from tercet.adapters.sqlite.journal_apply import pack
from tercet.adapters.sqlite.journal_rows import entries_of_messages
from tercet.adapters.sqlite.session_windows_extraction import claim, finish, release, renew
from tercet.adapters.sqlite.session_windows_rows import (
    messages_of,
    number_of_window,
    recount,
    session_statuses,
    trim,
    window_number,
)
from tercet.adapters.sqlite.session_windows_topics import note_topic, recurring_topics
from tercet.model import Scope
from tercet.ports.windows import Session
from tercet.text.same_text import text_digest

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence
    from datetime import datetime

    from tercet.adapters.sqlite.connection import Database
    from tercet.model import Entry, Reach
    from tercet.ports.windows import ExtractedFact, SessionStatus, Stretch, TopicFacts, WindowMessage


class SqliteSessionWindows:
    """See ``tercet.ports.windows.SessionWindows``."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def put(self, session: Session, messages: Sequence[WindowMessage], *, keep_tokens: int) -> int:
        """Add messages durably and return how many are new; half a character becomes U+FFFD.

        Raises:
            InvalidInputError: a time has no zone; nothing is kept (permanent).
        """
        if not messages:
            return 0
        # What the user said is on the disk already, in the inbox: an agent need not wait for it twice.
        return await self._database.write_relaxed(_put, session, tuple(messages), keep_tokens)

    async def window(self, session: Session, budget_tokens: int) -> list[WindowMessage]:
        """Return the latest messages of at most so many tokens together, oldest first."""
        return await self._database.read(_window, session, budget_tokens)

    async def in_reach(self, reach: Reach) -> list[tuple[Session, WindowMessage]]:
        """Return every message kept in reach, by session and number."""
        return await self._database.read(_in_reach, reach)

    async def sessions(self, agent: str) -> list[SessionStatus]:
        """Return how the sessions of an agent stand."""
        return await self._database.read(session_statuses, agent)

    async def end(self, session: Session) -> None:
        """Note durably that the session is over."""
        await self._database.write(_end, session)

    async def claim(
        self, session: Session, *, now: datetime, lease_s: float, most_tokens: int, force: bool = False
    ) -> Stretch | None:
        """Lease the session and return what is to be extracted of it."""
        # A lease lost with the power is claimed again: no need to wait for the disk.
        return await self._database.write_relaxed(claim, session, now, lease_s, most_tokens, force)

    async def renew(self, stretch: Stretch, *, now: datetime, lease_s: float) -> bool:
        """Lengthen the lease; False when it is lost."""
        return await self._database.write_relaxed(renew, stretch, now, lease_s)

    async def release(self, stretch: Stretch, *, retry_at: datetime | None = None, reason: str = "") -> None:
        """Give the session back unextracted; with a time to try again at, an attempt is counted."""
        await self._database.write(release, stretch, retry_at, reason)

    async def finish(
        self, stretch: Stretch, facts: Sequence[ExtractedFact], *, at: datetime, keep_tokens: int
    ) -> list[str] | None:
        """Write the entries and count the stretch as extracted, in one transaction; None when the lease is lost.

        Raises:
            InvalidInputError: what is to be superseded is not live any more (permanent).
        """
        changes = [fact.stored for fact in facts if fact.stored is not None]
        packed = await self._database.aside(pack, changes)
        return await self._database.write(finish, stretch, tuple(facts), packed, at, keep_tokens)

    async def told(self, session: Session, messages: Sequence[WindowMessage]) -> list[Entry]:
        """Return the entries that were made of these messages one by one."""
        ids = [message.message_id for message in messages if message.message_id]
        times = [to_text(message.said_at) for message in messages if message.said_at and not message.message_id]
        return await self._database.read(entries_of_messages, session.scope, session.key, ids, times)

    async def recurring(self, agent: str, *, extractions: int, facts: int) -> list[TopicFacts]:
        """Return topics with something new that came up so often."""
        return await self._database.read(recurring_topics, agent, extractions, facts)

    async def noted(self, topic: TopicFacts) -> None:
        """Remember that these entries are in the topic's note."""
        await self._database.write(note_topic, topic)


def _put(
    connection: sqlite3.Connection, session: Session, messages: tuple[WindowMessage, ...], keep_tokens: int
) -> int:
    window = window_number(connection, session)
    (number,) = connection.execute("SELECT last_number FROM session_window WHERE id = ?", (window,)).fetchone()
    added = 0
    for message in messages:
        said_at = to_text(message.said_at)
        if not connection.execute("INSERT INTO window_key VALUES (?) ON CONFLICT DO NOTHING", (message.key,)).rowcount:
            continue
        added += 1
        text = whole_characters(message.text)
        connection.execute(
            "INSERT INTO window_message "
            "(window_id, number, key, role, tokens, bytes, begins_turn, message_id, said_at, digest, text) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                window,
                number + added,
                message.key,
                message.role,
                message.tokens,
                len(text.encode()),
                message.begins_turn,
                message.message_id,
                said_at,
                text_digest(text) if text else "",
                text,
            ),
        )
    connection.execute("UPDATE session_window SET last_number = ? WHERE id = ?", (number + added, window))
    trim(connection, window, keep_tokens)
    recount(connection, window)
    return added


def _window(connection: sqlite3.Connection, session: Session, budget_tokens: int) -> list[WindowMessage]:
    window = number_of_window(connection, session)
    if window is None:
        return []
    (first,) = connection.execute(
        "SELECT min(number) FROM (SELECT number, sum(tokens) OVER (ORDER BY number DESC) AS together "
        "FROM window_message WHERE window_id = ? AND role <> 'tool') WHERE together <= ?",
        (window, budget_tokens),
    ).fetchone()
    return [] if first is None else messages_of(connection, window, first)


def _in_reach(connection: sqlite3.Connection, reach: Reach) -> list[tuple[Session, WindowMessage]]:
    windows = connection.execute(
        "SELECT session_window.id, agent, anchor, session FROM session_window JOIN scope ON scope.id = scope_id "
        "WHERE agent = ? AND anchor IN (SELECT value FROM json_each(?)) ORDER BY anchor, session",
        (reach.agent, as_list(reach.anchors)),
    ).fetchall()
    return [
        (Session(Scope(agent, anchor), key), message)
        for window, agent, anchor, key in windows
        for message in messages_of(connection, window, 1)
    ]


def _end(connection: sqlite3.Connection, session: Session) -> None:
    connection.execute("UPDATE session_window SET ended = 1 WHERE id = ?", (number_of_window(connection, session),))
