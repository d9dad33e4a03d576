"""The one transaction that writes entries: entries, counts and inbox move together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tercet.adapters.ledger_messages import source_of
from tercet.adapters.ledger_times import to_text, unix_ms
from tercet.adapters.sqlite.connection import as_list
from tercet.adapters.sqlite.term_counts import CountDelta, pack_terms, scope_number
from tercet.errors import InvalidInputError
from tercet.ports.capture import Stored
from tercet.text.same_text import text_digest

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence
    from datetime import datetime

    from tercet.ports.capture import Change, SeenAgain


@dataclass(frozen=True, slots=True)
class PackedEntry:
    """A stored change, ready to be written."""

    change: Stored
    digest: str
    source: str
    terms: bytes


def pack(changes: Sequence[Change]) -> list[PackedEntry | SeenAgain]:
    """Prepare changes without a database.

    Raises:
        InvalidInputError: a record belongs to another entry (permanent).
    """
    return [_packed(change) if isinstance(change, Stored) else change for change in changes]


def _packed(change: Stored) -> PackedEntry:
    entry = change.entry
    if change.record.id != entry.id:
        msg = f"The terms of {change.record.id!r} were given for the entry {entry.id!r}: nothing was stored."
        raise InvalidInputError(msg)
    source = source_of(entry.scope, entry.session, entry.message_id, entry.said_at)
    return PackedEntry(change, text_digest(entry.text), source, pack_terms(change.record.terms))


def apply(
    connection: sqlite3.Connection, changes: Sequence[PackedEntry | SeenAgain], at: datetime, done: tuple[str, ...]
) -> list[str]:
    """See ``Journal.apply``; the caller holds the transaction."""
    waits, closed = _look_at(connection, done)
    if closed and not waits:
        return []
    delta = CountDelta()
    added: list[str] = []
    for change in changes:
        if not isinstance(change, PackedEntry):
            see_again(connection, change.entry_id, change.at)
        elif change.source not in closed and _store(connection, change, at, delta):
            added.append(change.change.entry.id)
    delta.apply(connection)
    connection.execute(
        "UPDATE inbox SET state = 'done', text = '', digest = '', session = '', message_id = '' "
        "WHERE state = 'waiting' AND id IN (SELECT value FROM json_each(?))",
        (as_list(done),),
    )
    return added


def _look_at(connection: sqlite3.Connection, done: tuple[str, ...]) -> tuple[bool, set[str]]:
    """Return whether any of the items still waits, and the sources of those that do not."""
    rows = connection.execute(
        "SELECT state, source FROM inbox WHERE id IN (SELECT value FROM json_each(?))", (as_list(done),)
    ).fetchall()
    return any(state == "waiting" for state, _ in rows), {source for state, source in rows if state != "waiting"}


def see_again(connection: sqlite3.Connection, entry_id: str, at: datetime) -> None:
    """Count a live entry as told once more; the caller holds the transaction.

    Raises:
        InvalidInputError: it is not live.
    """
    counted = connection.execute(
        "UPDATE entry SET seen = seen + 1, last_seen = ? WHERE id = ? AND state = 'live'", (to_text(at), entry_id)
    ).rowcount
    if not counted:
        msg = f"The entry {entry_id!r} is not live any more and cannot be seen again: decide again."
        raise InvalidInputError(msg)
    note(connection, entry_id, "seen", at)


def note(connection: sqlite3.Connection, entry_id: str, what: str, at: datetime, other_id: str = "") -> None:
    """Add one line to the journal of events; the caller holds the transaction."""
    connection.execute(
        "INSERT INTO journal_event (entry_id, what, other_id, at_ms) VALUES (?, ?, ?, ?)",
        (entry_id, what, other_id, unix_ms(at)),
    )


def _store(connection: sqlite3.Connection, packed: PackedEntry, at: datetime, delta: CountDelta) -> bool:
    entry, record = packed.change.entry, packed.change.record
    if connection.execute("SELECT 1 FROM entry WHERE id = ?", (entry.id,)).fetchone():
        return False
    scope_id = scope_number(connection, entry.scope)
    for target in dict.fromkeys(packed.change.supersedes):
        _retire(connection, target, entry.id, scope_id, at, delta)
    same = connection.execute(
        "SELECT id FROM entry WHERE state = 'live' AND scope_id = ? AND digest = ?", (scope_id, packed.digest)
    ).fetchone()
    if same is not None:
        if packed.change.supersedes:
            msg = f"The entry {same[0]!r} says the same as the new one: it would supersede others unseen; decide again."
            raise InvalidInputError(msg)
        see_again(connection, same[0], entry.said_at or at)
        return False
    stored_at = entry.stored_at or at
    connection.execute(
        "INSERT INTO entry (id, scope_id, text, digest, category, importance, said_at, stored_at, time_ms, origin, "
        "session, message_id, ordinal, state, seen, last_seen, length, terms) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'live', ?, ?, ?, ?)",
        (
            entry.id,
            scope_id,
            entry.text,
            packed.digest,
            entry.category,
            entry.importance,
            to_text(entry.said_at),
            to_text(stored_at),
            unix_ms(entry.said_at or stored_at),
            entry.origin,
            entry.session,
            entry.message_id,
            entry.ordinal,
            entry.seen,
            to_text(entry.last_seen or entry.said_at or stored_at),
            len(record.terms),
            packed.terms,
        ),
    )
    count_entries(connection, scope_id, 1)
    delta.count_in(scope_id, len(record.terms), packed.terms)
    note(connection, entry.id, "stored", at)
    pairs = [pair for other in packed.change.links for pair in ((entry.id, other), (other, entry.id))]
    connection.executemany("INSERT INTO entry_link VALUES (?, ?) ON CONFLICT DO NOTHING", pairs)
    return True


def _retire(
    connection: sqlite3.Connection, target: str, by: str, scope_id: int, at: datetime, delta: CountDelta
) -> None:
    held = connection.execute(
        "SELECT length, terms FROM entry WHERE id = ? AND scope_id = ? AND state = 'live'", (target, scope_id)
    ).fetchone()
    if held is None:
        msg = f"The entry {target!r} is not live in this scope and cannot be superseded: nothing was stored."
        raise InvalidInputError(msg)
    connection.execute(
        "UPDATE entry SET state = 'superseded', superseded_by = ?, synced = 0, revision = revision + 1 WHERE id = ?",
        (by, target),
    )
    count_entries(connection, scope_id, -1)
    delta.take_back(scope_id, *held)
    note(connection, target, "superseded", at, by)


def count_entries(connection: sqlite3.Connection, scope_id: int, change: int) -> None:
    """Note how many more of a scope's documents are entries; the caller holds the transaction."""
    connection.execute("UPDATE scope SET entries = entries + ? WHERE id = ?", (change, scope_id))
