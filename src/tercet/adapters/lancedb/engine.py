"""The engine over LanceDB: the asynchronous face of a store."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from tercet.adapters.executor import BlockingExecutor
from tercet.adapters.lancedb import maintenance, reading, writing
from tercet.adapters.lancedb.library import translated
from tercet.adapters.lancedb.reembed import Reembedding
from tercet.adapters.lancedb.store import LanceStore
from tercet.errors import EngineRefusedError, EngineUnavailableError, LedgerBusyError, TercetError
from tercet.model import Probe

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from tercet.filters import Filter
    from tercet.model import Match, Row, Space, Vector
    from tercet.ports import WriterLock
    from tercet.ports.engine import EngineStats

_READERS = 4


class LanceEngine:
    """``Engine`` and ``ReembeddableEngine`` over a LanceDB folder or bucket.

    Writes of one engine run one after another; reads run beside them. Several processes may write
    the same store; in a bucket they need locks in common. The store must not be carried over a ``fork``.
    """

    def __init__(
        self,
        uri: str,
        *,
        storage_options: Mapping[str, str] | None = None,
        consistency_s: float = 0.0,
        vector_index_rows: int = maintenance.VECTOR_INDEX_ROWS,
        opening: WriterLock | None = None,
        upkeep: WriterLock | None = None,
    ) -> None:
        """Name the store; nothing is read, and no library loaded, before ``open``.

        Args:
            uri: A folder, or a URI such as ``s3://bucket/prefix``.
            storage_options: Passed on for URIs (endpoint, keys, region).
            consistency_s: After so many seconds, >= 0, a read looks for what another process wrote; asking
                costs nothing in a folder, and a request or two on object storage.
            vector_index_rows: Rows with a vector above which ``maintain`` gives them an index.
            opening: Held while tables are made or altered, for a bucket that has other writers; a folder
                has a lock of its own.
            upkeep: Held while the store is maintained; who finds it taken leaves the upkeep to its holder.
        """
        self._store = LanceStore(uri, storage_options, consistency_s)
        self._vector_index_rows = vector_index_rows
        self._opening = opening
        self._upkeep = upkeep
        self._reembedding = Reembedding(self._store)
        self._reader = BlockingExecutor(_READERS, "lancedb-read")
        self._writer = BlockingExecutor(1, "lancedb-write")

    async def open(self, space: Space | None) -> None:
        """See ``Engine.open``; raises EngineRefusedError where object storage denies access."""
        async with _held(self._opening):
            await self._writer.run(self._store.open, space)

    async def upsert(self, rows: Sequence[Row]) -> None:
        """See ``Engine.upsert``; big batches are best, since each call is one commit."""
        await self._writer.run(writing.upsert, self._store, rows)

    async def delete(self, what: Sequence[str] | Filter) -> None:
        """See ``Engine.delete``."""
        await self._writer.run(writing.delete, self._store, what)

    async def get(self, ids: Sequence[str]) -> list[Row]:
        """See ``Engine.get``."""
        return await self._reader.run(reading.get, self._store, ids)

    async def vector_topk(self, vector: Vector, k: int, where: Filter, *, exact: bool = False) -> list[Match]:
        """See ``Engine.vector_topk``; with ``exact`` no vector index is used.

        Raises:
            SpaceMismatchError: the store is open for text only.
        """
        return await self._reader.run(reading.vector_topk, self._store, vector, k, where, exact=exact)

    async def text_topk(self, terms: Sequence[str], k: int, where: Filter) -> list[Match]:
        """See ``Engine.text_topk``."""
        return await self._reader.run(reading.text_topk, self._store, terms, k, where)

    async def scan(self, where: Filter, *, after: str = "", limit: int = 1000) -> list[Row]:
        """See ``Engine.scan``."""
        return await self._reader.run(reading.scan, self._store, where, after=after, limit=limit)

    async def stats(self) -> EngineStats:
        """See ``Engine.stats``."""
        return await self._reader.run(maintenance.stats, self._store)

    async def probe(self) -> Probe:
        """See ``Engine.probe``."""
        try:
            await self._reader.run(self._answer)
        except TercetError as error:
            return Probe(ok=False, reason=str(error), permanent=isinstance(error, EngineRefusedError))
        return Probe(ok=True)

    async def maintain(self, budget_s: float) -> str:
        """See ``Engine.maintain``; writes of this engine wait meanwhile."""
        if self._upkeep is not None and not await asyncio.to_thread(self._upkeep.try_acquire):
            return "Another process maintains the vector store: left to it."
        try:
            return await self._writer.run(maintenance.maintain, self._store, budget_s, self._vector_index_rows)
        finally:
            if self._upkeep is not None:
                self._upkeep.release()

    async def close(self) -> None:
        """See ``Engine.close``; an engine that is closed stays closed."""
        await self._writer.close()
        await self._reader.close()
        self._store.close()

    def has_store(self) -> bool:
        """See ``DisposableEngine.has_store``; of a bucket the service is asked, for a few seconds at most."""
        return self._store.exists()

    async def discard(self) -> None:
        """See ``DisposableEngine.discard``."""
        async with _held(self._opening):
            await self._writer.run(self._store.discard)

    async def begin_reembed(self, space: Space) -> None:
        """See ``ReembeddableEngine.begin_reembed``."""
        await self._writer.run(self._reembedding.begin, space)

    async def rows_to_reembed(self, limit: int) -> list[Row]:
        """See ``ReembeddableEngine.rows_to_reembed``."""
        return await self._writer.run(self._reembedding.rows, limit)

    async def fill_reembed(self, ids: Sequence[str], vectors: NDArray[np.float32]) -> None:
        """See ``ReembeddableEngine.fill_reembed``."""
        await self._writer.run(self._reembedding.fill, ids, vectors)

    async def finish_reembed(self) -> None:
        """See ``ReembeddableEngine.finish_reembed``; this engine then serves the new space."""
        await self._writer.run(self._reembedding.finish)

    def _answer(self) -> None:
        with translated(self._store.uri, "answer"):
            self._store.count()


@asynccontextmanager
async def _held(lock: WriterLock | None) -> AsyncGenerator[None]:
    if lock is None:
        yield
        return
    try:
        await lock.acquire()
    except LedgerBusyError as error:
        raise EngineUnavailableError(str(error)) from error
    try:
        yield
    finally:
        lock.release()
