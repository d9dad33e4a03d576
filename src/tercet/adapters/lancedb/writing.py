"""Upserts and deletes; blocking, one commit a call."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from tercet.adapters.lancedb.expressions import compile_filter, is_any_of
from tercet.adapters.lancedb.library import retried, translated
from tercet.adapters.lancedb.schema import rows_to_arrow
from tercet.adapters.passage_values import check_passage
from tercet.adapters.vectors import check_rows
from tercet.filters import Filter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tercet.adapters.lancedb.store import LanceStore
    from tercet.model import Row

_IDS_AT_ONCE = 5000


def upsert(store: LanceStore, rows: Sequence[Row]) -> None:
    """Write rows as ``Engine.upsert`` promises.

    Vectors of a space that has no column here are not stored: their rows wait for a re-embedding.
    """
    check_rows(rows, store.space.dimensions if store.space else None)
    # Two equal new ids in one merge would both be inserted: the later row wins here.
    unique = {row.passage.id: row for row in rows}
    for row in unique.values():
        check_passage(row.passage)
    if not unique:
        return

    def commit() -> None:
        # Read anew at each attempt: another process may have added or dropped the column of a space.
        schema = store.table.schema
        data = rows_to_arrow(list(unique.values()), schema, store.stored_column())
        merge(store, data, insert=True)

    with translated(store.uri, "write rows"):
        retried(commit)
        store.commits += 1


def delete(store: LanceStore, what: Sequence[str] | Filter) -> None:
    """Delete rows as ``Engine.delete`` promises."""
    with translated(store.uri, "delete rows"):
        for condition in _conditions(store, what):
            retried(partial(store.table.delete, condition))
            store.commits += 1


def merge(store: LanceStore, data: Any, *, insert: bool) -> None:  # Any: pyarrow has no types
    """Merge an Arrow table by id; without ``insert`` only rows that are there are changed."""
    builder = store.table.merge_insert("id").when_matched_update_all()
    if insert:
        builder = builder.when_not_matched_insert_all()
    # Null vectors are refused otherwise; NaN, which this would turn to null, never comes this far.
    builder.execute(data, on_bad_vectors="null")


def _conditions(store: LanceStore, what: Sequence[str] | Filter) -> list[Any]:  # Any: lancedb filters
    if isinstance(what, Filter):
        condition = compile_filter(what, store.stored_column())
        return [] if condition is None else [condition]
    ids = list(dict.fromkeys(what))
    return [is_any_of("id", ids[start : start + _IDS_AT_ONCE]) for start in range(0, len(ids), _IDS_AT_ONCE)]
