"""Taking out of the windows what is forgotten elsewhere, within the same transaction."""

# ruff: noqa: S608 - only constants of this module are put between the words; every value is bound

from __future__ import annotations

from typing import TYPE_CHECKING

from tercet.adapters.postgres.session_windows_rows import lock_windows, recount

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tercet.adapters.postgres.database import Connection
    from tercet.model import Scope

_TELLING = (
    "SELECT message.window_id, message.number FROM window_message AS message "
    "JOIN session_window AS held ON held.id = message.window_id "
    "JOIN {told} AS told ON (told.agent, told.anchor) = (held.agent, held.anchor) AND (told.digest = message.digest "
    "OR (told.session = held.session AND (told.message_id = message.message_id AND told.message_id <> '' "
    "OR told.message_id = '' AND told.said_at = message.said_at))) WHERE told.id = ANY(%({told})s)"
)
_CITED = (
    "SELECT message.window_id, message.number FROM session_fact JOIN window_message AS message "
    "ON message.key = ANY(evidence) WHERE entry_id = ANY(%(entry)s)"
)
_TOLD = f"{_TELLING.format(told='entry')} UNION {_TELLING.format(told='inbox')} UNION {_CITED}"


async def forget_windows(connection: Connection, scopes: Sequence[Scope], agent: str, session: str) -> None:
    """Drop the windows of whole scopes, and those of one session of an agent; their messages go along."""
    await connection.execute(
        "DELETE FROM session_window WHERE (agent, anchor) IN (SELECT * FROM unnest(%s::text[], %s::text[])) "
        "OR (agent = %s AND session = %s AND session <> '')",
        ([scope.agent for scope in scopes], [scope.anchor for scope in scopes], agent, session),
    )


async def forget_turns(connection: Connection, entries: Sequence[str], inbox: Sequence[str]) -> None:
    """Drop the turns that told forgotten entries or waiting messages: an answer repeats what was said.

    Else the session's own extraction would bring it back. To be called while the inbox still says
    which messages they were.
    """
    named = {"entry": list(entries), "inbox": list(inbox)}
    found = await connection.execute(f"SELECT DISTINCT window_id FROM ({_TOLD}) AS told", named)
    windows = [window for (window,) in await found.fetchall()]
    if windows:
        await lock_windows(connection, windows)
        await connection.execute(
            f"WITH told AS MATERIALIZED ({_TOLD}), turn AS (SELECT window_id, number AS first, "
            "(SELECT min(later.number) FROM window_message AS later WHERE later.window_id = told.window_id "
            "AND later.number > told.number AND later.role = 'user') AS following FROM told) "
            "DELETE FROM window_message AS message USING turn WHERE message.window_id = turn.window_id "
            "AND message.number >= first AND (following IS NULL OR message.number < following)",
            named,
        )
        await recount(connection, windows)
    await connection.execute("DELETE FROM session_fact WHERE entry_id = ANY(%s)", (list(entries),))
