"""The one transaction that writes entries: entries, counts and inbox move together.

Writers of one scope take turns at the scope's row; those of different scopes do not meet. Whatever
comes in between all the same is arbitrated by the unique keys: of an entry's id, and of what is live
with the same text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tercet.adapters.ledger_messages import source_of
from tercet.adapters.ledger_times import to_text, unix_ms
from tercet.adapters.postgres.term_counts import CountDelta, distinct_terms, lock_scopes
from tercet.errors import InvalidInputError
from tercet.model import Scope
from tercet.ports.capture import Stored
from tercet.text.same_text import text_digest

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from tercet.adapters.postgres.database import Connection
    from tercet.ports.capture import Change, SeenAgain


@dataclass(frozen=True, slots=True)
class PreparedEntry:
    """A stored change, ready to be written."""

    change: Stored
    digest: str
    source: str
    terms: list[str]
    """Distinct."""


def prepare(changes: Sequence[Change]) -> list[PreparedEntry | SeenAgain]:
    """Prepare changes without a database.

    Raises:
        InvalidInputError: a record belongs to another entry, or a time has no zone (permanent).
    """
    return [_prepared(change) if isinstance(change, Stored) else change for change in changes]


def _prepared(change: Stored) -> PreparedEntry:
    entry = change.entry
    if change.record.id != entry.id:
        msg = f"The terms of {change.record.id!r} were given for the entry {entry.id!r}: nothing was stored."
        raise InvalidInputError(msg)
    source = source_of(entry.scope, entry.session, entry.message_id, entry.said_at)
    return PreparedEntry(change, text_digest(entry.text), source, distinct_terms(change.record.terms))


async def apply(
    connection: Connection, changes: Sequence[PreparedEntry | SeenAgain], at: datetime, done: Sequence[str]
) -> list[str]:
    """See ``Journal.apply``; the caller holds the transaction."""
    await lock_scopes(connection, await _scopes_of(connection, changes))
    waits, closed = await _look_at(connection, done)
    if closed and not waits:
        return []
    delta = CountDelta()
    added: list[str] = []
    for change in changes:
        if not isinstance(change, PreparedEntry):
            await see_again(connection, change.entry_id, change.at)
        elif change.source not in closed and await _store(connection, change, at, delta):
            added.append(change.change.entry.id)
    await delta.apply(connection)
    await connection.execute(
        "UPDATE inbox SET state = 'done', text = '', digest = '', session = '', message_id = '' "
        "WHERE state = 'waiting' AND id = ANY(%s)",
        (list(done),),
    )
    return added


async def _scopes_of(connection: Connection, changes: Sequence[PreparedEntry | SeenAgain]) -> set[Scope]:
    """Return the scopes that changes are about; that of an entry never changes."""
    scopes = {change.change.entry.scope for change in changes if isinstance(change, PreparedEntry)}
    seen = [change.entry_id for change in changes if not isinstance(change, PreparedEntry)]
    if seen:
        scopes.update(await scopes_of_entries(connection, seen))
    return scopes


async def scopes_of_entries(connection: Connection, ids: Sequence[str]) -> set[Scope]:
    """Return the scopes of entries in any state."""
    found = await connection.execute("SELECT DISTINCT agent, anchor FROM entry WHERE id = ANY(%s)", (list(ids),))
    return {Scope(agent, anchor) for agent, anchor in await found.fetchall()}


async def _look_at(connection: Connection, done: Sequence[str]) -> tuple[bool, set[str]]:
    """Return whether any of the items still waits, and the sources of those that do not.

    They stay as they are until the transaction ends.
    """
    found = await connection.execute(
        "SELECT state, source FROM inbox WHERE id = ANY(%s) ORDER BY number FOR UPDATE", (list(done),)
    )
    rows = await found.fetchall()
    return any(state == "waiting" for state, _ in rows), {source for state, source in rows if state != "waiting"}


async def see_again(connection: Connection, entry_id: str, at: datetime) -> None:
    """Count a live entry as told once more; the caller holds the transaction.

    Raises:
        InvalidInputError: it is not live.
    """
    counted = await connection.execute(
        "UPDATE entry SET seen = seen + 1, last_seen = %s WHERE id = %s AND state = 'live'", (to_text(at), entry_id)
    )
    if not counted.rowcount:
        msg = f"The entry {entry_id!r} is not live any more and cannot be seen again: decide again."
        raise InvalidInputError(msg)
    await note(connection, [entry_id], "seen", at)


async def note(connection: Connection, ids: Sequence[str], what: str, at: datetime, other_id: str = "") -> None:
    """Add a line for each entry to the journal of events; the caller holds the transaction."""
    await connection.execute(
        "INSERT INTO journal_event (entry_id, what, other_id, at_ms) "
        "SELECT id, %s, %s, %s FROM unnest(%s::text[]) WITH ORDINALITY AS given (id, place) ORDER BY place",
        (what, other_id, unix_ms(at), list(ids)),
    )


async def _store(connection: Connection, prepared: PreparedEntry, at: datetime, delta: CountDelta) -> bool:
    entry, record = prepared.change.entry, prepared.change.record
    if await scopes_of_entries(connection, [entry.id]):
        return False
    for target in dict.fromkeys(prepared.change.supersedes):
        await _retire(connection, target, entry.id, entry.scope, at, delta)
    if not await _insert(connection, prepared, at):
        return await _meet_the_same(connection, prepared, at)
    delta.count_in(entry.scope, len(record.terms), prepared.terms)
    await note(connection, [entry.id], "stored", at)
    others = list(dict.fromkeys(prepared.change.links))
    if others:
        await connection.execute(
            "INSERT INTO entry_link (entry_id, other_id) SELECT unnest(%s::text[]), unnest(%s::text[]) "
            "ON CONFLICT (tenant, entry_id, other_id) DO NOTHING",
            ([*others, *[entry.id] * len(others)], [*[entry.id] * len(others), *others]),
        )
    return True


async def _insert(connection: Connection, prepared: PreparedEntry, at: datetime) -> bool:
    """Write an entry; False where its id, or a live one that says the same, is there already."""
    entry, record = prepared.change.entry, prepared.change.record
    stored_at = entry.stored_at or at
    written = await connection.execute(
        "INSERT INTO entry (id, agent, anchor, text, digest, category, importance, said_at, stored_at, stored_ms, "
        "time_ms, origin, session, message_id, ordinal, state, seen, last_seen, length, terms) "
        "VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, 'live', %s, %s, %s, %s) "
        "ON CONFLICT DO NOTHING",
        (
            entry.id,
            entry.scope.agent,
            entry.scope.anchor,
            entry.text,
            prepared.digest,
            entry.category,
            entry.importance,
            to_text(entry.said_at),
            to_text(stored_at),
            unix_ms(stored_at),
            unix_ms(entry.said_at or stored_at),
            entry.origin,
            entry.session,
            entry.message_id,
            entry.ordinal,
            entry.seen,
            to_text(entry.last_seen or entry.said_at or stored_at),
            len(record.terms),
            prepared.terms,
        ),
    )
    return bool(written.rowcount)


async def _meet_the_same(connection: Connection, prepared: PreparedEntry, at: datetime) -> bool:
    """Count the live entry that says the same as seen again; returns False: nothing was added."""
    entry = prepared.change.entry
    found = await connection.execute(
        "SELECT id FROM entry WHERE state = 'live' AND agent = %s AND anchor = %s AND digest = %s",
        (entry.scope.agent, entry.scope.anchor, prepared.digest),
    )
    same = await found.fetchone()
    if same is not None:
        if prepared.change.supersedes:
            msg = f"The entry {same[0]!r} says the same as the new one: it would supersede others unseen; decide again."
            raise InvalidInputError(msg)
        await see_again(connection, same[0], entry.said_at or at)
    return False


async def _retire(connection: Connection, target: str, by: str, scope: Scope, at: datetime, delta: CountDelta) -> None:
    retired = await connection.execute(
        "UPDATE entry SET state = 'superseded', superseded_by = %s, synced = false, revision = revision + 1 "
        "WHERE id = %s AND agent = %s AND anchor = %s AND state = 'live' RETURNING length, terms",
        (by, target, scope.agent, scope.anchor),
    )
    held = await retired.fetchone()
    if held is None:
        msg = f"The entry {target!r} is not live in this scope and cannot be superseded: nothing was stored."
        raise InvalidInputError(msg)
    delta.take_back(scope, *held)
    await note(connection, [target], "superseded", at, by)
