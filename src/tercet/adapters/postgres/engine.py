"""The engine over PostgreSQL with pgvector: one tenant of a database that many services share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tercet.adapters.postgres import maintenance, matching, reading, writing
from tercet.adapters.postgres.database import Database
from tercet.adapters.postgres.reembed import Reembedding
from tercet.adapters.postgres.statements import fetch
from tercet.adapters.postgres.store import PostgresStore
from tercet.errors import TercetError
from tercet.model import Probe

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from tercet.filters import Filter
    from tercet.model import Match, Row, Space, Vector
    from tercet.ports.engine import EngineStats

EXACT_ROWS = 20_000
"""Rows in reach up to which a search compares every vector."""


class PostgresEngine:
    """``Engine``, ``ReembeddableEngine`` and ``DisposableEngine`` over one tenant's rows.

    Any number of processes may write and search the same tenant, and different tenants of one
    database may hold different spaces.
    """

    def __init__(
        self,
        database: str | Database,
        *,
        tenant: str = "main",
        pool_size: int = 8,
        exact_rows: int = EXACT_ROWS,
    ) -> None:
        """Name the store; nothing is connected, and no library loaded, before ``open``.

        Args:
            database: ``postgresql://`` URL, or a database shared with others, which stays theirs to close.
            tenant: Name of this home among those that share the database; of a URL alone.
            pool_size: Most connections open at once; of a URL alone.
            exact_rows: Rows in reach up to which a search compares every vector; ``maintain`` makes an
                index where a conversation may see more.

        Raises:
            ConfigurationError: the URL or the tenant's name is malformed (permanent).
        """
        self._is_own = isinstance(database, str)
        self._database = Database(database, tenant, pool_size=pool_size) if isinstance(database, str) else database
        self._store = PostgresStore(self._database)
        self._exact_rows = exact_rows
        self._reembedding = Reembedding(self._store)

    async def open(self, space: Space | None) -> None:
        """See ``Engine.open``; raises what ``Database.connect`` does too."""
        await self._store.open(space)

    async def upsert(self, rows: Sequence[Row]) -> None:
        """See ``Engine.upsert``; each call is one transaction."""
        await writing.upsert(self._store, rows)

    async def delete(self, what: Sequence[str] | Filter) -> None:
        """See ``Engine.delete``."""
        await writing.delete(self._store, what)

    async def get(self, ids: Sequence[str]) -> list[Row]:
        """See ``Engine.get``."""
        return await reading.get(self._store, ids)

    async def vector_topk(self, vector: Vector, k: int, where: Filter, *, exact: bool = False) -> list[Match]:
        """See ``Engine.vector_topk``; with ``exact`` no vector index is used.

        Raises:
            SpaceMismatchError: the store is open for text only.
        """
        return await reading.vector_topk(self._store, vector, k, where, exact=exact, exact_rows=self._exact_rows)

    async def text_topk(self, terms: Sequence[str], k: int, where: Filter) -> list[Match]:
        """See ``Engine.text_topk``."""
        return await matching.text_topk(self._store, terms, k, where)

    async def scan(self, where: Filter, *, after: str = "", limit: int = 1000) -> list[Row]:
        """See ``Engine.scan``."""
        return await reading.scan(self._store, where, after=after, limit=limit)

    async def stats(self) -> EngineStats:
        """See ``Engine.stats``."""
        return await maintenance.stats(self._store)

    async def probe(self) -> Probe:
        """See ``Engine.probe``."""
        try:
            async with self._store.reading("answer") as connection:
                await fetch(connection, "SELECT FROM passage_stores LIMIT 1")
        except TercetError as error:
            return Probe(ok=False, reason=str(error))
        return Probe(ok=True)

    async def maintain(self, budget_s: float) -> str:
        """See ``Engine.maintain``."""
        return await maintenance.maintain(self._store, budget_s, self._exact_rows)

    async def close(self) -> None:
        """See ``Engine.close``; it may be opened again."""
        self._store.close()
        if self._is_own:
            await self._database.close()

    def has_store(self) -> bool:
        """See ``DisposableEngine.has_store``; asks the server, for a few seconds at most."""
        return self._store.exists()

    async def discard(self) -> None:
        """See ``DisposableEngine.discard``; of the tenant's rows alone."""
        await self._store.discard()

    async def begin_reembed(self, space: Space) -> None:
        """See ``ReembeddableEngine.begin_reembed``."""
        await self._reembedding.begin(space)

    async def rows_to_reembed(self, limit: int) -> list[Row]:
        """See ``ReembeddableEngine.rows_to_reembed``."""
        return await self._reembedding.rows(limit)

    async def fill_reembed(self, ids: Sequence[str], vectors: NDArray[np.float32]) -> None:
        """See ``ReembeddableEngine.fill_reembed``."""
        await self._reembedding.fill(ids, vectors)

    async def finish_reembed(self) -> None:
        """See ``ReembeddableEngine.finish_reembed``; this engine then serves the new space."""
        await self._reembedding.finish()
