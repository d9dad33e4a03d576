"""The lock of a home: one writer of its index at a time, over all processes."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Self

from tercet.adapters.files.atomic_write import ensure_private_directory
from tercet.errors import ConfigurationError, LedgerBusyError

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

    from filelock import BaseFileLock

LOCK_FILE = "index.lock"
_POLL_S = 0.05


class WriterLock:
    """Held by whoever writes the index of a home; ``async with`` it around the writing.

    The system holds the lock, not the file: it ends with its process, and a lock file left behind,
    empty or old, stops nobody (X4). Two tasks of one process take turns like two processes (X9),
    whether they share this object or have one each.
    """

    def __init__(self, home: Path, *, timeout_s: float = 30.0, file: str = LOCK_FILE) -> None:
        """Prepare; nothing is touched yet.

        Args:
            home: The home's folder; made when missing.
            timeout_s: How long entering waits for another holder, >= 0.
            file: Name of the lock file; each name is a lock of its own.
        """
        self._home = home
        self._file = file
        self._timeout_s = timeout_s
        self._lock: BaseFileLock | None = None

    @property
    def path(self) -> Path:
        """The lock file."""
        return self._home / self._file

    def try_acquire(self) -> bool:
        """Take the lock if it is free; False when anyone else, or this object, holds it.

        Raises:
            ConfigurationError: the lock file may not be made or opened (permanent).
        """
        from filelock import FileLock, Timeout

        ensure_private_directory(self._home)
        lock = FileLock(self.path, mode=0o600, thread_local=False)
        try:
            lock.acquire(blocking=False)
        except Timeout:
            return False
        except OSError as error:
            msg = f"The lock file {self.path} cannot be used ({error.strerror or error}): mend its permissions."
            raise ConfigurationError(msg) from error
        self._lock = lock
        return True

    async def acquire(self) -> None:
        """Wait for the lock and take it.

        Raises:
            LedgerBusyError: another writer held it for the whole of ``timeout_s`` (transient).
            ConfigurationError: the lock file may not be made or opened (permanent).
        """
        deadline = time.monotonic() + self._timeout_s
        while not self.try_acquire():
            left = deadline - time.monotonic()
            if left <= 0:
                msg = (
                    f"Another process has been writing this index for {self._timeout_s:g} s "
                    f"(lock {self.path}): wait for it, or end it."
                )
                raise LedgerBusyError(msg)
            await asyncio.sleep(min(_POLL_S, left))

    def release(self) -> None:
        """Let go; does nothing when not held."""
        lock, self._lock = self._lock, None
        if lock is not None:
            lock.release()

    async def __aenter__(self) -> Self:
        await self.acquire()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()
