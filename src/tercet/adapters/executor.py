"""The bounded pool of threads in which one adapter does its blocking work."""

from __future__ import annotations

import asyncio
import contextvars
import functools
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from tercet.errors import TransientError

if TYPE_CHECKING:
    from collections.abc import Callable

P = ParamSpec("P")
T = TypeVar("T")


class BlockingExecutor:
    """At most ``max_workers`` blocking calls at a time; with 1 they run one after another, in order.

    Threads start at the first call, so that an adapter which is never used costs nothing.
    """

    def __init__(self, max_workers: int, name: str) -> None:
        self._name = name
        self._pool = ThreadPoolExecutor(max_workers=max_workers, thread_name_prefix=f"tercet-{name}")
        self._closed = False

    async def run(self, fn: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a blocking call in a thread and return its result.

        A caller that is cancelled leaves at once: a call still queued never starts, a running one
        finishes and its result or error is dropped.

        Raises:
            TransientError: the executor is closed.
        """
        if self._closed:
            msg = f"The {self._name} adapter is closed: make a new one."
            raise TransientError(msg)
        call = functools.partial(contextvars.copy_context().run, fn, *args, **kwargs)
        return await asyncio.get_running_loop().run_in_executor(self._pool, call)

    async def close(self) -> None:
        """Refuse new calls, let the accepted ones finish, and end the threads; may be called twice."""
        self._closed = True
        # In a thread of its own: waiting here would hold up the very loop the calls report to.
        await asyncio.to_thread(self._pool.shutdown, wait=True)
