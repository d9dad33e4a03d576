"""Entries as rows of the ledger, and the questions asked of them."""

# ruff: noqa: S608 - only constants of this module are put between the words; every value is bound

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tercet.adapters.ledger_entries import entries_of
from tercet.adapters.sqlite.connection import as_list

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Sequence
    from typing import Any

    from tercet.model import Entry, Reach, Scope

_ENTRY = (
    "SELECT entry.id, agent, anchor, text, category, importance, said_at, stored_at, origin, session, message_id, "
    "ordinal, state, superseded_by, seen, last_seen, "
    "(SELECT json_group_array(other_id) FROM (SELECT other_id FROM entry_link JOIN entry AS other "
    "ON other.id = other_id AND other.state <> 'forgotten' WHERE entry_id = entry.id ORDER BY other_id)) "
    "FROM entry JOIN scope ON scope.id = scope_id "
)
_IN_REACH = "agent = ? AND anchor IN (SELECT value FROM json_each(?))"


def entries_by_id(connection: sqlite3.Connection, ids: Sequence[str], reach: Reach) -> list[Entry]:
    """Return entries in any state but forgotten, in the order asked for."""
    rows = connection.execute(
        f"{_ENTRY} WHERE entry.id IN (SELECT value FROM json_each(?)) AND state <> 'forgotten' AND {_IN_REACH}",
        (as_list(ids), reach.agent, as_list(reach.anchors)),
    )
    found = {entry.id: entry for entry in _entries(rows)}
    return [found[entry_id] for entry_id in dict.fromkeys(ids) if entry_id in found]


def live_entries(connection: sqlite3.Connection, reach: Reach, since_ms: int | None, limit: int) -> list[Entry]:
    """Return live entries, newest first by the time they were said (or stored)."""
    return _entries(
        connection.execute(
            f"{_ENTRY} WHERE state = 'live' AND {_IN_REACH} AND time_ms >= coalesce(?, time_ms) "
            "ORDER BY time_ms DESC, number DESC LIMIT ?",
            (reach.agent, as_list(reach.anchors), since_ms, max(limit, 0)),
        )
    )


def live_by_digest(connection: sqlite3.Connection, scope: Scope, digests: Sequence[str]) -> dict[str, Entry]:
    """Return live entries of exactly this scope by the digest of their text; of several the newest."""
    numbers = connection.execute(
        "SELECT digest, entry.id FROM entry JOIN scope ON scope.id = scope_id WHERE state = 'live' "
        "AND agent = ? AND anchor = ? AND digest IN (SELECT value FROM json_each(?)) ORDER BY number",
        (scope.agent, scope.anchor, as_list(digests)),
    ).fetchall()
    ids = dict(numbers)
    rows = connection.execute(f"{_ENTRY} WHERE entry.id IN (SELECT value FROM json_each(?))", (as_list(ids.values()),))
    found = {entry.id: entry for entry in _entries(rows)}
    return {digest: found[entry_id] for digest, entry_id in ids.items()}


def chain_of(connection: sqlite3.Connection, entry_id: str, reach: Reach) -> list[Entry]:
    """Return every entry that the given one superseded or was superseded by, over any number of steps."""
    if not entries_by_id(connection, [entry_id], reach):
        return []
    rows = connection.execute(
        "WITH RECURSIVE chain (id) AS (SELECT ? UNION SELECT linked.id FROM chain, ("
        "SELECT id AS one, superseded_by AS id FROM entry WHERE superseded_by <> '' "
        "UNION ALL SELECT superseded_by, id FROM entry WHERE superseded_by <> '') AS linked "
        "WHERE linked.one = chain.id) "
        f"{_ENTRY} WHERE entry.id IN (SELECT id FROM chain) AND state <> 'forgotten' AND {_IN_REACH} "
        "ORDER BY time_ms, number",
        (entry_id, reach.agent, as_list(reach.anchors)),
    )
    return _entries(rows)


def entries_of_messages(
    connection: sqlite3.Connection, scope: Scope, session: str, message_ids: Sequence[str], times: Sequence[str]
) -> list[Entry]:
    """Return entries, not forgotten, that came of messages of a session, by their ids or else their times."""
    rows = connection.execute(
        f"{_ENTRY} WHERE session = ? AND state <> 'forgotten' AND agent = ? AND anchor = ? "
        "AND (message_id IN (SELECT value FROM json_each(?)) AND message_id <> '' "
        "OR message_id = '' AND said_at IN (SELECT value FROM json_each(?))) ORDER BY number",
        (session, scope.agent, scope.anchor, as_list(message_ids), as_list(times)),
    )
    return _entries(rows)


def pending_entries(connection: sqlite3.Connection, limit: int) -> tuple[list[Entry], list[str], dict[str, int]]:
    """Return (live entries the engine lacks, ids it must delete, the revision of each)."""
    revisions: dict[str, int] = {}
    live: list[str] = []
    gone: list[str] = []
    for entry_id, state, revision in connection.execute(
        "SELECT id, state, revision FROM entry WHERE synced = 0 ORDER BY number LIMIT ?", (max(limit, 0),)
    ):
        revisions[entry_id] = revision
        (live if state == "live" else gone).append(entry_id)
    rows = connection.execute(
        f"{_ENTRY} WHERE entry.id IN (SELECT value FROM json_each(?)) ORDER BY number", (as_list(live),)
    )
    return _entries(rows), gone, revisions


def _entries(rows: Iterable[tuple[Any, ...]]) -> list[Entry]:  # Any: columns of SQLite
    return entries_of((*row[:-1], json.loads(row[-1])) for row in rows)
