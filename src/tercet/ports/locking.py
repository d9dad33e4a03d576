"""One writer of an index at a time, over all processes of one home."""

from __future__ import annotations

from typing import Protocol


class WriterLock(Protocol):
    """A lock that a killed process leaves free."""

    async def acquire(self, timeout_s: float | None) -> bool:
        """Take the lock; False when ``timeout_s`` (0: do not wait, None: wait) went by."""
        ...

    async def release(self) -> None:
        """Give it back."""
        ...
