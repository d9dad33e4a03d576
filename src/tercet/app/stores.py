"""Where a home keeps its memories: ledger, engine and locks, as the settings of the store say."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol
from urllib.parse import unquote

from tercet.adapters.lock import WriterLock as FileLock
from tercet.adapters.sqlite.ledger import SqliteLedger
from tercet.errors import ConfigurationError
from tercet.plugins import load
from tercet.text.addresses import shown_url

if TYPE_CHECKING:
    from pathlib import Path

    from tercet.adapters.postgres.database import Database
    from tercet.ports import Engine, Ledger, WriterLock
    from tercet.settings import Settings, StoreSettings

ENTRIES_LOCK_FILE: Final = "entries.lock"
OPENING_LOCK_FILE: Final = "opening.lock"
UPKEEP_LOCK_FILE: Final = "upkeep.lock"
OPENING_WAIT_S: Final = 60.0
"""How long one process waits for another that makes or alters the tables in a bucket."""
POSTGRES: Final = frozenset({"postgresql", "postgres"})
_KEYWORDS: Final = re.compile(r"\s*(?:host|hostaddr|port|dbname|user|password|service)\s*=")
"""How PostgreSQL's own notation begins; as a path it would make a folder with the password in its name."""
_PATIENCE: Final = {"connect_timeout": "5s", "client_retry_timeout": "30"}
"""A service that is away is given up after seconds, not after the library's own three minutes."""
_OF_LANCEDB: Final = frozenset({"", "s3", "s3a", "gs", "az", "memory"})


class Databases:
    """The PostgreSQL databases of one process: one pool of connections each, however many memories use it."""

    def __init__(self) -> None:
        """Open nothing yet."""
        self._open: dict[tuple[str, str], Database] = {}

    def of(self, url: str, settings: StoreSettings) -> Database:
        """Return the database at a URL for the tenant of the settings; not connected yet.

        Raises:
            ConfigurationError: the URL or the tenant's name is malformed (permanent).
        """
        from tercet.adapters.postgres.database import Database

        key = (url, settings.tenant)
        if key not in self._open:
            self._open[key] = Database(url, settings.tenant, pool_size=settings.pool_size)
        return self._open[key]

    async def close(self) -> None:
        """Close every pool."""
        while self._open:
            _, database = self._open.popitem()
            await database.close()


class Locks(Protocol):
    """The locks of a home."""

    def index(self, timeout_s: float) -> WriterLock:
        """Return the lock of whoever indexes folders."""
        ...

    def entries(self, timeout_s: float, *, alone: bool = False) -> WriterLock:
        """Return the lock of whoever makes entries, or with ``alone`` of who must be the only one meanwhile."""
        ...

    def opening(self, timeout_s: float) -> WriterLock:
        """Return the lock of whoever makes or alters the tables of a vector store in a bucket."""
        ...

    def upkeep(self) -> WriterLock:
        """Return the lock of whoever maintains a vector store in a bucket; nobody waits for it."""
        ...


@dataclass(frozen=True, slots=True)
class Stores:
    """What is kept where."""

    ledger: Ledger
    """Open."""
    engine: Engine
    """Not opened yet."""
    locks: Locks


async def open_stores(settings: Settings, databases: Databases) -> Stores:
    """Open the ledger of the settings, and name the engine and the locks beside it.

    Raises:
        ConfigurationError: a URL leads nowhere this program knows, or the server refuses (permanent).
        StoreFormatError: a newer version was here (permanent).
        LedgerBusyError: the database cannot be reached, or the file is locked (transient).
    """
    engine = make_engine(settings, databases)
    return Stores(await open_ledger(settings, databases), engine, make_locks(settings))


async def open_ledger(settings: Settings, databases: Databases, embeddings_directory: Path | None = None) -> Ledger:
    """Open the ledger of the settings; ``embeddings_directory`` is where a file keeps made vectors.

    Raises:
        ConfigurationError, StoreFormatError, LedgerBusyError: as ``open_stores``.
    """
    url = ledger_url(settings.store)
    if url is None:
        return await SqliteLedger.open(settings.home, embeddings_directory=embeddings_directory)
    from tercet.adapters.postgres.ledger import PostgresLedger

    return await PostgresLedger.open(databases.of(url, settings.store))


def make_engine(settings: Settings, databases: Databases) -> Engine:
    """Return the engine that the store's URL names; nothing is opened yet.

    Raises:
        ConfigurationError: the URL is PostgreSQL's keywords, no engine is registered for its scheme, or
            ``store.endpoint`` is malformed (permanent).
    """
    store = settings.store
    url = store.url or str(settings.home / "lancedb")
    scheme = _scheme_of(url)
    if scheme == "file":
        url, scheme = unquote("/" + url.partition("://")[2].partition("/")[2]), ""
    engine: Engine
    if scheme in POSTGRES:
        engine = load("tercet.engines", "postgresql")(databases.of(url, store))
    elif scheme in _OF_LANCEDB:
        given: dict[str, Any] = {}
        if scheme:
            locks = make_locks(settings)
            given = {
                "storage_options": _storage_options(store),
                "consistency_s": store.consistency_s,
                "opening": locks.opening(OPENING_WAIT_S),
                "upkeep": locks.upkeep(),
            }
        engine = load("tercet.engines", "lancedb")(url, **given)
    else:
        try:
            engine = load("tercet.engines", scheme)(url)
        except ConfigurationError as error:
            msg = f"store.url cannot be used: {error}"
            raise ConfigurationError(msg) from error
    return engine


def ledger_url(store: StoreSettings) -> str | None:
    """Return the URL of the database that holds the ledger; None for the file of the home.

    Raises:
        ConfigurationError: ``store.ledger_url`` is no URL of PostgreSQL (permanent).
    """
    if store.ledger_url is None:
        return store.url if store.url is not None and _is_postgres(store.url) else None
    if not _is_postgres(store.ledger_url):
        msg = f"store.ledger_url is {shown_url(store.ledger_url)!r}: give a postgresql:// URL, or leave it out."
        raise ConfigurationError(msg)
    return store.ledger_url


def make_locks(settings: Settings) -> Locks:
    """Return the locks: of the database where the ledger lies in one, else files of the home."""
    url = ledger_url(settings.store)
    return _FileLocks(settings.home) if url is None else _DatabaseLocks(url, settings.store.tenant)


def _is_postgres(url: str) -> bool:
    return _scheme_of(url) in POSTGRES


def _scheme_of(url: str) -> str:
    """Return what stands before ``://``, in small letters; nothing for a path.

    Raises:
        ConfigurationError: it is PostgreSQL's notation by keywords (permanent).
    """
    if _KEYWORDS.match(url):
        msg = "store.url is written in keywords: write postgresql://user:password@host:port/database."
        raise ConfigurationError(msg)
    scheme, is_url, _ = url.partition("://")
    return scheme.lower() if is_url else ""


def _storage_options(store: StoreSettings) -> dict[str, str]:
    """Return the options of object storage by LanceDB's names.

    Raises:
        ConfigurationError: ``store.endpoint`` is no address of HTTP (permanent).
    """
    if store.endpoint is not None and not store.endpoint.startswith(("http://", "https://")):
        msg = f"store.endpoint is {shown_url(store.endpoint)!r}: give an address such as https://storage.example.org."
        raise ConfigurationError(msg)
    given = {
        "aws_endpoint": store.endpoint,
        "region": store.region,
        "aws_access_key_id": store.access_key.get_secret_value() if store.access_key else None,
        "aws_secret_access_key": store.secret_key.get_secret_value() if store.secret_key else None,
    }
    named = {name: value for name, value in given.items() if value is not None}
    named.update(_PATIENCE)
    if store.endpoint is not None:
        # A service of one's own: buckets are paths there, and inside a network it may speak plain HTTP.
        named["aws_virtual_hosted_style_request"] = "false"
        named["allow_http"] = "true" if store.endpoint.startswith("http://") else "false"
    return {**named, **store.options}


@dataclass(frozen=True, slots=True)
class _FileLocks:
    home: Path

    def index(self, timeout_s: float) -> WriterLock:
        return FileLock(self.home, timeout_s=timeout_s)

    def entries(self, timeout_s: float, *, alone: bool = False) -> WriterLock:
        del alone  # a file's holder is always the only one
        return FileLock(self.home, timeout_s=timeout_s, file=ENTRIES_LOCK_FILE)

    def opening(self, timeout_s: float) -> WriterLock:
        return FileLock(self.home, timeout_s=timeout_s, file=OPENING_LOCK_FILE)

    def upkeep(self) -> WriterLock:
        return FileLock(self.home, timeout_s=0, file=UPKEEP_LOCK_FILE)


@dataclass(frozen=True, slots=True)
class _DatabaseLocks:
    """Makers of entries share theirs: the journal settles what several of them do at once."""

    url: str
    tenant: str

    def index(self, timeout_s: float) -> WriterLock:
        from tercet.adapters.postgres.advisory_lock import AdvisoryLock

        return AdvisoryLock(self.url, self.tenant, "index", timeout_s=timeout_s)

    def entries(self, timeout_s: float, *, alone: bool = False) -> WriterLock:
        from tercet.adapters.postgres.advisory_lock import AdvisoryLock

        return AdvisoryLock(self.url, self.tenant, "entries", timeout_s=timeout_s, is_shared=not alone)

    def opening(self, timeout_s: float) -> WriterLock:
        from tercet.adapters.postgres.advisory_lock import AdvisoryLock

        return AdvisoryLock(self.url, self.tenant, "opening", timeout_s=timeout_s)

    def upkeep(self) -> WriterLock:
        from tercet.adapters.postgres.advisory_lock import AdvisoryLock

        return AdvisoryLock(self.url, self.tenant, "upkeep", timeout_s=0)
