"""Entries as rows of the database, and the questions asked of them."""

# ruff: noqa: S608 - only constants of this module are put between the words; every value is bound

from __future__ import annotations

from typing import TYPE_CHECKING

from tercet.adapters.ledger_entries import entries_of
from tercet.text.same_text import text_digest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tercet.adapters.postgres.database import Connection
    from tercet.model import Entry, Reach, Scope

_ENTRY = (
    "SELECT id, agent, anchor, text, category, importance, said_at, stored_at, origin, session, message_id, ordinal, "
    "state, superseded_by, seen, last_seen, ARRAY(SELECT other_id FROM entry_link JOIN entry AS other "
    "ON other.id = other_id AND other.state <> 'forgotten' WHERE entry_id = entry.id ORDER BY other_id) FROM entry "
)
_IN_REACH = "agent = %s AND anchor = ANY(%s)"


async def entries_by_id(connection: Connection, ids: Sequence[str], reach: Reach) -> list[Entry]:
    """Return entries in any state but forgotten, in the order asked for."""
    rows = await connection.execute(
        f"{_ENTRY} WHERE id = ANY(%s) AND state <> 'forgotten' AND {_IN_REACH}",
        (list(ids), reach.agent, list(reach.anchors)),
    )
    found = {entry.id: entry for entry in entries_of(await rows.fetchall())}
    return [found[entry_id] for entry_id in dict.fromkeys(ids) if entry_id in found]


async def live_entries(connection: Connection, reach: Reach, since_ms: int | None, limit: int) -> list[Entry]:
    """Return live entries, newest first by the time they were said (or stored)."""
    rows = await connection.execute(
        f"{_ENTRY} WHERE state = 'live' AND {_IN_REACH} AND (%s::bigint IS NULL OR time_ms >= %s) "
        "ORDER BY time_ms DESC, number DESC LIMIT %s",
        (reach.agent, list(reach.anchors), since_ms, since_ms, max(limit, 0)),
    )
    return entries_of(await rows.fetchall())


async def live_by_digest(connection: Connection, scope: Scope, digests: Sequence[str]) -> dict[str, Entry]:
    """Return live entries of exactly this scope by the digest of their text."""
    rows = await connection.execute(
        f"{_ENTRY} WHERE state = 'live' AND agent = %s AND anchor = %s AND digest = ANY(%s)",
        (scope.agent, scope.anchor, list(digests)),
    )
    return {text_digest(entry.text): entry for entry in entries_of(await rows.fetchall())}


async def chain_of(connection: Connection, entry_id: str, reach: Reach) -> list[Entry]:
    """Return every entry that the given one superseded or was superseded by, over any number of steps."""
    if not await entries_by_id(connection, [entry_id], reach):
        return []
    rows = await connection.execute(
        'WITH RECURSIVE chain (id) AS (SELECT %s::text COLLATE "C" '
        "UNION SELECT unnest(ARRAY[step.id, step.superseded_by]) FROM chain JOIN entry AS step "
        "ON step.superseded_by <> '' AND (step.id = chain.id OR step.superseded_by = chain.id)) "
        f"{_ENTRY} WHERE id IN (SELECT chain.id FROM chain) AND state <> 'forgotten' AND {_IN_REACH} "
        "ORDER BY time_ms, number",
        (entry_id, reach.agent, list(reach.anchors)),
    )
    return entries_of(await rows.fetchall())


async def entries_of_messages(
    connection: Connection, scope: Scope, session: str, message_ids: Sequence[str], times: Sequence[str]
) -> list[Entry]:
    """Return entries, not forgotten, that came of messages of a session, by their ids or else their times."""
    rows = await connection.execute(
        f"{_ENTRY} WHERE session = %s AND session <> '' AND state <> 'forgotten' AND agent = %s AND anchor = %s "
        "AND (message_id = ANY(%s) AND message_id <> '' OR message_id = '' AND said_at = ANY(%s)) ORDER BY number",
        (session, scope.agent, scope.anchor, list(message_ids), list(times)),
    )
    return entries_of(await rows.fetchall())


async def pending_entries(connection: Connection, limit: int) -> tuple[list[Entry], list[str], dict[str, int]]:
    """Return (live entries the engine lacks, ids it must delete, the revision of each)."""
    rows = await connection.execute(
        "SELECT id, state, revision FROM entry WHERE NOT synced ORDER BY number LIMIT %s", (max(limit, 0),)
    )
    named = await rows.fetchall()
    live = [entry_id for entry_id, state, _ in named if state == "live"]
    gone = [entry_id for entry_id, state, _ in named if state != "live"]
    rows = await connection.execute(f"{_ENTRY} WHERE id = ANY(%s) AND state = 'live' ORDER BY number", (live,))
    return entries_of(await rows.fetchall()), gone, {entry_id: revision for entry_id, _, revision in named}
