"""``Memory``: the facade for code without an event loop."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Self, TypeVar, cast

from tercet.bridge import LoopThread
from tercet.memory.asynchronous import AsyncMemory

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from types import TracebackType

    from tercet.model import SearchOptions

P = ParamSpec("P")
R = TypeVar("R")


def _synchronous(
    method: Callable[Concatenate[AsyncMemory, P], Coroutine[Any, Any, R]],
) -> Callable[Concatenate[Memory, P], R]:
    @functools.wraps(method)
    def call(self: Memory, *args: P.args, **kwargs: P.kwargs) -> R:
        return self.run(method(self.core, *args, **kwargs))

    # functools.wraps hides that ``call`` is a plain function of these parameters.
    return cast("Callable[Concatenate[Memory, P], R]", call)


class Memory:
    """The same for code without an event loop: every method waits for its result.

    Use it as a context manager, or call ``close``.
    """

    def __init__(self, make: Callable[[], Coroutine[Any, Any, AsyncMemory]]) -> None:
        """Start the loop and build the core on it."""
        self._loop = LoopThread()
        try:
            self.core: AsyncMemory = self._loop.run(make())
        except BaseException:
            self._loop.close()
            raise

    search = _synchronous(AsyncMemory.search)
    recall = _synchronous(AsyncMemory.recall)
    agent_end = _synchronous(AsyncMemory.agent_end)
    capture = _synchronous(AsyncMemory.capture)
    flush = _synchronous(AsyncMemory.flush)
    remember = _synchronous(AsyncMemory.remember)
    list_entries = _synchronous(AsyncMemory.list_entries)
    history = _synchronous(AsyncMemory.history)
    forget = _synchronous(AsyncMemory.forget)
    undo = _synchronous(AsyncMemory.undo)
    link = _synchronous(AsyncMemory.link)
    unlink = _synchronous(AsyncMemory.unlink)
    links = _synchronous(AsyncMemory.links)
    prepare = _synchronous(AsyncMemory.prepare)
    read = _synchronous(AsyncMemory.read)
    index = _synchronous(AsyncMemory.index)
    remove_folders = _synchronous(AsyncMemory.remove_folders)
    watch = _synchronous(AsyncMemory.watch)
    why = _synchronous(AsyncMemory.why)
    reembed = _synchronous(AsyncMemory.reembed)
    status = _synchronous(AsyncMemory.status)
    diagnose = _synchronous(AsyncMemory.diagnose)

    @property
    def default_options(self) -> SearchOptions:
        """Options with the settings' limit and nothing else decided."""
        return self.core.default_options

    def run(self, coroutine: Coroutine[Any, Any, R]) -> R:
        """Run a coroutine of the core on its loop."""
        return self._loop.run(coroutine)

    def close(self) -> None:
        """Let go of stores, models, connections and the loop's thread; calling it again is no error."""
        if self._loop.is_closed:
            return
        try:
            self._loop.run(self.core.close())
        finally:
            self._loop.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
