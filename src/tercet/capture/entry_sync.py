"""Brings the engine up to the journal: what it lacks is written, what is no longer live deleted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from tercet.model import Row
from tercet.ports.ledger import PassageRecord
from tercet.text.entry_passage import passage_of
from tercet.text.indexed_text import indexed_text
from tercet.text.terms import terms

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tercet.model import Entry
    from tercet.ports.capture import Journal
    from tercet.ports.engine import Engine

BATCH = 200
MOST_WITHOUT_VECTOR = 100_000
"""How many entries may wait for the embedder and still be found by words."""


class Embed(Protocol):
    """Gives rows their vectors."""

    async def __call__(self, rows: Sequence[Row]) -> Sequence[Row] | None:
        """Return the rows in order, each with its vector; None while the embedder is down or wrong.

        A row whose text has no direction comes back without a vector for good.
        """
        ...


def entry_row(entry: Entry) -> Row:
    """Return the row of an entry, without a vector."""
    passage = passage_of(entry)
    return Row(passage, tuple(terms(indexed_text(passage))))


def entry_record(row: Row) -> PassageRecord:
    """Return what the ledger keeps of an entry's row."""
    return PassageRecord(row.passage.id, row.terms, row.vector is not None)


async def sync_entries(journal: Journal, engine: Engine, embed: Embed) -> int:
    """Tell the engine everything that ``journal.pending`` names; returns how many were told.

    To be called by whoever holds the writer lock. Killed anywhere it is begun again and ends the
    same: writing by id and deleting by id may be repeated. After ``journal.reset_sync`` it fills an
    empty engine. While the embedder is down, entries are written for words alone and stay pending.

    Raises:
        EngineUnavailableError: transient; nothing is lost, call it again.
    """
    told = 0
    while True:
        live, gone = await journal.pending(BATCH)
        if gone:
            await engine.delete(gone)
            await journal.synced(gone, has_vector=False)
        if live:
            rows = await embed([entry_row(entry) for entry in live])
            if rows is None:
                return told + len(gone) + await _write_without_vectors(journal, engine)
            await _write(journal, engine, rows)
        told += len(live) + len(gone)
        if not live and not gone:
            return told


async def _write(journal: Journal, engine: Engine, rows: Sequence[Row]) -> None:
    await engine.upsert(rows)
    for has_vector in (True, False):
        ids = [row.passage.id for row in rows if (row.vector is not None) is has_vector]
        if ids:
            await journal.synced(ids, has_vector=has_vector)


async def _write_without_vectors(journal: Journal, engine: Engine) -> int:
    live, gone = await journal.pending(MOST_WITHOUT_VECTOR)
    if gone:
        await engine.delete(gone)
        await journal.synced(gone, has_vector=False)
    held = {row.passage.id for row in await engine.get([entry.id for entry in live])}
    lacking = [entry_row(entry) for entry in live if entry.id not in held]
    if lacking:
        await engine.upsert(lacking)
    return len(lacking)
