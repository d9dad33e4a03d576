"""One SQLite file: a single writer thread, a few readers, and its errors in our words."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import sqlite3
import time
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar
from urllib.parse import quote

from tercet.adapters.executor import BlockingExecutor
from tercet.adapters.files.atomic_write import ensure_private_directory
from tercet.adapters.lock import WriterLock
from tercet.adapters.sqlite.fault import translated
from tercet.errors import StoreFormatError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable
    from pathlib import Path

    from tercet.adapters.sqlite.schema import StoreFormat

P = ParamSpec("P")
T = TypeVar("T")

_WAL_BYTES = 64_000_000
_CACHE_KIB = 16_000
_RETRY_S = 0.02


class Database:
    """An open SQLite file in WAL mode.

    Writes run one after another in one thread, each in a transaction that takes the write lock at
    once; reads run in their own threads, each in a transaction of its own, and wait for no writer.
    """

    def __init__(
        self, directory: Path, store_format: StoreFormat, *, durable: bool, busy_timeout_s: float, readers: int
    ) -> None:
        self._path = directory / store_format.file_name
        self._format = store_format
        self._durable = durable
        self._busy_timeout_s = busy_timeout_s
        self._writing = BlockingExecutor(max_workers=1, name=f"{store_format.what} writer")
        self._reading = BlockingExecutor(max_workers=readers, name=f"{store_format.what} reader")
        self._writer: sqlite3.Connection | None = None
        self._idle: list[sqlite3.Connection] = []
        self._closed = False
        self._inode = 0
        """Of the file that was opened: another one in its place is another process's new one."""

    async def open(self) -> None:
        """Make or open the file and bring it to this version.

        Raises:
            StoreFormatError: it is damaged, not ours, or written by a newer version (permanent).
            ConfigurationError: the place may not be written (permanent).
            LedgerBusyError: another process holds it too long (transient).
        """
        await self._writing.run(self._open)

    async def start_anew(self) -> None:
        """Set the damaged file aside and open a new one; only for what can be made again.

        One file is kept aside, the latest. Where another process has done it already, its new file
        is opened.

        Raises:
            LedgerBusyError: another process is at it for too long (transient).
            ConfigurationError: the place may not be written (permanent).
        """
        await self._reading.run(self._close_readers)
        name = f"{self._path.stem}.lock"
        async with WriterLock(self._path.parent, timeout_s=self._busy_timeout_s, file=name):
            await self._writing.run(self._start_anew)

    async def drop_set_aside(self) -> None:
        """Delete the file that was set aside, if there is one."""
        await self._writing.run(set_aside_path(self._path).unlink, missing_ok=True)

    async def read(self, fn: Callable[Concatenate[sqlite3.Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run ``fn(connection, *args)`` on one state of the file; it must not write."""
        return await self._reading.run(self._read, lambda connection: fn(connection, *args, **kwargs))

    async def write(self, fn: Callable[Concatenate[sqlite3.Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run ``fn(connection, *args)`` in one transaction that is on disk when this returns."""
        return await self._writing.run(
            self._write, lambda connection: fn(connection, *args, **kwargs), durable=self._durable
        )

    async def write_relaxed(
        self, fn: Callable[Concatenate[sqlite3.Connection, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Like ``write`` for what may be lost with the power (never torn), without waiting for the disk."""
        return await self._writing.run(self._write, lambda connection: fn(connection, *args, **kwargs), durable=False)

    async def fold(self) -> None:
        """Fold the write-ahead log into the file and empty it, so that erased bytes are gone from it too.

        Where a reader of another process holds it, that is left to a later call.
        """
        await self._writing.run(self._fold)

    async def aside(self, fn: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run work that needs no connection in a reader's thread: a write lock is held the shorter."""
        return await self._reading.run(self._aside, lambda: fn(*args, **kwargs))

    async def close(self) -> None:
        """Let running calls end and close the file; may be called twice."""
        if not self._closed:
            self._closed = True
            await self._reading.close()
            await self._writing.run(self._close)
            await self._writing.close()

    def _open(self) -> None:
        ensure_private_directory(self._path.parent)
        with self._in_our_words():
            self._make_private()
            self._inode = self._path.stat().st_ino
            connection = self._connect()
            try:
                self._check_ours(connection)
                self._enter_wal(connection)
                with transaction(connection, "BEGIN IMMEDIATE"):
                    self._migrate(connection)
            except BaseException:
                connection.close()
                raise
            self._writer = connection

    def _make_private(self) -> None:
        """Make the file where it is missing: SQLite would with the umask's bits, and -wal and -shm take its own.

        Trigger: another database object of this process has the file open. Why: closing any descriptor of
        a file drops every POSIX lock that the process holds on it, SQLite's too; another process then
        takes itself for the last, and unlinks the write-ahead log that is still written to. Outcome: a
        file that is there is not opened here.
        """
        try:
            os.close(os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0), 0o600))
        except FileExistsError:
            if not os.access(self._path, os.R_OK | os.W_OK):
                # SQLite would open it to read alone, and find that out at the first write.
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(self._path)) from None

    def _start_anew(self) -> None:
        self._close()
        with self._in_our_words():
            if self._path.exists() and self._path.stat().st_ino == self._inode:
                self._path.replace(set_aside_path(self._path))
                for end in ("-wal", "-shm"):
                    self._path.with_name(self._path.name + end).unlink(missing_ok=True)
        self._open()

    def _close_readers(self) -> None:
        while self._idle:
            self._idle.pop().close()

    def _close(self) -> None:
        self._close_readers()
        if self._writer is not None:
            # The last connection to close folds the write-ahead log into the file.
            self._writer.close()
            self._writer = None

    def _fold(self) -> None:
        if self._writer is not None:
            with self._in_our_words():
                try:
                    self._writer.execute("PRAGMA busy_timeout = 0")
                    self._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
                except sqlite3.OperationalError as error:
                    if error.sqlite_errorcode & 0xFF not in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
                        raise
                finally:
                    self._writer.execute(f"PRAGMA busy_timeout = {round(self._busy_timeout_s * 1000)}")

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            f"file:{quote(str(self._path))}?mode=rw",
            uri=True,
            timeout=self._busy_timeout_s,
            isolation_level=None,
            # Handed from thread to thread, but never used by two at once.
            check_same_thread=False,
        )
        try:
            for setting in (
                "foreign_keys = ON",
                "secure_delete = ON",  # a forgotten text's words leave the file with it
                f"synchronous = {'FULL' if self._durable else 'NORMAL'}",
                f"journal_size_limit = {_WAL_BYTES}",
                f"cache_size = -{_CACHE_KIB}",
            ):
                connection.execute(f"PRAGMA {setting}")
        except BaseException:
            connection.close()
            raise
        return connection

    def _check_ours(self, connection: sqlite3.Connection) -> None:
        # Tables first: another process may make them and the mark, in one transaction, between the two.
        (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        if tables and application != self._format.application_id:
            msg = f"{self._path} is another program's database, not a Tercet {self._format.what}: move it away."
            raise StoreFormatError(msg)

    def _enter_wal(self, connection: sqlite3.Connection) -> None:
        """Switch to WAL; when two processes do so at once SQLite fails without waiting."""
        deadline = time.monotonic() + self._busy_timeout_s
        while True:
            try:
                connection.execute("PRAGMA journal_mode = WAL")
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                    raise
                time.sleep(_RETRY_S)
            else:
                return

    def _migrate(self, connection: sqlite3.Connection) -> None:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        newest = len(self._format.migrations)
        if version > newest:
            msg = (
                f"The {self._format.what} {self._path} has format {version}, this Tercet knows up to {newest}: "
                "update Tercet, or use another home."
            )
            raise StoreFormatError(msg)
        for statements in self._format.migrations[version:]:
            for statement in statements:
                connection.execute(statement)
        if version < newest:
            connection.execute(f"PRAGMA application_id = {self._format.application_id}")
            connection.execute(f"PRAGMA user_version = {newest}")

    def _aside(self, fn: Callable[[], T]) -> T:
        with self._in_our_words():
            return fn()

    def _read(self, fn: Callable[[sqlite3.Connection], T]) -> T:
        with self._in_our_words():
            try:
                connection = self._idle.pop()
            except IndexError:
                connection = self._connect_reader()
            try:
                with transaction(connection, "BEGIN"):
                    return fn(connection)
            finally:
                self._idle.append(connection)

    def _connect_reader(self) -> sqlite3.Connection:
        connection = self._connect()
        connection.execute("PRAGMA query_only = ON")
        return connection

    def _write(self, fn: Callable[[sqlite3.Connection], T], *, durable: bool) -> T:
        connection = self._writer
        if connection is None:
            msg = f"The {self._format.what} is not open: call open() first."
            raise RuntimeError(msg)
        with self._in_our_words():
            connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
            with transaction(connection, "BEGIN IMMEDIATE"):
                return fn(connection)

    @contextlib.contextmanager
    def _in_our_words(self) -> Generator[None]:
        try:
            yield
        except (sqlite3.Error, OSError, UnicodeEncodeError) as error:
            if isinstance(error, sqlite3.Error) and not hasattr(error, "sqlite_errorcode"):
                raise  # Python's own module found a mistake of ours, not SQLite one of the file's
            raise translated(error, self._path, self._format, self._busy_timeout_s) from error


def set_aside_path(path: Path) -> Path:
    """Return where a damaged file goes."""
    return path.with_name(f"{path.name}.damaged")


@contextlib.contextmanager
def transaction(connection: sqlite3.Connection, begin: str) -> Generator[None]:
    """Commit when the block ends well, else roll everything back."""
    connection.execute(begin)
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        # Some errors (a full disk) have rolled back by themselves.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def as_list(values: Iterable[str]) -> str:
    """Return values for ``IN (SELECT value FROM json_each(?))``: one variable, however many they are."""
    return json.dumps(list(values))
