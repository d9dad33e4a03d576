"""One writer of an index at a time, over all processes of one home."""

from __future__ import annotations

from typing import Protocol


class WriterLock(Protocol):
    """A lock that a killed process leaves free."""

    def try_acquire(self) -> bool:
        """Take the lock if it is free; False when anyone holds it."""
        ...

    async def acquire(self) -> None:
        """Wait for the lock and take it.

        Raises:
            LedgerBusyError: another writer held it for too long (transient).
        """
        ...

    def release(self) -> None:
        """Give it back; does nothing when not held."""
        ...
