"""Who of a home writes the index now: one process at a time, and in it one run."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable

    from tercet.ports import WriterLock


class WritingTurns:
    """The writer's lock of a home, as one layer takes it."""

    def __init__(self, lock: WriterLock) -> None:
        """Take turns by ``lock``."""
        self._lock = lock
        self._own_run_ended = asyncio.Event()
        self._own_run_ended.set()

    @asynccontextmanager
    async def writing(self, on_wait: Callable[[str], None] | None) -> AsyncGenerator[None]:
        """Hold the lock; who waits for another process is told so.

        Raises:
            LedgerBusyError: it was not to be had (transient).
        """
        if not self._lock.try_acquire():
            if on_wait is not None:
                on_wait("Another process is indexing; waiting for it.")
            await self._lock.acquire()
        self._own_run_ended.clear()
        try:
            yield
        finally:
            self._own_run_ended.set()
            self._lock.release()

    async def try_begin(self) -> bool:
        """Take the lock for a short look, without waiting for another process; ``end`` gives it back.

        A run of this very process is waited for: it may have passed a file by just before it was saved.
        """
        if self._lock.try_acquire():
            return True
        if self._own_run_ended.is_set():
            return False
        await self._own_run_ended.wait()
        return self._lock.try_acquire()

    def end(self) -> None:
        """Give the lock back."""
        self._lock.release()
