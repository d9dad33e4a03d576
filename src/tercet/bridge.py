"""The one way from synchronous code into the async core: a loop of its own in a thread of its own."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Coroutine

T = TypeVar("T")

_OWN_THREAD = "A synchronous method was called from the memory's own event loop: use AsyncMemory there."


class LoopThread:
    """Runs coroutines on one private event loop; safe to call from any thread but its own."""

    def __init__(self) -> None:
        """Start the thread; it ends with ``close`` or with the process."""
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="tercet", daemon=True)
        self._thread.start()

    @property
    def is_closed(self) -> bool:
        """Whether ``close`` was called."""
        return self._loop.is_closed()

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Run to the end and return the result; Ctrl-C in the caller cancels it.

        Raises:
            RuntimeError: it is closed, or the caller is the loop's own thread and would wait for itself.
        """
        if self._loop.is_closed() or threading.current_thread() is self._thread:
            coroutine.close()
            msg = "This memory is closed: build another one." if self._loop.is_closed() else _OWN_THREAD
            raise RuntimeError(msg)
        future = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def close(self) -> None:
        """Cancel what still runs, stop the loop and wait for its thread; again is no error."""
        if self._loop.is_closed():
            return
        self.run(_end_all_tasks())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


async def _end_all_tasks() -> None:
    loop = asyncio.get_running_loop()
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    await loop.shutdown_asyncgens()
    await loop.shutdown_default_executor()
