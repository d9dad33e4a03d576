"""Filling a second space beside the one that serves, and the switch.

Every step is one transaction and may be repeated, so that a kill anywhere is mended by going on.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from tercet.adapters.postgres.rows import SELECTED, row_of
from tercet.adapters.postgres.space_records import drop_space, lock_spaces, read_spaces, write_space
from tercet.adapters.postgres.statements import fetch, fetch_one
from tercet.adapters.postgres.writing import insert_vectors
from tercet.adapters.spaces import space_name
from tercet.adapters.vectors import check_matrix
from tercet.errors import InvalidInputError
from tercet.text.indexed_text import embedded_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from tercet.adapters.postgres.database import Connection
    from tercet.adapters.postgres.space_records import SpaceRecord, SpaceRecords
    from tercet.adapters.postgres.store import PostgresStore
    from tercet.model import Passage, Row, Space

_WAITING = (
    "p.tenant = %(tenant)s AND NOT EXISTS (SELECT FROM vectors has"
    " WHERE has.tenant = p.tenant AND has.id = p.id AND has.space = %(target)s)"
)
_WITHOUT_VECTOR = "LEFT JOIN vectors v ON false"


class Reembedding:
    """One tenant's way into another space."""

    def __init__(self, store: PostgresStore) -> None:
        self._store = store
        self._target: str | None = None
        self._handed_out: dict[str, str] = {}
        """Digest of the embedded text by id, so that a vector never meets a text that changed meanwhile."""

    async def begin(self, space: Space) -> None:
        """Make room for ``space`` and drop any other half-filled one."""
        tenant, name = self._store.tenant, space_name(space)

        async def work(connection: Connection) -> None:
            records = await lock_spaces(connection, tenant, alone=True)
            if records.filling is not None and records.filling.name != name:
                await drop_space(connection, tenant, records.filling.name)
            if records.active is None or records.active.name != name:
                await write_space(connection, tenant, space, "active" if records.active is None else "filling")

        await self._store.write(work, "begin a re-embedding")
        self._target = name
        self._handed_out.clear()

    async def rows(self, limit: int) -> list[Row]:
        """Return rows without a vector in the new space, in id order."""
        async with self._store.reading("list rows to re-embed") as connection:
            target = self._recorded(await read_spaces(connection, self._store.tenant))
            found = await fetch(
                connection,
                f"SELECT {SELECTED} FROM passages p {_WITHOUT_VECTOR} WHERE {_WAITING} ORDER BY p.id LIMIT %(limit)s",  # noqa: S608 - values are parameters
                {**self._values(target), "limit": max(0, limit)},
            )
        rows = [row_of(record) for record in found]
        self._handed_out.update((row.passage.id, _digest(row.passage)) for row in rows)
        return rows

    async def fill(self, ids: Sequence[str], vectors: NDArray[np.float32]) -> None:
        """Store vectors for these rows, but for those deleted or changed since they were listed."""

        async def work(connection: Connection) -> None:
            target = self._recorded(await lock_spaces(connection, self._store.tenant, alone=False))
            check_matrix(ids, vectors, target.space.dimensions)
            by_id = dict(zip(ids, vectors, strict=True))
            unchanged = await self._unchanged(connection, target, sorted(by_id))
            numbers = [by_id[identifier] for identifier in unchanged]
            await insert_vectors(connection, self._store.tenant, target.name, unchanged, numbers)

        await self._store.write(work, "store new vectors")
        for identifier in ids:
            self._handed_out.pop(identifier, None)

    async def finish(self) -> None:
        """Switch to the new space and drop the old vectors in one transaction.

        Raises:
            InvalidInputError: rows still have no vector in the new space (permanent).
        """
        tenant = self._store.tenant

        async def work(connection: Connection) -> Space:
            records = await lock_spaces(connection, tenant, alone=True)
            target = self._recorded(records)
            (missing,) = await fetch_one(
                connection,
                f"SELECT count(*) FROM passages p WHERE {_WAITING}",  # noqa: S608 - values are parameters
                self._values(target),
            )
            if missing:
                msg = f"{missing} rows have no vector in the new space yet: embed them before the switch."
                raise InvalidInputError(msg)
            if records.active is not None and records.active.name != target.name:
                await drop_space(connection, tenant, records.active.name)
            await write_space(connection, tenant, target.space, "active")
            return target.space

        self._store.space = await self._store.write(work, "switch to the new space")
        self._target = None

    def _recorded(self, records: SpaceRecords) -> SpaceRecord:
        """Return the space being filled, also one that a killed process began."""
        known = [record for record in (records.active, records.filling) if record is not None]
        target = next((record for record in known if record.name == self._target), records.filling)
        if target is None:
            msg = "No re-embedding has begun in this store: call begin_reembed first."
            raise InvalidInputError(msg)
        return target

    def _values(self, target: SpaceRecord) -> dict[str, object]:
        return {"tenant": self._store.tenant, "target": target.name}

    async def _unchanged(self, connection: Connection, target: SpaceRecord, ids: list[str]) -> list[str]:
        """Return those of the ids that still wait with the text they were listed with, and keep them so."""
        found = await fetch(
            connection,
            f"SELECT {SELECTED} FROM passages p {_WITHOUT_VECTOR}"  # noqa: S608 - values are parameters
            f" WHERE {_WAITING} AND p.id = ANY(%(ids)s::text[]) ORDER BY p.id FOR NO KEY UPDATE OF p",
            {**self._values(target), "ids": ids},
        )
        digests = {row.passage.id: _digest(row.passage) for row in map(row_of, found)}
        return [key for key in ids if key in digests and self._handed_out.get(key, digests[key]) == digests[key]]


def _digest(passage: Passage) -> str:
    return hashlib.sha256(embedded_text(passage).encode()).hexdigest()
