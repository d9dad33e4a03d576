"""Work that a page starts and that outlives the request: indexing, re-embedding, building a graph."""

from __future__ import annotations

import asyncio
import logging
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

from tercet.errors import TercetError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable
    from contextlib import AbstractAsyncContextManager

    from tercet.memory import AsyncMemory

    Progress = Callable[[int, int], None]
    Work = Callable[[AsyncMemory, Progress], Awaitable[str]]

LOG = logging.getLogger("tercet.inspector")
RunKind = Literal["index", "reembed", "graph"]


class Lender(Protocol):
    """Lends memories."""

    def lend(self, agent: str) -> AbstractAsyncContextManager[AsyncMemory]:
        """Lend an agent's memory while something works with it."""
        ...


@dataclass(slots=True)
class Run:
    """One piece of work, as far as it has come."""

    kind: RunKind
    done: int = 0
    total: int = 0
    """0 while nobody knows yet."""
    result: str = ""
    """What it did, once it is over."""
    problem: str = ""
    """Why it failed; empty when it did not."""
    is_over: bool = False


class Upkeep:
    """Starts work and tells how far it is; the last run stays to be read.

    Of one agent's owner, and of each session, one thing is done at a time.
    """

    def __init__(self, lender: Lender) -> None:
        """Hold who lends the memories."""
        self._lender = lender
        self._runs: dict[tuple[str, str | None], Run] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def run_of(self, agent: str, session_key: str | None = None) -> Run | None:
        """Return the latest run of an agent's owner, or of one session."""
        return self._runs.get((agent, session_key))

    def start(self, agent: str, kind: RunKind, work: Work, session_key: str | None = None) -> bool:
        """Start work behind the answer; False when the last is not over, and then nothing starts."""
        running = self.run_of(agent, session_key)
        if running is not None and not running.is_over:
            return False
        run = self._runs[agent, session_key] = Run(kind)
        task = asyncio.create_task(self._worked(agent, run, work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return True

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """End what is under way when the service stops; it is gone on with by the next run."""
        try:
            yield
        finally:
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _worked(self, agent: str, run: Run, work: Work) -> None:
        def progress(done: int, total: int) -> None:
            run.done, run.total = done, total

        try:
            async with self._lender.lend(agent) as memory:
                run.result = await work(memory, progress)
        except TercetError as error:
            run.problem = " ".join(str(error).split())
        except Exception:
            LOG.exception("unexpected error in upkeep")
            run.problem = "The service made a mistake; its log has the place."
        finally:
            run.is_over = True
