"""Taking out of the windows what is forgotten elsewhere, within the same transaction."""

# ruff: noqa: S608 - only constants of this module are put between the words; every value is bound

from __future__ import annotations

from typing import TYPE_CHECKING

from tercet.adapters.sqlite.connection import as_list
from tercet.adapters.sqlite.session_windows_rows import recount

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Sequence

_GIVEN = "(SELECT value FROM json_each(?))"
_TELLING = (
    "SELECT window_id, window_message.number FROM window_message JOIN session_window ON session_window.id = window_id "
    "JOIN {told} AS told ON told.scope_id = session_window.scope_id AND (told.digest = window_message.digest "
    "OR (told.session = session_window.session AND (told.message_id = window_message.message_id "
    "AND told.message_id <> '' OR told.message_id = '' AND told.said_at = window_message.said_at))) "
    f"WHERE told.id IN {_GIVEN}"
)
_CITED = (
    "SELECT window_id, window_message.number FROM session_fact JOIN json_each(evidence) AS cited "
    f"JOIN window_message ON window_message.key = cited.value WHERE entry_id IN {_GIVEN}"
)


def forget_windows(
    connection: sqlite3.Connection, scopes: Sequence[int], session: str, of_session: Sequence[int]
) -> None:
    """Drop the windows of whole scopes, and of one session in the given scopes."""
    gone = [
        window
        for window, scope_id, key in connection.execute("SELECT id, scope_id, session FROM session_window")
        if scope_id in scopes or (session and key == session and scope_id in of_session)
    ]
    # The messages go with their window.
    connection.executemany("DELETE FROM session_window WHERE id = ?", [(window,) for window in gone])


def forget_turns(connection: sqlite3.Connection, entries: Sequence[str], inbox: Sequence[str]) -> None:
    """Drop the turns that told forgotten entries or waiting messages: an answer repeats what was said.

    Else the session's own extraction would bring it back. To be called while the inbox still says
    which messages they were.
    """
    told = {
        *connection.execute(_TELLING.format(told="entry"), (as_list(entries),)),
        *connection.execute(_TELLING.format(told="inbox"), (as_list(inbox),)),
        *connection.execute(_CITED, (as_list(entries),)),
    }
    for window, number in sorted(told):
        (following,) = connection.execute(
            "SELECT min(number) FROM window_message WHERE window_id = ? AND number > ? AND role = 'user'",
            (window, number),
        ).fetchone()
        connection.execute(
            "DELETE FROM window_message WHERE window_id = ? AND number >= ? AND number < coalesce(?, number + 1)",
            (window, number, following),
        )
    _recount_all(connection, (window for window, _ in told))
    connection.execute(f"DELETE FROM session_fact WHERE entry_id IN {_GIVEN}", (as_list(entries),))


def _recount_all(connection: sqlite3.Connection, windows: Iterable[int]) -> None:
    for window in sorted(set(windows)):
        recount(connection, window)
