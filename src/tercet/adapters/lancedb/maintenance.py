"""Compaction, indexes and clean-up, and the figures that tell when they are due; blocking."""

from __future__ import annotations

import time
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tercet.adapters.lancedb.expressions import has_vector_sql
from tercet.adapters.lancedb.library import is_conflict, load, retried, translated
from tercet.adapters.lancedb.schema import TERMS_COLUMN
from tercet.adapters.lancedb.store import ensure_text_index
from tercet.ports.engine import EngineStats

if TYPE_CHECKING:
    from tercet.adapters.lancedb.store import LanceStore

KEEP_VERSIONS = timedelta(hours=1)
"""Readers of an older version break when its files go; deleted bytes are gone after this long."""
SCALAR_INDEX_ROWS = 20_000
"""At 10k rows an index of the scope columns won nothing, at 60k text search was twice as fast (measured)."""
VECTOR_INDEX_ROWS = 50_000
"""Below it an exact search is fast enough (reference/storage.md 2.1)."""

_SCALAR_COLUMNS = {"id": "BTree", "agent": "Bitmap", "anchor": "Bitmap", "kind": "Bitmap"}


def maintain(store: LanceStore, budget_s: float, vector_index_rows: int = VECTOR_INDEX_ROWS) -> str:
    """Do upkeep as ``Engine.maintain`` promises.

    Args:
        store: An open store.
        budget_s: Seconds after which no further step begins; a step that runs is not cut short.
        vector_index_rows: Rows with a vector above which they get an index.

    Returns:
        One line.
    """
    deadline = time.monotonic() + budget_s
    with translated(store.uri, "be maintained"):
        store.catch_up()
        ensure_text_index(store.table)
        done = [_compact(store, deadline)]
        for column, config in _missing_indexes(store, vector_index_rows):
            if time.monotonic() > deadline:
                done.append(f"left the index on {column} for the next time")
                break
            retried(partial(store.table.create_index, column, config=config), deadline=deadline)
            done.append(f"made an index on {column}")
    return "; ".join(done) + "."


def _compact(store: LanceStore, deadline: float) -> str:
    table, commits = store.table, store.commits
    try:
        retried(lambda: table.optimize(cleanup_older_than=KEEP_VERSIONS), deadline=deadline)
    except (RuntimeError, OSError, ValueError) as error:
        if not is_conflict(error):
            raise
        # Trigger: others write without a pause. Why: a compaction always loses to a write, but that is no
        # fault of the store. Outcome: it waits for the next time, and says so.
        return "left compaction for the next time, since other writers kept coming first"
    store.commits -= commits
    return f"compacted after {commits} commits"


def stats(store: LanceStore) -> EngineStats:
    """Return what ``Engine.stats`` promises."""
    with translated(store.uri, "be measured"):
        store.catch_up()
        rows, column = store.count(), store.stored_column()
        return EngineStats(
            rows=rows,
            rows_without_vector=rows if column is None else store.count(has_vector_sql(column, present=False)),
            bytes_on_disk=_bytes_on_disk(store),
            versions=len(store.table.list_versions()),
            unindexed_rows=_unindexed(store.table, rows),
        )


def _missing_indexes(store: LanceStore, vector_index_rows: int) -> list[tuple[str, Any]]:  # Any: lancedb index types
    index = load("lancedb.index")
    present = {column for found in store.table.list_indices() for column in found.columns}
    missing: list[tuple[str, Any]] = []  # Any: lancedb index types
    if store.count() >= SCALAR_INDEX_ROWS:
        missing += [(name, getattr(index, kind)()) for name, kind in _SCALAR_COLUMNS.items() if name not in present]
    column = store.book.active
    if column is not None and column not in present:
        vectors = store.count(has_vector_sql(column, present=True))
        if vectors > vector_index_rows:
            # The metric is pinned: a search with another one than the index has is answered, wrongly.
            missing.append((column, index.IvfSq(distance_type="l2")))
    return missing


def _unindexed(table: Any, rows: int) -> int:  # Any: lancedb tables
    for found in table.list_indices():
        if list(found.columns) == [TERMS_COLUMN]:
            figures = table.index_stats(found.name)
            return rows if figures is None else int(figures.num_unindexed_rows)
    return rows


def _bytes_on_disk(store: LanceStore) -> int:
    if not store.is_local:
        return int(store.table.stats()["total_bytes"])
    total = 0
    for path in Path(store.uri).rglob("*"):
        try:
            total += path.stat().st_size if path.is_file() else 0
        except FileNotFoundError:
            continue  # a compaction took it away meanwhile
    return total
