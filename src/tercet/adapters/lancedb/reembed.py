"""Filling a second space beside the one that serves, and the switch; blocking.

Every step is one commit and may be repeated, so that a kill anywhere is mended by going on.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from tercet.adapters.lancedb.expressions import has_vector, has_vector_sql, is_any_of
from tercet.adapters.lancedb.library import load, retried, translated
from tercet.adapters.lancedb.reading import rows_by_id
from tercet.adapters.lancedb.schema import presence_column, vectors_to_arrow
from tercet.adapters.lancedb.spaces import SpaceRecord, vector_column
from tercet.adapters.lancedb.writing import merge
from tercet.adapters.vectors import check_matrix
from tercet.errors import InvalidInputError
from tercet.text.indexed_text import embedded_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from tercet.adapters.lancedb.store import LanceStore
    from tercet.model import Passage, Row, Space


class Reembedding:
    """One store's way into another space."""

    def __init__(self, store: LanceStore) -> None:
        self._store = store
        self._target: str | None = None
        self._handed_out: dict[str, str] = {}
        """Digest of the embedded text by id, so that a vector never meets a text that changed meanwhile."""

    def begin(self, space: Space) -> None:
        """Make room for ``space`` and retire any other half-filled one."""
        store, name = self._store, vector_column(space)
        with translated(store.uri, "begin a re-embedding"):
            store.book.reload()
            active = store.book.active
            changes = {
                other: SpaceRecord(record.space, "retired")
                for other, record in store.book.records.items()
                if record.state == "filling" and other != name
            }
            if name != active:
                changes[name] = SpaceRecord(space, "active" if active is None else "filling")
            if changes:
                store.book.write(changes)
            store.tidy()
        self._target = name
        self._handed_out.clear()

    def rows(self, limit: int) -> list[Row]:
        """Return rows without a vector in the new space, in id order."""
        store, name = self._store, self._column()
        if limit <= 0:
            return []
        with translated(store.uri, "list rows to re-embed"):
            rows = rows_by_id(store, has_vector(name, present=False), limit, None)
        self._handed_out.update((row.passage.id, _digest(row.passage)) for row in rows)
        return rows

    def fill(self, ids: Sequence[str], vectors: NDArray[np.float32]) -> None:
        """Store vectors for these rows, but for those deleted or changed since they were listed."""
        store, name = self._store, self._column()
        check_matrix(ids, vectors, store.book.records[name].space.dimensions)
        by_id = dict(zip(ids, vectors, strict=True))

        def commit() -> None:
            unchanged = self._unchanged(list(by_id))
            if unchanged:
                merge(store, self._partial(name, unchanged, [by_id[key] for key in unchanged]), insert=False)

        if by_id:
            with translated(store.uri, "store new vectors"):
                retried(commit)
                store.commits += 1
            for key in by_id:
                self._handed_out.pop(key, None)

    def finish(self) -> None:
        """Switch to the new space in one commit, then drop the old vectors.

        Raises:
            InvalidInputError: rows still have no vector in the new space (permanent).
        """
        store, name = self._store, self._column()
        with translated(store.uri, "switch to the new space"):
            store.catch_up()
            missing = store.count(has_vector_sql(name, present=False))
            if missing:
                msg = f"{missing} rows have no vector in the new space yet: embed them before the switch."
                raise InvalidInputError(msg)
            store.book.reload()
            active, target = store.book.active, store.book.records[name].space
            if active != name:
                changes = {name: SpaceRecord(target, "active")}
                if active is not None:
                    changes[active] = SpaceRecord(store.book.records[active].space, "retired")
                store.book.write(changes)
            store.space = target
            store.tidy()
        self._target = None

    def _column(self) -> str:
        """Return the column being filled, also one that a killed process began."""
        name = self._target or self._store.book.filling
        if name is None or name not in self._store.book.records:
            msg = "No re-embedding has begun in this store: call begin_reembed first."
            raise InvalidInputError(msg)
        return name

    def _unchanged(self, ids: list[str]) -> list[str]:
        rows = rows_by_id(self._store, is_any_of("id", ids), len(ids), None)
        found = {row.passage.id: _digest(row.passage) for row in rows}
        return [key for key in ids if key in found and self._handed_out.get(key, found[key]) == found[key]]

    def _partial(self, name: str, ids: list[str], vectors: list[Any]) -> Any:  # Any: pyarrow has no types
        pa = load("pyarrow")
        schema = self._store.table.schema
        part = pa.schema([schema.field(column) for column in ("id", name, presence_column(name))])
        arrays = [
            pa.array(ids, pa.string()),
            vectors_to_arrow(vectors, schema.field(name).type.list_size),
            pa.array([True] * len(ids), pa.bool_()),
        ]
        return pa.Table.from_arrays(arrays, schema=part)


def _digest(passage: Passage) -> str:
    return hashlib.sha256(embedded_text(passage).encode()).hexdigest()
