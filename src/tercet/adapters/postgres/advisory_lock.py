"""A lock of one tenant over all machines that share its database."""

from __future__ import annotations

import asyncio
import hashlib
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Self, TypeVar

from tercet.adapters.postgres.fault import translated
from tercet.errors import LedgerBusyError
from tercet.text.addresses import shown_url

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from types import TracebackType

    import psycopg

T = TypeVar("T")

_POLL_S = 0.05
_CONNECT_TIMEOUT_S = 5
_ACQUIRE = {
    True: b"SELECT pg_try_advisory_lock_shared(%s)",
    False: b"SELECT pg_try_advisory_lock(%s)",
}


class AdvisoryLock:
    """A ``WriterLock`` that the database holds for a connection: it ends with the process that took it.

    Every holder has a connection of its own, so that two tasks of one process take turns like two
    machines do. A shared lock keeps out those who want it alone, and is kept out by them.
    """

    def __init__(self, url: str, tenant: str, name: str, *, timeout_s: float = 30.0, is_shared: bool = False) -> None:
        """Prepare; nothing is connected yet.

        Args:
            url: Of the database.
            tenant: Whose lock it is.
            name: Each name is a lock of its own.
            timeout_s: How long entering waits for other holders, >= 0.
            is_shared: Whether others may hold it too who want it shared.
        """
        self._url = url
        self._name = f"{name} of tenant {tenant}"
        self._key = int.from_bytes(hashlib.sha256(f"tercet {tenant} {name}".encode()).digest()[:8], signed=True)
        self._timeout_s = timeout_s
        self._is_shared = is_shared
        self._connection: psycopg.Connection[Any] | None = None  # Any: rows of whatever query
        self._is_taken = False
        """Whether a task holds the lock through this object, or is about to."""

    def try_acquire(self) -> bool:
        """Take the lock if it is free; False when anyone else, or this object, holds it.

        Raises:
            LedgerBusyError: the server cannot be reached (transient).
            ConfigurationError: it does not let this role in (permanent).
        """
        if self._is_taken:
            return False
        connection = self._connected()
        if self._takes(connection):
            self._connection, self._is_taken = connection, True
            return True
        connection.close()
        return False

    async def acquire(self) -> None:
        """Wait for the lock and take it.

        Raises:
            LedgerBusyError: others held it for the whole of ``timeout_s``, or the server cannot be reached
                (transient).
            ConfigurationError: as ``try_acquire``.
        """
        deadline = time.monotonic() + self._timeout_s
        while self._is_taken:  # by another task, through this object
            await self._waited(deadline)
        # From here on no other task tries: it would lose the connection of this one.
        self._is_taken = True
        opened: list[psycopg.Connection[Any]] = []  # Any: as above
        try:
            await _to_its_end(lambda: opened.append(self._connected()))
            while not await _to_its_end(lambda: self._takes(opened[0])):
                await self._waited(deadline)
        except BaseException:
            for connection in opened:
                connection.close()
            self._is_taken = False
            raise
        (self._connection,) = opened

    def release(self) -> None:
        """Let go; does nothing when not held."""
        connection, self._connection = self._connection, None
        if connection is not None:
            self._is_taken = False
            connection.close()

    async def __aenter__(self) -> Self:
        await self.acquire()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()

    async def _waited(self, deadline: float) -> None:
        left = deadline - time.monotonic()
        if left <= 0:
            msg = f"Another process has held the lock {self._name} for {self._timeout_s:g} s: wait for it, or end it."
            raise LedgerBusyError(msg)
        await asyncio.sleep(min(_POLL_S, left))

    def _connected(self) -> psycopg.Connection[Any]:  # Any: rows of whatever query
        import psycopg

        with self._told():
            return psycopg.connect(self._url, autocommit=True, connect_timeout=_CONNECT_TIMEOUT_S)

    def _takes(self, connection: psycopg.Connection[Any]) -> bool:  # Any: rows of whatever query
        with self._told():
            (taken,) = connection.execute(_ACQUIRE[self._is_shared], (self._key,)).fetchone() or (False,)
            return bool(taken)

    @contextmanager
    def _told(self) -> Generator[None]:
        try:
            yield
        except Exception as error:
            ours = translated(error, shown_url(self._url), "be locked", LedgerBusyError)
            if ours is error:
                raise
            raise ours from error


async def _to_its_end(call: Callable[[], T]) -> T:
    """Run a call in a thread; who is cancelled meanwhile waits for its end, so that it leaves nothing open behind."""
    running = asyncio.ensure_future(asyncio.to_thread(call))
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        await asyncio.wait({running})
        raise
