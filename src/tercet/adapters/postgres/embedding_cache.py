"""Vectors already made, in the shared database: losing them costs only the making."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tercet.adapters.ledger_bounds import DEFAULT_CACHE_ROWS
from tercet.adapters.postgres.durability import relax
from tercet.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tercet.adapters.postgres.database import Connection, Database
    from tercet.model import Vector

_DTYPE = "<f4"
_TRIMS = 100
"""The bound is looked at once in so many parts of it: looking costs a walk over all rows."""


class PostgresEmbeddingCache:
    """Vectors by (space, sha256 of the embedded text); the longest unwritten ones are dropped first.

    Each tenant has its own: whether a text was ever embedded is nobody else's business.
    """

    def __init__(self, database: Database, *, max_rows: int = DEFAULT_CACHE_ROWS) -> None:
        """Use an open database.

        Args:
            database: Open.
            max_rows: Vectors kept over all spaces, >= 0; up to a hundredth more may be there for a while.
        """
        self._database = database
        self._max_rows = max_rows
        self._since_trim = max_rows

    async def get(self, space: str, keys: Sequence[str]) -> dict[str, Vector]:
        """Return what is there by key; the arrays are read-only, float32 (dimensions,)."""
        import numpy as np

        async with (
            self._database.transaction("read cached vectors") as connection,
            connection.cursor(binary=True) as cursor,
        ):
            await cursor.execute(
                "SELECT key, vector FROM embedding WHERE space = %s AND key = ANY(%s::text[])", (space, list(set(keys)))
            )
            rows = await cursor.fetchall()
        return {key: np.frombuffer(blob, dtype=_DTYPE).astype(np.float32, copy=False) for key, blob in rows}

    async def put(self, space: str, vectors: Mapping[str, Vector]) -> None:
        """Keep vectors; the same key again renews it. A power cut may lose the last of them.

        Raises:
            InvalidInputError: a vector is not one-dimensional, or not finite (permanent).
        """
        import numpy as np

        blobs: dict[str, bytes] = {}
        for key, vector in vectors.items():
            if vector.ndim != 1 or not np.isfinite(vector).all():
                msg = f"The vector for {key!r} has the shape {vector.shape} or holds NaN or infinity: not kept."
                raise InvalidInputError(msg)
            blobs[key] = vector.astype(_DTYPE, copy=False).tobytes()
        if blobs:
            await self._database.run(lambda connection: _put(connection, space, blobs), "cache vectors")
            await self._trim(len(blobs))

    async def forget(self, keys: Sequence[str]) -> None:
        """Drop keys in every space."""
        if keys:
            await self._database.run(lambda connection: forget_vectors(connection, keys), "drop cached vectors")

    async def _trim(self, written: int) -> None:
        self._since_trim += written
        if self._since_trim > self._max_rows // _TRIMS:
            self._since_trim = 0
            await self._database.run(lambda connection: _trim(connection, self._max_rows), "bound cached vectors")


async def forget_vectors(connection: Connection, keys: Sequence[str]) -> None:
    """Drop keys in every space, within the caller's transaction."""
    await connection.execute("DELETE FROM embedding WHERE key = ANY(%s::text[])", (list(keys),))


async def _put(connection: Connection, space: str, blobs: Mapping[str, bytes]) -> None:
    await relax(connection)
    async with connection.cursor() as cursor:
        # By key, so that two that write the same ones come to them in the same order.
        await cursor.executemany(
            "INSERT INTO embedding (key, space, vector) VALUES (%s, %s, %b) ON CONFLICT (tenant, key, space) "
            "DO UPDATE SET vector = excluded.vector, number = excluded.number",
            [(key, space, blobs[key]) for key in sorted(blobs)],
        )


async def _trim(connection: Connection, max_rows: int) -> None:
    await relax(connection)
    # One that is being renewed just now is not among the oldest any more: passed over.
    await connection.execute(
        "DELETE FROM embedding WHERE (key, space) IN (SELECT key, space FROM embedding WHERE number <= "
        "(SELECT number FROM embedding ORDER BY number DESC OFFSET %s LIMIT 1) FOR UPDATE SKIP LOCKED)",
        (max_rows,),
    )
