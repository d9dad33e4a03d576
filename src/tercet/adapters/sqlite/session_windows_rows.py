"""Windows as rows: the one of a session, its messages, its counters and its bounds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tercet.adapters.ledger_windows import messages_of_columns, statuses_of_columns
from tercet.adapters.sqlite.term_counts import scope_number

if TYPE_CHECKING:
    import sqlite3

    from tercet.ports.windows import Session, SessionStatus, WindowMessage


_WINDOW = (
    "SELECT session_window.id FROM session_window JOIN scope ON scope.id = scope_id "
    "WHERE agent = ? AND anchor = ? AND session = ?"
)


def number_of_window(connection: sqlite3.Connection, session: Session) -> int | None:
    """Return the row number of a session's window, None when it has none."""
    row = connection.execute(_WINDOW, (session.scope.agent, session.scope.anchor, session.key)).fetchone()
    return None if row is None else int(row[0])


def window_number(connection: sqlite3.Connection, session: Session) -> int:
    """Return the row number of a session's window, made when it is new."""
    connection.execute(
        "INSERT INTO session_window (scope_id, session) VALUES (?, ?) ON CONFLICT DO NOTHING",
        (scope_number(connection, session.scope), session.key),
    )
    number: int
    (number,) = connection.execute(_WINDOW, (session.scope.agent, session.scope.anchor, session.key)).fetchone()
    return number


def messages_of(
    connection: sqlite3.Connection, window: int, first: int, last: int | None = None
) -> list[WindowMessage]:
    """Return the messages of a window from one number to another, without tool calls."""
    return messages_of_columns(
        connection.execute(
            "SELECT key, role, text, tokens, begins_turn, message_id, said_at, number FROM window_message "
            "WHERE window_id = ? AND role <> 'tool' AND number BETWEEN ? AND coalesce(?, number) ORDER BY number",
            (window, first, last),
        )
    )


def recount(connection: sqlite3.Connection, window: int) -> None:
    """Set a window's counters by its messages, new ones and all; the caller holds the transaction."""
    connection.execute(
        "UPDATE session_window SET (tokens, tool_calls, turns, messages, kept_tokens, kept_bytes) = ("
        "SELECT coalesce(sum(iif(number > extracted_to, message.tokens, 0)), 0), "
        "coalesce(sum(number > extracted_to AND role = 'tool'), 0), "
        "coalesce(sum(number > extracted_to AND begins_turn), 0), "
        "coalesce(sum(role <> 'tool'), 0), coalesce(sum(message.tokens), 0), coalesce(sum(bytes), 0) "
        "FROM window_message AS message WHERE window_id = session_window.id) WHERE id = ?",
        (window,),
    )


def trim(connection: sqlite3.Connection, window: int, keep_tokens: int) -> None:
    """Drop what was extracted and is not among the latest tokens; the caller holds the transaction.

    The message in which the border lies stays whole.
    """
    connection.execute(
        "DELETE FROM window_message WHERE window_id = ?1 "
        "AND number <= (SELECT extracted_to FROM session_window WHERE id = ?1) "
        "AND (role = 'tool' OR number < (SELECT min(number) FROM ("
        "SELECT number, sum(tokens) OVER (ORDER BY number DESC) - tokens AS behind "
        "FROM window_message WHERE window_id = ?1 AND role <> 'tool') WHERE behind < ?2))",
        (window, keep_tokens),
    )


def session_statuses(connection: sqlite3.Connection, agent: str) -> list[SessionStatus]:
    """Return how the sessions of an agent stand, by anchor and key."""
    return statuses_of_columns(
        connection.execute(
            "SELECT agent, anchor, session, tokens, tool_calls, turns, ended, attempts, retry_at, reason, "
            "extracted_at, messages, kept_tokens, kept_bytes FROM session_window JOIN scope ON scope.id = scope_id "
            "WHERE agent = ? ORDER BY anchor, session",
            (agent,),
        )
    )
