"""Vectors already made, in a file of their own: losing it costs only the making."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from tercet.adapters.ledger_bounds import DEFAULT_CACHE_ROWS
from tercet.adapters.sqlite.connection import as_list
from tercet.adapters.sqlite.fault import DamagedFileError
from tercet.errors import InvalidInputError

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from tercet.adapters.sqlite.connection import Database
    from tercet.model import Vector

T = TypeVar("T")

_DTYPE = "<f4"


class SqliteEmbeddingCache:
    """Vectors by (space, sha256 of the embedded text); the longest unwritten ones are dropped first."""

    def __init__(self, database: Database, *, max_rows: int = DEFAULT_CACHE_ROWS) -> None:
        """Use an open database.

        Args:
            database: Open, of the format ``EMBEDDINGS``.
            max_rows: Vectors kept over all spaces, >= 0.
        """
        self._database = database
        self._max_rows = max_rows

    async def get(self, space: str, keys: Sequence[str]) -> dict[str, Vector]:
        """Return what is there by key; the arrays are read-only, float32 (dimensions,)."""
        import numpy as np

        blobs = await self._healed(lambda: self._database.read(_get, space, tuple(keys)))
        return {key: np.frombuffer(blob, dtype=_DTYPE).astype(np.float32, copy=False) for key, blob in blobs.items()}

    async def put(self, space: str, vectors: Mapping[str, Vector]) -> None:
        """Keep vectors; the same key again renews it.

        Raises:
            InvalidInputError: a vector is not one-dimensional, or not finite (permanent).
        """
        import numpy as np

        rows: list[tuple[str, bytes]] = []
        for key, vector in vectors.items():
            if vector.ndim != 1 or not np.isfinite(vector).all():
                msg = f"The vector for {key!r} has the shape {vector.shape} or holds NaN or infinity: not kept."
                raise InvalidInputError(msg)
            rows.append((key, vector.astype(_DTYPE, copy=False).tobytes()))
        if rows:
            await self._healed(lambda: self._database.write(_put, space, rows, self._max_rows))

    async def forget(self, keys: Sequence[str]) -> None:
        """Drop keys in every space; a damaged file that was set aside goes with them, whatever it holds."""
        if keys:
            await self._healed(lambda: self._database.write(_forget, tuple(keys)))
            await self._database.drop_set_aside()

    async def _healed(self, ask: Callable[[], Awaitable[T]]) -> T:
        try:
            return await ask()
        except DamagedFileError:
            # Damage deeper in the file shows only when its page is read; the cache starts anew, empty.
            await self._database.start_anew()
            return await ask()


def _get(connection: sqlite3.Connection, space: str, keys: tuple[str, ...]) -> dict[str, bytes]:
    return dict(
        connection.execute(
            "SELECT key, vector FROM embedding WHERE key IN (SELECT value FROM json_each(?)) "
            "AND space_id = (SELECT id FROM space WHERE name = ?)",
            (as_list(keys), space),
        )
    )


def _put(connection: sqlite3.Connection, space: str, rows: list[tuple[str, bytes]], max_rows: int) -> None:
    connection.execute("INSERT INTO space (name) VALUES (?) ON CONFLICT DO NOTHING", (space,))
    (space_id,) = connection.execute("SELECT id FROM space WHERE name = ?", (space,)).fetchone()
    connection.executemany(
        "INSERT OR REPLACE INTO embedding (key, space_id, vector) VALUES (?, ?, ?)",
        [(key, space_id, vector) for key, vector in rows],
    )
    (count,) = connection.execute("SELECT count(*) FROM embedding").fetchone()
    if count > max_rows:
        connection.execute(
            "DELETE FROM embedding WHERE number IN (SELECT number FROM embedding ORDER BY number LIMIT ?)",
            (count - max_rows,),
        )


def _forget(connection: sqlite3.Connection, keys: tuple[str, ...]) -> None:
    connection.execute("DELETE FROM embedding WHERE key IN (SELECT value FROM json_each(?))", (as_list(keys),))
