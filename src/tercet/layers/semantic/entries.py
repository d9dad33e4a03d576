"""Entries beside files: what the journal says counts, whatever the derived index still holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tercet.capture.entry_sync import entry_row
from tercet.layers.semantic.recorded import INGESTED_ROOT

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from tercet.model import Reach, Row
    from tercet.ports import Engine, Journal, RootRecord
    from tercet.ranking.pipeline import Candidate

MOST_SCANNED = 5000
MOST_UNTOLD = 64


async def without_retired(
    pool: Sequence[Candidate], journal: Journal, reach: Reach, roots: Sequence[RootRecord]
) -> list[Candidate]:
    """Leave out entries that the journal does not know as live.

    Trigger: an entry was forgotten or superseded, and the index was not told yet (another process,
    a kill in between). Why: forgetting acts in every read at once. Outcome: it is no candidate.
    """
    ids = [each.row.passage.id for each in pool if _is_entry(each.row) and not _waits(each.row)]
    if not ids or any(root.label == INGESTED_ROOT for root in roots):
        return list(pool)  # passages of an evaluation are in no journal
    live = {entry.id for entry in await journal.get(ids, reach) if entry.state == "live"}
    gone = set(ids) - live
    return [each for each in pool if each.row.passage.id not in gone] if gone else list(pool)


async def entries_by_word(journal: Journal, reach: Reach, wanted: Sequence[str]) -> list[Row]:
    """Return live entries that hold one of the terms, straight from the journal: for a search without an engine."""
    sought = frozenset(wanted)
    rows = [entry_row(entry) for entry in await journal.live(reach, limit=MOST_SCANNED)]
    return [row for row in rows if not sought.isdisjoint(row.terms)]


async def untold_rows(
    journal: Journal, engine: Engine, reach: Reach, wanted: Sequence[str], known: Collection[str]
) -> list[Row]:
    """Return the newest entries that hold one of the terms and that the engine was not told of yet.

    Between the journal's transaction and the engine's an entry waits in no inbox and stands in no
    index; a search in that moment must find it all the same.
    """
    sought = frozenset(wanted)
    rows = [entry_row(entry) for entry in await journal.live(reach, limit=MOST_UNTOLD)]
    unknown = [row for row in rows if row.passage.id not in known and not sought.isdisjoint(row.terms)]
    told = {row.passage.id for row in await engine.get([row.passage.id for row in unknown])} if unknown else set[str]()
    return [row for row in unknown if row.passage.id not in told]


def _is_entry(row: Row) -> bool:
    return row.passage.kind == "entry" and not row.passage.path


def _waits(row: Row) -> bool:
    return "waiting" in row.passage.tags
