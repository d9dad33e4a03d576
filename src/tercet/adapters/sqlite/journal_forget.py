"""Taking entries out of everything at once, bringing them back, and erasing their bytes."""

# ruff: noqa: S608 - only constants of this module are put between the words; every value is bound

from __future__ import annotations

from typing import TYPE_CHECKING

from tercet.adapters.ledger_times import unix_ms
from tercet.adapters.sqlite.access_log import forget_accesses
from tercet.adapters.sqlite.connection import as_list
from tercet.adapters.sqlite.journal_apply import count_entries, note
from tercet.adapters.sqlite.session_windows_forget import forget_turns, forget_windows
from tercet.adapters.sqlite.term_counts import CountDelta
from tercet.model import Scope

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence
    from datetime import datetime

_GIVEN = "(SELECT value FROM json_each(?))"


def forget(
    connection: sqlite3.Connection,
    ids: tuple[str, ...],
    anchors: tuple[Scope, ...],
    session: tuple[str, str] | None,
    at: datetime,
    purge_at: datetime,
) -> tuple[list[str], list[str], list[tuple[Scope, str]]]:
    """Forget and return (entry ids, inbox ids, the entries' scopes and texts); the caller holds the transaction."""
    scopes = [
        number
        for scope in anchors
        for (number,) in connection.execute(
            "SELECT id FROM scope WHERE agent = ? AND anchor = ?", (scope.agent, scope.anchor)
        )
    ]
    agent, key = session or ("", "")
    of_session = [number for (number,) in connection.execute("SELECT id FROM scope WHERE agent = ?", (agent,))]
    which = (as_list(ids), as_numbers(scopes), key, as_numbers(of_session))
    meant = f"id IN {_GIVEN} OR scope_id IN {_GIVEN} OR (session = ? AND session <> '' AND scope_id IN {_GIVEN})"
    entries = connection.execute(
        f"SELECT id, scope_id, text, state, length, terms, digest FROM entry "
        f"WHERE state <> 'forgotten' AND ({meant}) ORDER BY number",
        which,
    ).fetchall()
    delta = CountDelta()
    (batch,) = connection.execute("SELECT coalesce(max(forgotten_in), 0) + 1 FROM entry").fetchone()
    inbox = [
        item
        for (item,) in connection.execute(
            f"SELECT id FROM inbox WHERE state IN ('waiting', 'dead') AND ({meant}) ORDER BY number", which
        )
    ]
    for entry_id, scope_id, _, state, length, terms, digest in entries:
        if state == "live":
            count_entries(connection, scope_id, -1)
            delta.take_back(scope_id, length, terms)
        connection.execute(
            "UPDATE entry SET state = 'forgotten', state_before = state, forgotten_in = ?, purge_at_ms = ?, "
            "synced = 0, revision = revision + 1 WHERE id = ?",
            (batch, unix_ms(purge_at), entry_id),
        )
        note(connection, entry_id, "forgotten", at)
        inbox.extend(
            item
            for (item,) in connection.execute(
                "SELECT id FROM inbox WHERE state IN ('waiting', 'dead') AND scope_id = ? AND digest = ?",
                (scope_id, digest),
            )
        )
    delta.apply(connection)
    inbox = list(dict.fromkeys(inbox))
    forgotten = [row[0] for row in entries]
    forget_windows(connection, scopes, key, of_session)
    forget_turns(connection, forgotten, inbox)
    connection.execute(
        "UPDATE inbox SET state = 'forgotten', text = '', digest = '', session = '', message_id = '', reason = '', "
        f"said_at = NULL WHERE id IN {_GIVEN}",
        (as_list(inbox),),
    )
    _blank_queries(connection, [*forgotten, *inbox])
    forget_accesses(connection, [*forgotten, *inbox])
    of_number = {number: Scope(*named) for number, *named in connection.execute("SELECT id, agent, anchor FROM scope")}
    return forgotten, inbox, [(of_number[row[1]], row[2]) for row in entries]


def undo(connection: sqlite3.Connection, ids: Sequence[str], at: datetime, agent: str | None) -> list[str]:
    """Bring entries back whose bytes remain; the caller holds the transaction.

    One whose text was told anew meanwhile comes back as superseded by that telling.
    """
    delta = CountDelta()
    back: list[str] = []
    for entry_id in dict.fromkeys(ids):
        row = connection.execute(
            "SELECT scope_id, length, terms, digest, state_before FROM entry JOIN scope ON scope.id = scope_id "
            "WHERE entry.id = ? AND purge_at_ms IS NOT NULL AND agent = coalesce(?, agent)",
            (entry_id, agent),
        ).fetchone()
        if row is None:
            continue
        scope_id, length, terms, digest, state = row
        told = connection.execute(
            "SELECT id FROM entry WHERE state = 'live' AND scope_id = ? AND digest = ?", (scope_id, digest)
        ).fetchone()
        by = ""
        if state == "live" and told is not None:
            state, by = "superseded", told[0]
        connection.execute(
            "UPDATE entry SET state = ?, superseded_by = iif(? = '', superseded_by, ?), state_before = '', "
            "forgotten_in = NULL, purge_at_ms = NULL, synced = 0, revision = revision + 1 WHERE id = ?",
            (state, by, by, entry_id),
        )
        if state == "live":
            count_entries(connection, scope_id, 1)
            delta.count_in(scope_id, length, terms)
        note(connection, entry_id, "undone", at)
        back.append(entry_id)
    delta.apply(connection)
    return back


def last_forgotten(connection: sqlite3.Connection, agent: str) -> list[str]:
    """Return the entry ids of the agent's latest forget whose bytes remain."""
    rows = connection.execute(
        "WITH mine AS (SELECT entry.id, number, forgotten_in FROM entry JOIN scope ON scope.id = scope_id "
        "WHERE agent = ? AND purge_at_ms IS NOT NULL) "
        "SELECT id FROM mine WHERE forgotten_in = (SELECT max(forgotten_in) FROM mine) ORDER BY number",
        (agent,),
    )
    return [entry_id for (entry_id,) in rows]


def due_texts(connection: sqlite3.Connection, now_ms: int) -> list[tuple[str, str]]:
    """Return (id, text) of what is to be erased."""
    return connection.execute(
        "SELECT id, text FROM entry WHERE purge_at_ms IS NOT NULL AND purge_at_ms <= ?", (now_ms,)
    ).fetchall()


def erase(connection: sqlite3.Connection, now: datetime) -> int:
    """Leave only ids of what is due; returns how many. The caller holds the transaction."""
    ids = [entry_id for entry_id, _ in due_texts(connection, unix_ms(now))]
    connection.execute(
        "UPDATE entry SET text = '', digest = '', category = 'other', said_at = NULL, session = '', message_id = '', "
        f"ordinal = 0, last_seen = NULL, length = 0, terms = x'', purge_at_ms = NULL WHERE id IN {_GIVEN}",
        (as_list(ids),),
    )
    given = as_list(ids)
    connection.execute(f"DELETE FROM entry_link WHERE entry_id IN {_GIVEN} OR other_id IN {_GIVEN}", (given, given))
    for entry_id in ids:
        note(connection, entry_id, "purged", now)
    return len(ids)


def as_numbers(numbers: Sequence[int]) -> str:
    """Return numbers for ``IN (SELECT value FROM json_each(?))``."""
    return f"[{','.join(map(str, numbers))}]"


def _blank_queries(connection: sqlite3.Connection, ids: Sequence[str]) -> None:
    """Drop logged queries that found any of these: a query says what its answer says."""
    if ids:
        connection.execute(
            f"DELETE FROM query_log WHERE EXISTS (SELECT 1 FROM json_each(hit_ids) WHERE value IN {_GIVEN})",
            (as_list(ids),),
        )
