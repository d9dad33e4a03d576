"""What was said last in each session, in the shared database."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tercet.adapters.ledger_messages import whole_characters
from tercet.adapters.ledger_times import to_text, unix_ms
from tercet.adapters.ledger_windows import messages_of_columns
from tercet.adapters.postgres.durability import relax
from tercet.adapters.postgres.journal_apply import prepare
from tercet.adapters.postgres.journal_rows import entries_of_messages
from tercet.adapters.postgres.session_windows_extraction import claim, finish, release, renew
from tercet.adapters.postgres.session_windows_rows import (
    held_window,
    messages_of,
    number_of_window,
    recount,
    session_statuses,
    trim,
)
from tercet.adapters.postgres.session_windows_topics import note_topic, recurring_topics
from tercet.model import Scope
from tercet.ports.windows import Session
from tercet.text.same_text import text_digest

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime
    from typing import TypeAlias

    from tercet.adapters.postgres.database import Connection, Database
    from tercet.model import Entry, Reach
    from tercet.ports.windows import ExtractedFact, SessionStatus, Stretch, TopicFacts, WindowMessage

    _Row: TypeAlias = tuple[object, ...]


class PostgresSessionWindows:
    """See ``tercet.ports.windows.SessionWindows``."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def put(self, session: Session, messages: Sequence[WindowMessage], *, keep_tokens: int) -> int:
        """Add messages and return how many are new; half a character becomes U+FFFD.

        Raises:
            InvalidInputError: a time has no zone; nothing is kept (permanent).
        """
        rows: dict[str, _Row] = {}
        for message in messages:
            rows.setdefault(message.key, _row(message))
        if not rows:
            return 0
        return await self._database.run(
            lambda connection: _put(connection, session, rows, keep_tokens), "keep a window"
        )

    async def window(self, session: Session, budget_tokens: int) -> list[WindowMessage]:
        """Return the latest messages of at most so many tokens together, oldest first."""
        return await self._database.run(lambda connection: _window(connection, session, budget_tokens), "read a window")

    async def in_reach(self, reach: Reach) -> list[tuple[Session, WindowMessage]]:
        """Return every message kept in reach, by session and number."""
        return await self._database.run(lambda connection: _in_reach(connection, reach), "read windows")

    async def sessions(self, agent: str) -> list[SessionStatus]:
        """Return how the sessions of an agent stand."""
        return await self._database.run(lambda connection: session_statuses(connection, agent), "list sessions")

    async def end(self, session: Session) -> None:
        """Note durably that the session is over."""
        await self._database.run(lambda connection: _end(connection, session), "end a session")

    async def claim(
        self, session: Session, *, now: datetime, lease_s: float, most_tokens: int, force: bool = False
    ) -> Stretch | None:
        """Lease the session and return what is to be extracted of it."""
        return await self._database.run(
            lambda connection: claim(connection, session, now, lease_s, most_tokens, force=force), "lease a session"
        )

    async def renew(self, stretch: Stretch, *, now: datetime, lease_s: float) -> bool:
        """Lengthen the lease; False when it is lost."""
        until_ms = unix_ms(now) + round(lease_s * 1000)
        return await self._database.run(lambda connection: renew(connection, stretch, until_ms), "lease a session")

    async def release(self, stretch: Stretch, *, retry_at: datetime | None = None, reason: str = "") -> None:
        """Give the session back unextracted; with a time to try again at, an attempt is counted."""
        await self._database.run(
            lambda connection: release(connection, stretch, retry_at, whole_characters(reason)),
            "give a session back",
        )

    async def finish(
        self, stretch: Stretch, facts: Sequence[ExtractedFact], *, at: datetime, keep_tokens: int
    ) -> list[str] | None:
        """Write the entries and count the stretch as extracted, in one transaction; None when the lease is lost.

        Raises:
            InvalidInputError: what is to be superseded is not live any more (permanent).
        """
        prepared = prepare([fact.stored for fact in facts if fact.stored is not None])
        return await self._database.run(
            lambda connection: finish(connection, stretch, facts, prepared, at, keep_tokens), "store a session"
        )

    async def told(self, session: Session, messages: Sequence[WindowMessage]) -> list[Entry]:
        """Return the entries that were made of these messages one by one."""
        ids = [message.message_id for message in messages if message.message_id]
        times = [to_text(message.said_at) for message in messages if message.said_at and not message.message_id]
        return await self._database.run(
            lambda connection: entries_of_messages(connection, session.scope, session.key, ids, times),
            "read a session's entries",
        )

    async def recurring(self, agent: str, *, extractions: int, facts: int) -> list[TopicFacts]:
        """Return topics with something new that came up so often."""
        return await self._database.run(
            lambda connection: recurring_topics(connection, agent, extractions, facts), "list topics"
        )

    async def noted(self, topic: TopicFacts) -> None:
        """Remember that these entries are in the topic's note."""
        await self._database.run(lambda connection: note_topic(connection, topic), "note a topic")


def _row(message: WindowMessage) -> _Row:
    text = whole_characters(message.text)
    return (
        message.key,
        message.role,
        message.tokens,
        len(text.encode()),
        message.begins_turn,
        message.message_id,
        to_text(message.said_at),
        text_digest(text) if text else "",
        text,
    )


async def _put(connection: Connection, session: Session, rows: dict[str, _Row], keep_tokens: int) -> int:
    # What the user said is on the disk already, in the inbox: an agent need not wait for it twice.
    await relax(connection)
    window, last = await held_window(connection, session)
    found = await connection.execute(
        "INSERT INTO window_key (key) SELECT unnest(%s::text[]) ON CONFLICT (tenant, key) DO NOTHING RETURNING key",
        (list(rows),),
    )
    unknown = {key for (key,) in await found.fetchall()}
    new = [row for key, row in rows.items() if key in unknown]
    async with connection.cursor() as cursor:
        await cursor.executemany(
            "INSERT INTO window_message "
            "(window_id, number, key, role, tokens, bytes, begins_turn, message_id, said_at, digest, text) "
            "VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)",
            [(window, number, *row) for number, row in enumerate(new, start=last + 1)],
        )
    await connection.execute("UPDATE session_window SET last_number = %s WHERE id = %s", (last + len(new), window))
    await trim(connection, window, keep_tokens)
    await recount(connection, [window])
    return len(new)


async def _window(connection: Connection, session: Session, budget_tokens: int) -> list[WindowMessage]:
    window = await number_of_window(connection, session)
    if window is None:
        return []
    found = await connection.execute(
        "SELECT min(number) FROM (SELECT number, sum(tokens) OVER (ORDER BY number DESC) AS together "
        "FROM window_message WHERE window_id = %s AND role <> 'tool') AS latest WHERE together <= %s",
        (window, budget_tokens),
    )
    ((first,),) = await found.fetchall()
    return [] if first is None else await messages_of(connection, window, first)


async def _in_reach(connection: Connection, reach: Reach) -> list[tuple[Session, WindowMessage]]:
    found = await connection.execute(
        "SELECT agent, anchor, session, key, role, text, message.tokens, begins_turn, message_id, said_at, number "
        "FROM session_window AS held JOIN window_message AS message ON message.window_id = held.id "
        "WHERE agent = %s AND anchor = ANY(%s) AND role <> 'tool' ORDER BY anchor, session, number",
        (reach.agent, list(reach.anchors)),
    )
    rows = await found.fetchall()
    sessions = [Session(Scope(agent, anchor), key) for agent, anchor, key, *_ in rows]
    return list(zip(sessions, messages_of_columns(row[3:] for row in rows), strict=True))


async def _end(connection: Connection, session: Session) -> None:
    await connection.execute(
        "UPDATE session_window SET ended = true WHERE agent = %s AND anchor = %s AND session = %s",
        (session.scope.agent, session.scope.anchor, session.key),
    )
