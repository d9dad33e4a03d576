"""The durable bookkeeping of one home, in SQLite."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tercet.adapters.ledger_bounds import DEFAULT_CACHE_ROWS
from tercet.adapters.ledger_times import unix_ms
from tercet.adapters.sqlite.access_log import SqliteAccessLog
from tercet.adapters.sqlite.connection import Database
from tercet.adapters.sqlite.embedding_cache import SqliteEmbeddingCache
from tercet.adapters.sqlite.fault import DamagedFileError
from tercet.adapters.sqlite.identity_links import SqliteIdentityLinks
from tercet.adapters.sqlite.inbox import SqliteInbox
from tercet.adapters.sqlite.journal import SqliteJournal
from tercet.adapters.sqlite.manifest import SqliteManifest
from tercet.adapters.sqlite.named_values import read_value, write_value
from tercet.adapters.sqlite.portable import SqlitePortable
from tercet.adapters.sqlite.query_log import append_query, latest_queries
from tercet.adapters.sqlite.schema import EMBEDDINGS, LEDGER
from tercet.adapters.sqlite.session_windows import SqliteSessionWindows
from tercet.adapters.sqlite.term_counts import SqliteTermCounts

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime
    from pathlib import Path

    from tercet.model import Reach

DEFAULT_BUSY_TIMEOUT_S = 10.0


class SqliteLedger:
    """A ``Ledger`` over ``ledger.sqlite`` and ``embeddings.sqlite`` in one folder.

    Any number of processes may have it open; writes wait for one another, reads for nobody.
    """

    def __init__(self, ledger: Database, embeddings: Database, cache_rows: int) -> None:
        self._ledger = ledger
        self._embeddings = embeddings
        self._manifest = SqliteManifest(ledger)
        self._terms = SqliteTermCounts(ledger)
        self._cache = SqliteEmbeddingCache(embeddings, max_rows=cache_rows)
        self._inbox = SqliteInbox(ledger)
        self._journal = SqliteJournal(ledger, self._cache)
        self._links = SqliteIdentityLinks(ledger)
        self._windows = SqliteSessionWindows(ledger)
        self._accesses = SqliteAccessLog(ledger)

    @classmethod
    async def open(
        cls,
        directory: Path,
        *,
        busy_timeout_s: float = DEFAULT_BUSY_TIMEOUT_S,
        cache_rows: int = DEFAULT_CACHE_ROWS,
        readers: int = 2,
        embeddings_directory: Path | None = None,
    ) -> SqliteLedger:
        """Open the ledger in a folder, made (0700, files 0600) when it is missing.

        Args:
            directory: Where the two files lie.
            busy_timeout_s: Seconds a write waits for another process, > 0.
            cache_rows: Vectors the embedding cache keeps, >= 0.
            readers: Reads at a time, >= 1.
            embeddings_directory: Where the cache of vectors lies, for homes that share one; None is
                ``directory``.

        Raises:
            StoreFormatError: the ledger is damaged, or a file is not ours or of a newer version; it
                is left as it is (permanent). A damaged cache of vectors is set aside and made anew.
            ConfigurationError: the folder may not be written (permanent).
            LedgerBusyError: another process holds a file too long (transient).
        """
        ledger = Database(directory, LEDGER, durable=True, busy_timeout_s=busy_timeout_s, readers=readers)
        embeddings = Database(
            embeddings_directory or directory, EMBEDDINGS, durable=False, busy_timeout_s=busy_timeout_s, readers=1
        )
        try:
            await ledger.open()
            try:
                await embeddings.open()
            except DamagedFileError:
                # Trigger: the cache cannot be read. Why: it holds nothing that is not made again, and
                # the ledger beside it is sound. Outcome: an empty cache; the doctor names the old file.
                await embeddings.start_anew()
        except BaseException:
            await ledger.close()
            await embeddings.close()
            raise
        return cls(ledger, embeddings, cache_rows)

    @property
    def manifest(self) -> SqliteManifest:
        """Folders, files and their passages."""
        return self._manifest

    @property
    def terms(self) -> SqliteTermCounts:
        """Counts for BM25 and idf."""
        return self._terms

    @property
    def inbox(self) -> SqliteInbox:
        """Messages that wait to be worked in."""
        return self._inbox

    @property
    def journal(self) -> SqliteJournal:
        """The truth about entries."""
        return self._journal

    @property
    def links(self) -> SqliteIdentityLinks:
        """Which anchors are one person."""
        return self._links

    @property
    def windows(self) -> SqliteSessionWindows:
        """What was said last in each session, and what of it was not extracted yet."""
        return self._windows

    @property
    def accesses(self) -> SqliteAccessLog:
        """What answers showed, and what was asked in vain."""
        return self._accesses

    @property
    def cache(self) -> SqliteEmbeddingCache:
        """Vectors already made."""
        return self._cache

    @property
    def portable(self) -> SqlitePortable:
        """All of it as tables, for a move to another store."""
        return SqlitePortable(self._ledger, self._embeddings)

    async def get_value(self, key: str) -> str | None:
        """Return a small named value (the active space, the background cosines)."""
        return await self._ledger.read(read_value, key)

    async def set_value(self, key: str, value: str | None) -> None:
        """Set or, with None, drop a small named value."""
        await self._ledger.write(write_value, key, value)

    async def log_query(
        self,
        query: str,
        hit_ids: Sequence[str],
        at: datetime,
        *,
        best: float | None = None,
        reach: Reach | None = None,
    ) -> None:
        """Keep a query with its first ten hits; of all queries the latest 2,000 are kept.

        Does not wait for the disk: a search should not, and a power cut may lose the last of them.
        """
        await self._ledger.write_relaxed(append_query, query, hit_ids, unix_ms(at), best, reach)

    async def logged_queries(self, limit: int) -> list[tuple[str, list[str]]]:
        """Return the latest logged queries with their hit ids, newest first."""
        return await self._ledger.read(latest_queries, limit)

    async def close(self) -> None:
        """Let running calls end and close both files; may be called twice."""
        await self._ledger.close()
        await self._embeddings.close()
