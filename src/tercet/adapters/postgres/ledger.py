"""The durable bookkeeping of one home, in PostgreSQL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tercet.adapters.ledger_bounds import DEFAULT_CACHE_ROWS
from tercet.adapters.postgres.access_log import PostgresAccessLog
from tercet.adapters.postgres.database import Database
from tercet.adapters.postgres.durability import relax
from tercet.adapters.postgres.embedding_cache import PostgresEmbeddingCache
from tercet.adapters.postgres.identity_links import PostgresIdentityLinks
from tercet.adapters.postgres.inbox import PostgresInbox
from tercet.adapters.postgres.journal import PostgresJournal
from tercet.adapters.postgres.manifest import PostgresManifest
from tercet.adapters.postgres.named_values import read_value, write_value
from tercet.adapters.postgres.portable import PostgresPortable
from tercet.adapters.postgres.query_log import append_query, latest_queries
from tercet.adapters.postgres.session_windows import PostgresSessionWindows
from tercet.adapters.postgres.term_counts import PostgresTermCounts

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from tercet.adapters.postgres.database import Connection
    from tercet.model import Reach


class PostgresLedger:
    """A ``Ledger`` of one tenant of a PostgreSQL database.

    Any number of services may have it open and write at once; those that change the same file, entry
    or count take turns.
    """

    def __init__(self, database: Database, cache_rows: int, *, owns_database: bool) -> None:
        self._database = database
        self._owns_database = owns_database
        self._manifest = PostgresManifest(database)
        self._terms = PostgresTermCounts(database)
        self._cache = PostgresEmbeddingCache(database, max_rows=cache_rows)
        self._inbox = PostgresInbox(database)
        self._journal = PostgresJournal(database)
        self._links = PostgresIdentityLinks(database)
        self._windows = PostgresSessionWindows(database)
        self._accesses = PostgresAccessLog(database)

    @classmethod
    async def open(
        cls,
        database: Database | str,
        tenant: str = "main",
        *,
        pool_size: int = 8,
        cache_rows: int = DEFAULT_CACHE_ROWS,
    ) -> PostgresLedger:
        """Open the ledger of a tenant, its tables made or brought to this version when they are not.

        Args:
            database: One that the caller shares with other parts and closes after them, or the URL of
                one for this ledger alone.
            tenant: Name of the home among those that share the database; only beside a URL.
            pool_size: Most connections open at once, >= 1; only beside a URL.
            cache_rows: Vectors the embedding cache keeps, >= 0.

        Raises:
            ConfigurationError: the server, its role or its extension is not fit (permanent).
            StoreFormatError: a newer Tercet was here (permanent).
            LedgerBusyError: the server cannot be reached (transient).
        """
        shared = database if isinstance(database, Database) else Database(database, tenant, pool_size=pool_size)
        await shared.connect()
        return cls(shared, cache_rows, owns_database=shared is not database)

    @property
    def manifest(self) -> PostgresManifest:
        """Folders, files and their passages."""
        return self._manifest

    @property
    def terms(self) -> PostgresTermCounts:
        """Counts for BM25 and idf."""
        return self._terms

    @property
    def inbox(self) -> PostgresInbox:
        """Messages that wait to be worked in."""
        return self._inbox

    @property
    def journal(self) -> PostgresJournal:
        """The truth about entries."""
        return self._journal

    @property
    def links(self) -> PostgresIdentityLinks:
        """Which anchors are one person."""
        return self._links

    @property
    def windows(self) -> PostgresSessionWindows:
        """What was said last in each session, and what of it was not extracted yet."""
        return self._windows

    @property
    def accesses(self) -> PostgresAccessLog:
        """What answers showed, and what was asked in vain."""
        return self._accesses

    @property
    def cache(self) -> PostgresEmbeddingCache:
        """Vectors already made."""
        return self._cache

    @property
    def portable(self) -> PostgresPortable:
        """All of it as tables, for a move to another store."""
        return PostgresPortable(self._database)

    async def get_value(self, key: str) -> str | None:
        """Return a small named value (the active space, the background cosines)."""
        async with self._database.transaction("read a value") as connection:
            return await read_value(connection, key)

    async def set_value(self, key: str, value: str | None) -> None:
        """Set or, with None, drop a small named value."""
        await self._database.run(lambda connection: write_value(connection, key, value), "keep a value")

    async def log_query(
        self,
        query: str,
        hit_ids: Sequence[str],
        at: datetime,
        *,
        best: float | None = None,
        reach: Reach | None = None,
    ) -> None:
        """Keep a query with its first ten hits; of all queries of the tenant the latest 2,000 are kept.

        Does not wait for the disk: a search should not, and a power cut may lose the last of them.
        """

        async def logged(connection: Connection) -> None:
            await relax(connection)
            await append_query(connection, query, hit_ids, at, best, reach)

        await self._database.run(logged, "log a query")

    async def logged_queries(self, limit: int) -> list[tuple[str, list[str]]]:
        """Return the latest logged queries with their hit ids, newest first."""
        async with self._database.transaction("read logged queries") as connection:
            return await latest_queries(connection, limit)

    async def close(self) -> None:
        """Close the database where it is this ledger's alone; may be called twice."""
        if self._owns_database:
            await self._database.close()
