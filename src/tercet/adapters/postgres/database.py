"""One tenant of one PostgreSQL database: a pool of connections, each transaction bound to the tenant."""

from __future__ import annotations

import asyncio
import logging
import random
import re
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from tercet.adapters.postgres.fault import RETRYABLE, is_lost, translated
from tercet.adapters.postgres.migrations import SCHEMA, known_migrations, migrate
from tercet.adapters.postgres.server import check_server, configure, ensure_extension
from tercet.errors import ConfigurationError, LedgerBusyError, MissingExtraError, TransientError
from tercet.text.addresses import shown_url

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable

    import psycopg
    import psycopg_pool

    Connection: TypeAlias = psycopg.AsyncConnection[tuple[Any, ...]]  # Any: rows of whatever query

T = TypeVar("T")

ATTEMPTS = 6
"""Of work that other work undid (deadlock, serialization); the waits between add up to about a second."""

_FIRST_WAIT_S = 0.02
_CONNECT_TIMEOUT_S = 5
_FORM = "postgresql://user:password@host:port/database"
_POOL_LOGGER = logging.getLogger("psycopg.pool")
_MISPLACED_AT = re.compile(r"[a-z]+://(?:[^/?@]*@[^/?@]*@|[^?]*/[^?]*@)")
"""An @, or a slash before it, in a user or password: the rest would be read, and shown, as a server's name."""
_TENANT = re.compile(r"[a-z0-9_-]{1,64}")
_SET_TENANT = "SELECT set_config('app.tenant', %s, true)"


class Database:
    """A pool of connections that see one tenant's rows.

    Several parts (engine, ledger) may share it; it belongs to the event loop it was opened in.
    """

    def __init__(self, url: str, tenant: str = "main", *, pool_size: int = 8, wait_s: float = 10.0) -> None:
        """Name the database; nothing is connected before ``connect``.

        Args:
            url: ``postgresql://user:password@host:port/database``.
            tenant: Name of this home among those that share the database.
            pool_size: Most connections open at once, > 0.
            wait_s: Longest wait for a free connection, and for the server to come back, > 0.

        Raises:
            ConfigurationError: the URL or the tenant's name is malformed (permanent).
        """
        if _TENANT.fullmatch(tenant) is None:
            msg = f"store.tenant is {tenant!r}: use 1 to 64 of a-z, 0-9, '-' and '_'."
            raise ConfigurationError(msg)
        if not url.startswith(("postgresql://", "postgres://")):
            # Not shown: another notation than a URL's may hold the password anywhere.
            msg = f"store.url is no {_FORM}: write it so."
            raise ConfigurationError(msg)
        if _MISPLACED_AT.match(url):
            msg = f"store.url is no {_FORM}: in user and password write @ as %40 and / as %2F."
            raise ConfigurationError(msg)
        self.tenant = tenant
        self.place = shown_url(url)
        """The server as it may be shown."""
        self._url = url
        self._pool_size = pool_size
        self._wait_s = wait_s
        self._pool: psycopg_pool.AsyncConnectionPool[Connection] | None = None
        self._opening = asyncio.Lock()

    @classmethod
    async def open(cls, url: str, tenant: str = "main", *, pool_size: int = 8) -> Database:
        """Return a connected database; takes and raises what the class and ``connect`` do."""
        database = cls(url, tenant, pool_size=pool_size)
        await database.connect()
        return database

    async def connect(self, *, unavailable: type[TransientError] = LedgerBusyError) -> None:
        """Check the server, bring its schema to this version, and open the pool; once, however often called.

        Raises:
            MissingExtraError: the library is not installed (permanent).
            ConfigurationError: wrong password, no such database, missing extension or privilege, a server too
                old, or a role that row-level security does not bind (permanent).
            StoreFormatError: a newer Tercet was here (permanent).
            TransientError: of the class ``unavailable``: the server cannot be reached.
        """
        async with self._opening:
            if self._pool is None:
                _require_library()
                async with self._told("be opened", unavailable):
                    await self._prepare()
                    self._pool = await self._open_pool()

    async def close(self) -> None:
        """Close every connection; may be called twice."""
        pool, self._pool = self._pool, None
        if pool is not None:
            await pool.close()

    @property
    def is_connected(self) -> bool:
        """Whether ``connect`` was called, and ``close`` not since."""
        return self._pool is not None

    @asynccontextmanager
    async def transaction(
        self, doing: str = "answer", *, unavailable: type[TransientError] = LedgerBusyError
    ) -> AsyncGenerator[Connection]:
        """Lend a connection in a transaction that sees this tenant's rows alone.

        It commits when the block ends well, else everything is rolled back. Faults of the server are
        raised as ours.

        Args:
            doing: What it is for, in words that follow "could not".
            unavailable: The transient error to raise for the server's faults that may pass.

        Raises:
            ConfigurationError: the role may not do it (permanent).
            InvalidInputError: a text is no valid Unicode (permanent).
            TransientError: of the class ``unavailable``: lost, busy, full, or other work came first.
        """
        async with self._told(doing, unavailable):
            pool = self._open_one(unavailable)
            connection = await self._begun(pool)
            try:
                async with connection:
                    yield connection
            finally:
                await pool.putconn(connection)

    async def run(
        self,
        work: Callable[[Connection], Awaitable[T]],
        doing: str = "answer",
        *,
        unavailable: type[TransientError] = LedgerBusyError,
    ) -> T:
        """Run work in a transaction, again where a deadlock or a serialization failure undid it.

        Args:
            work: Called once an attempt; what it did before is rolled back then.
            doing: As of ``transaction``.
            unavailable: As of ``transaction``, whose errors are raised.
        """
        wait = _FIRST_WAIT_S
        for _ in range(ATTEMPTS - 1):
            try:
                async with self.transaction(doing, unavailable=unavailable) as connection:
                    return await work(connection)
            except TransientError as error:
                if getattr(error.__cause__, "sqlstate", None) not in RETRYABLE:
                    raise
            # Spread, so that two that met once do not meet again at the same instant.
            await asyncio.sleep(wait * random.uniform(0.5, 1.5))  # noqa: S311 - no secret, only a spread of waits
            wait *= 2
        async with self.transaction(doing, unavailable=unavailable) as connection:
            return await work(connection)

    @asynccontextmanager
    async def session(
        self, doing: str, *, unavailable: type[TransientError] = LedgerBusyError
    ) -> AsyncGenerator[Connection]:
        """Lend a connection of its own in autocommit, for statements that allow no transaction.

        It is bound to the tenant as a whole, and closed at the end. Raises as ``transaction`` does.
        """
        async with self._told(doing, unavailable):
            self._open_one(unavailable)
            connection = await self._connection()
            try:
                await connection.set_autocommit(True)
                await connection.execute("SELECT set_config('app.tenant', %s, false)", (self.tenant,))
                yield connection
            finally:
                await connection.close()

    def ask(self, question: str, table: str, *, otherwise: bool) -> bool:
        """Ask a yes-or-no question on a connection of its own; blocking, a few seconds at most.

        Args:
            question: A statement that gives one boolean; ``%(tenant)s`` is the tenant.
            table: Table it asks about; where there is none, the answer is no.
            otherwise: The answer where the server cannot be asked.
        """
        import psycopg

        try:
            with psycopg.connect(self._url, **self._connection_settings()) as connection:
                if connection.execute("SELECT to_regclass(%s)", (f"{SCHEMA}.{table}",)).fetchone() == (None,):
                    return False
                connection.execute("SELECT set_config('search_path', %s, true)", (SCHEMA,))
                connection.execute(_SET_TENANT, (self.tenant,))
                (answer,) = connection.execute(question.encode(), {"tenant": self.tenant}).fetchone() or (otherwise,)
                return bool(answer)
        except psycopg.Error:
            # Whoever opens the database is told what is wrong with it.
            return otherwise

    def _open_one(self, unavailable: type[TransientError]) -> psycopg_pool.AsyncConnectionPool[Connection]:
        if self._pool is None:
            msg = f"The database at {self.place} is not open: call open() first."
            raise unavailable(msg)
        return self._pool

    async def _begun(self, pool: psycopg_pool.AsyncConnectionPool[Connection]) -> Connection:
        """Return a connection with its transaction begun; those that died while idle are passed over."""
        for left in reversed(range(self._pool_size + 1)):
            connection = await pool.getconn()
            try:
                await connection.execute(_SET_TENANT, (self.tenant,))
            except BaseException as error:
                await pool.putconn(connection)
                if not (left and isinstance(error, Exception) and is_lost(error)):
                    raise
                await pool.check()
            else:
                return connection
        msg = "unreachable"
        raise AssertionError(msg)

    async def _prepare(self) -> None:
        import psycopg
        from psycopg.conninfo import conninfo_to_dict

        try:
            conninfo_to_dict(self._url)
        except psycopg.ProgrammingError:
            # The library's reason quotes the part it cannot read, and so does the chain of causes.
            msg = f"store.url ({self.place}) cannot be read: write {_FORM}, with other signs as %XX."
            raise ConfigurationError(msg) from None
        connection = await psycopg.AsyncConnection.connect(self._url, **self._connection_settings())
        async with connection:
            await check_server(connection, self.place)
            await connection.commit()
            await ensure_extension(connection, self.place)
            await configure(connection, self.place)
            await connection.set_autocommit(True)
            await migrate(connection, known_migrations(), self.place)

    async def _connection(self) -> Connection:
        import psycopg

        connection = await psycopg.AsyncConnection.connect(self._url, **self._connection_settings())
        try:
            await configure(connection, self.place)
        except BaseException:
            await connection.close()
            raise
        return connection

    async def _open_pool(self) -> psycopg_pool.AsyncConnectionPool[Connection]:
        import psycopg_pool

        async def configured(connection: Connection) -> None:
            await configure(connection, self.place)

        pool: psycopg_pool.AsyncConnectionPool[Connection] = psycopg_pool.AsyncConnectionPool(
            self._url,
            kwargs=self._connection_settings(),
            min_size=1,
            max_size=self._pool_size,
            open=False,
            configure=configured,
            timeout=self._wait_s,
            # The pool waits ever longer between attempts: given up soon, the next call begins anew at once.
            reconnect_timeout=self._wait_s / 2,
            name="tercet",
        )
        # Its warnings repeat what the caller is told; where no logging was set up they would go to stderr.
        if not _POOL_LOGGER.handlers:
            _POOL_LOGGER.addHandler(logging.NullHandler())
        await pool.open()
        return pool

    def _connection_settings(self) -> dict[str, Any]:  # Any: keywords of libpq and of the library
        named = {"application_name": "tercet", "connect_timeout": _CONNECT_TIMEOUT_S}
        settings: dict[str, Any] = {key: value for key, value in named.items() if f"{key}=" not in self._url}
        # Plans are made for each tenant and space; and a pooler between need not know of prepared ones.
        return {**settings, "prepare_threshold": None}

    @asynccontextmanager
    async def _told(self, doing: str, unavailable: type[TransientError]) -> AsyncGenerator[None]:
        try:
            yield
        except Exception as error:
            ours = translated(error, self.place, doing, unavailable)
            if ours is error:
                raise
            raise ours from error


def _require_library() -> None:
    try:
        import pgvector
        import psycopg
        import psycopg_pool
    except ImportError as error:
        msg = f"PostgreSQL needs the package {error.name}: pip install 'tercet[postgres]'."
        raise MissingExtraError(msg) from error
    del pgvector, psycopg, psycopg_pool
