"""Windows as rows: the one of a session, its messages, its counters and its bounds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tercet.adapters.ledger_windows import messages_of_columns, statuses_of_columns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tercet.adapters.postgres.database import Connection
    from tercet.ports.windows import Session, SessionStatus, WindowMessage


async def number_of_window(connection: Connection, session: Session) -> int | None:
    """Return the row number of a session's window, None when it has none."""
    found = await connection.execute(
        "SELECT id FROM session_window WHERE agent = %s AND anchor = %s AND session = %s",
        (session.scope.agent, session.scope.anchor, session.key),
    )
    row = await found.fetchone()
    return None if row is None else int(row[0])


async def held_window(connection: Connection, session: Session) -> tuple[int, int]:
    """Make a session's window where it has none, hold it until the transaction ends.

    Returns:
        Its row number, and the number of its last message.
    """
    which = (session.scope.agent, session.scope.anchor, session.key)
    # Where it is there, the update takes its lock and changes nothing.
    found = await connection.execute(
        "INSERT INTO session_window (agent, anchor, session) VALUES (%s, %s, %s) "
        "ON CONFLICT (tenant, agent, anchor, session) DO UPDATE SET session = excluded.session "
        "RETURNING id, last_number",
        which,
    )
    ((window, last_number),) = await found.fetchall()
    return window, last_number


async def lock_windows(connection: Connection, windows: Sequence[int]) -> None:
    """Hold windows until the transaction ends: nothing is put into them meanwhile."""
    await connection.execute("SELECT FROM session_window WHERE id = ANY(%s) ORDER BY id FOR UPDATE", (list(windows),))


async def messages_of(connection: Connection, window: int, first: int, last: int | None = None) -> list[WindowMessage]:
    """Return the messages of a window from one number to another, without tool calls."""
    found = await connection.execute(
        "SELECT key, role, text, tokens, begins_turn, message_id, said_at, number FROM window_message "
        "WHERE window_id = %s AND role <> 'tool' AND number BETWEEN %s AND coalesce(%s, number) ORDER BY number",
        (window, first, last),
    )
    return messages_of_columns(await found.fetchall())


async def recount(connection: Connection, windows: Sequence[int]) -> None:
    """Set windows' counters by their messages; the caller holds the windows."""
    await connection.execute(
        "UPDATE session_window SET (tokens, tool_calls, turns, messages, kept_tokens, kept_bytes) = ("
        "SELECT coalesce(sum(message.tokens) FILTER (WHERE number > extracted_to), 0), "
        "count(*) FILTER (WHERE number > extracted_to AND role = 'tool'), "
        "count(*) FILTER (WHERE number > extracted_to AND begins_turn), "
        "count(*) FILTER (WHERE role <> 'tool'), coalesce(sum(message.tokens), 0), coalesce(sum(bytes), 0) "
        "FROM window_message AS message WHERE window_id = session_window.id) WHERE id = ANY(%s)",
        (list(windows),),
    )


async def trim(connection: Connection, window: int, keep_tokens: int) -> None:
    """Drop what was extracted and is not among the latest tokens; the caller holds the window.

    The message in which the border lies stays whole.
    """
    await connection.execute(
        "DELETE FROM window_message WHERE window_id = %(window)s "
        "AND number <= (SELECT extracted_to FROM session_window WHERE id = %(window)s) "
        "AND (role = 'tool' OR number < (SELECT min(number) FROM ("
        "SELECT number, sum(tokens) OVER (ORDER BY number DESC) - tokens AS behind "
        "FROM window_message WHERE window_id = %(window)s AND role <> 'tool') AS latest WHERE behind < %(keep)s))",
        {"window": window, "keep": keep_tokens},
    )


async def session_statuses(connection: Connection, agent: str) -> list[SessionStatus]:
    """Return how the sessions of an agent stand, by anchor and key."""
    found = await connection.execute(
        "SELECT agent, anchor, session, tokens, tool_calls, turns, ended, attempts, retry_at, reason, "
        "extracted_at, messages, kept_tokens, kept_bytes FROM session_window WHERE agent = %s "
        "ORDER BY anchor, session",
        (agent,),
    )
    return statuses_of_columns(await found.fetchall())
