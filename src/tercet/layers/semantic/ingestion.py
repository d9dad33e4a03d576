"""Takes in passages that come from no file: terms, vectors, engine, and the counts of the ledger.

For the corpora of an evaluation. Captured entries have their own way, through inbox and journal.
"""

from __future__ import annotations

import asyncio
import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tercet.errors import EmbedderUnavailableError
from tercet.filters import Filter
from tercet.layers.semantic.background import BACKGROUND_SAMPLE, sample_background
from tercet.layers.semantic.recorded import INGESTED_ROOT
from tercet.layers.semantic.vectors import Vectoriser
from tercet.model import Reach, Row, Scope
from tercet.ports import FileRecord, PassageRecord, RootRecord
from tercet.text.indexed_text import indexed_text
from tercet.text.terms import terms

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tercet.layers.semantic.engine_access import EngineAccess
    from tercet.model import Passage
    from tercet.ports import Embedder, Engine, Ledger

SHARED_FILE = "shared"
"""Pseudo file of the shared scope; that of another scope is named by its anchor."""


@dataclass(frozen=True, slots=True)
class IngestParts:
    """What taking in works with."""

    ledger: Ledger
    access: EngineAccess
    embedder: Embedder | None
    batch: int = 256
    """Passages embedded and written together."""


async def ingest(
    parts: IngestParts, scope: Scope, passages: Sequence[Passage], progress: Callable[[int, int], None] | None = None
) -> None:
    """Index passages as one pseudo file of the scope; again with the same scope replaces them.

    Args:
        parts: What to work with.
        scope: Of all the passages.
        passages: Ids are unique over the whole home.
        progress: Called with (passages done, passages to do).

    Raises:
        EmbedderUnavailableError: vectors cannot be made; nothing is committed (transient).
        InvalidInputError: an id belongs to another scope's passages (permanent).
    """
    manifest = parts.ledger.manifest
    path = scope.anchor or SHARED_FILE
    await manifest.add_root(RootRecord(INGESTED_ROOT, f"/{INGESTED_ROOT}", Scope(scope.agent)))
    former = (await manifest.passages(INGESTED_ROOT, [path])).get(path, [])
    engine = await parts.access.ready(even_if_empty=True)
    vectoriser = Vectoriser(parts.embedder, parts.ledger.cache) if parts.embedder is not None else None
    await manifest.announce(INGESTED_ROOT, [path])
    records: list[PassageRecord] = []
    for start in range(0, len(passages), parts.batch):
        batch = passages[start : start + parts.batch]
        rows = await asyncio.to_thread(_rows, batch)
        if vectoriser is not None:
            done = await vectoriser.vectorise(rows)
            if done.degraded:
                msg = f"Stopped after {start} of {len(passages)} passages: {done.degraded}"
                raise EmbedderUnavailableError(msg)
            rows = done.rows
        await engine.upsert(rows)
        records += [PassageRecord(row.passage.id, row.terms, has_vector=True) for row in rows]
        if progress is not None:
            progress(len(records), len(passages))
    stale = sorted(set(former) - {record.id for record in records})
    if stale:
        await engine.delete(stale)
    digest = hashlib.sha256("\n".join(record.id for record in records).encode("utf-8", "surrogatepass")).hexdigest()
    record = FileRecord(INGESTED_ROOT, path, len(records), 0, digest, 0)
    await manifest.commit_files(scope, {path: (record, records)}, (), INGESTED_ROOT)
    await _measure_background(parts, engine, scope.agent)


async def _measure_background(parts: IngestParts, engine: Engine, agent: str) -> None:
    """Sample every scope alike, so that the order they came in does not matter."""
    anchors = sorted(await parts.ledger.manifest.files(INGESTED_ROOT))
    share = max(1, BACKGROUND_SAMPLE // len(anchors))
    scopes = [Filter(Reach(agent, ("" if anchor == SHARED_FILE else anchor,))) for anchor in anchors]
    await sample_background(engine, parts.ledger, scopes, share)


def _rows(passages: Sequence[Passage]) -> list[Row]:
    return [Row(passage, tuple(terms(indexed_text(passage)))) for passage in passages]
