"""Taking entries out of everything at once, bringing them back, and erasing their texts."""

# ruff: noqa: S608 - only constants of this module are put between the words; every value is bound

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tercet.adapters.ledger_times import unix_ms
from tercet.adapters.postgres.access_log import forget_accesses
from tercet.adapters.postgres.journal_apply import note, scopes_of_entries
from tercet.adapters.postgres.query_log import forget_queries
from tercet.adapters.postgres.session_windows_forget import forget_turns, forget_windows
from tercet.adapters.postgres.term_counts import CountDelta, lock_scopes
from tercet.model import Scope

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from tercet.adapters.postgres.database import Connection

_NAMED = (
    "SELECT {what} FROM {table} WHERE id = ANY(%(ids)s) AND {state} UNION "
    "SELECT {what} FROM {table} WHERE agent = %(agent)s AND session = %(session)s AND session <> '' AND {state}"
)
_OF_SCOPES = (
    "SELECT id FROM {table} WHERE (agent, anchor) IN (SELECT * FROM unnest(%(agents)s::text[], %(anchors)s::text[])) "
    "AND {state}"
)
"""Each condition by itself: with OR between them the server would read the whole table."""
_KNOWN = "state <> 'forgotten'"
_UNWORKED = "state IN ('waiting', 'dead')"


@dataclass(frozen=True, slots=True)
class Target:
    """What a forget is about: entries and messages by id, whole scopes, one session of an agent."""

    ids: tuple[str, ...]
    scopes: tuple[Scope, ...]
    agent: str
    session: str
    """Normalised key; empty for none."""

    def parameters(self) -> dict[str, object]:
        """Return what the conditions of this module bind."""
        return {
            "ids": list(self.ids),
            "agents": [scope.agent for scope in self.scopes],
            "anchors": [scope.anchor for scope in self.scopes],
            "agent": self.agent,
            "session": self.session,
        }


@dataclass(frozen=True, slots=True)
class _ForgottenEntry:
    id: str
    scope: Scope
    text: str
    is_live: bool
    length: int
    terms: list[str]
    digest: str


async def forget(
    connection: Connection, target: Target, at: datetime, purge_at: datetime
) -> tuple[list[str], list[str], list[tuple[Scope, str]]]:
    """Forget and return (entry ids, inbox ids, the entries' scopes and texts); the caller holds the transaction."""
    await lock_scopes(connection, [*target.scopes, *await _scopes_meant(connection, target)])
    entries = await _entries_meant(connection, target)
    inbox = await _messages_meant(connection, target, entries)
    forgotten = [entry.id for entry in entries]
    await _retire(connection, forgotten, at, purge_at)
    delta = CountDelta()
    for entry in entries:
        if entry.is_live:
            delta.take_back(entry.scope, entry.length, entry.terms)
    await delta.apply(connection)
    await forget_windows(connection, target.scopes, target.agent, target.session)
    await forget_turns(connection, forgotten, inbox)
    await connection.execute(
        "UPDATE inbox SET state = 'forgotten', text = '', digest = '', session = '', message_id = '', reason = '', "
        "said_at = NULL WHERE id = ANY(%s)",
        (inbox,),
    )
    await forget_queries(connection, [*forgotten, *inbox])
    await forget_accesses(connection, [*forgotten, *inbox])
    return forgotten, inbox, [(entry.scope, entry.text) for entry in entries]


async def _scopes_meant(connection: Connection, target: Target) -> set[Scope]:
    """Return the scopes of which something is named by its id or session."""
    entries = _NAMED.format(what="agent, anchor", table="entry", state=_KNOWN)
    messages = _NAMED.format(what="agent, anchor", table="inbox", state=_UNWORKED)
    found = await connection.execute(f"{entries} UNION {messages}", target.parameters())
    return {Scope(agent, anchor) for agent, anchor in await found.fetchall()}


async def _entries_meant(connection: Connection, target: Target) -> list[_ForgottenEntry]:
    named = _NAMED.format(what="id", table="entry", state=_KNOWN)
    of_scopes = _OF_SCOPES.format(table="entry", state=_KNOWN)
    found = await connection.execute(
        "SELECT id, agent, anchor, text, state = 'live', length, terms, digest FROM entry "
        f"WHERE id = ANY(ARRAY({named} UNION {of_scopes})) AND {_KNOWN} ORDER BY number FOR UPDATE",
        target.parameters(),
    )
    return [
        _ForgottenEntry(entry_id, Scope(agent, anchor), text, is_live, length, terms, digest)
        for entry_id, agent, anchor, text, is_live, length, terms, digest in await found.fetchall()
    ]


async def _messages_meant(connection: Connection, target: Target, entries: Iterable[_ForgottenEntry]) -> list[str]:
    """Return waiting messages that are meant, or say in the same scope what a forgotten entry says."""
    said = [(entry.scope.agent, entry.scope.anchor, entry.digest) for entry in entries]
    named = _NAMED.format(what="id", table="inbox", state=_UNWORKED)
    of_scopes = _OF_SCOPES.format(table="inbox", state=_UNWORKED)
    saying_so = (
        "SELECT id FROM inbox JOIN unnest(%(of_agents)s::text[], %(of_anchors)s::text[], %(digests)s::text[]) "
        f"AS said (agent, anchor, digest) USING (agent, anchor, digest) WHERE {_UNWORKED}"
    )
    found = await connection.execute(
        f"SELECT id FROM inbox WHERE id = ANY(ARRAY({named} UNION {of_scopes} UNION {saying_so})) AND {_UNWORKED} "
        "ORDER BY number FOR UPDATE",
        {
            **target.parameters(),
            "of_agents": [agent for agent, _, _ in said],
            "of_anchors": [anchor for _, anchor, _ in said],
            "digests": [digest for _, _, digest in said],
        },
    )
    return [item_id for (item_id,) in await found.fetchall()]


async def _retire(connection: Connection, ids: Sequence[str], at: datetime, purge_at: datetime) -> None:
    if ids:
        await connection.execute(
            "WITH numbered AS MATERIALIZED (SELECT nextval('forget_number') AS batch) "
            "UPDATE entry SET state = 'forgotten', state_before = state, forgotten_in = batch, purge_at_ms = %s, "
            "synced = false, revision = revision + 1 FROM numbered WHERE id = ANY(%s)",
            (unix_ms(purge_at), list(ids)),
        )
        await note(connection, ids, "forgotten", at)


async def undo(connection: Connection, ids: Sequence[str], at: datetime, agent: str | None) -> list[str]:
    """Bring entries back whose texts remain; the caller holds the transaction.

    One whose text was told anew meanwhile comes back as superseded by that telling.
    """
    await lock_scopes(connection, await scopes_of_entries(connection, ids))
    delta = CountDelta()
    # One after the other: of two that say the same, the second finds the first.
    back = [entry_id for entry_id in dict.fromkeys(ids) if await _bring_back(connection, entry_id, agent, delta)]
    await delta.apply(connection)
    await note(connection, back, "undone", at)
    return back


async def _bring_back(connection: Connection, entry_id: str, agent: str | None, delta: CountDelta) -> bool:
    found = await connection.execute(
        "UPDATE entry SET state = CASE WHEN told.id IS NULL THEN entry.state_before ELSE 'superseded' END, "
        "superseded_by = coalesce(told.id, entry.superseded_by), state_before = '', forgotten_in = NULL, "
        "purge_at_ms = NULL, synced = false, revision = entry.revision + 1 "
        "FROM entry AS gone LEFT JOIN entry AS told ON told.state = 'live' AND gone.state_before = 'live' "
        "AND (told.agent, told.anchor, told.digest) = (gone.agent, gone.anchor, gone.digest) "
        "WHERE entry.id = gone.id AND gone.id = %s AND gone.purge_at_ms IS NOT NULL "
        "AND gone.agent = coalesce(%s, gone.agent) "
        "RETURNING entry.agent, entry.anchor, entry.length, entry.terms, entry.state",
        (entry_id, agent),
    )
    row = await found.fetchone()
    if row is None:
        return False
    owner, anchor, length, terms, state = row
    if state == "live":
        delta.count_in(Scope(owner, anchor), length, terms)
    return True


async def last_forgotten(connection: Connection, agent: str) -> list[str]:
    """Return the entry ids of the agent's latest forget whose texts remain."""
    found = await connection.execute(
        "WITH mine AS (SELECT id, number, forgotten_in FROM entry WHERE agent = %s AND purge_at_ms IS NOT NULL) "
        "SELECT id FROM mine WHERE forgotten_in = (SELECT max(forgotten_in) FROM mine) ORDER BY number",
        (agent,),
    )
    return [entry_id for (entry_id,) in await found.fetchall()]


async def due_texts(connection: Connection, now_ms: int) -> list[str]:
    """Return the texts of what is to be erased."""
    found = await connection.execute("SELECT text FROM entry WHERE purge_at_ms <= %s", (now_ms,))
    return [text for (text,) in await found.fetchall()]


async def erase(connection: Connection, now: datetime) -> int:
    """Leave only ids of what is due; returns how many. The caller holds the transaction."""
    found = await connection.execute(
        "SELECT DISTINCT agent, anchor FROM entry WHERE purge_at_ms <= %s", (unix_ms(now),)
    )
    await lock_scopes(connection, [Scope(agent, anchor) for agent, anchor in await found.fetchall()])
    erased = await connection.execute(
        "UPDATE entry SET text = '', digest = '', category = 'other', said_at = NULL, session = '', message_id = '', "
        "ordinal = 0, last_seen = NULL, length = 0, terms = '{}', purge_at_ms = NULL WHERE purge_at_ms <= %s "
        "RETURNING id",
        (unix_ms(now),),
    )
    ids = [entry_id for (entry_id,) in await erased.fetchall()]
    await connection.execute("DELETE FROM entry_link WHERE entry_id = ANY(%s) OR other_id = ANY(%s)", (ids, ids))
    await note(connection, ids, "purged", now)
    return len(ids)
