"""``Memory``: the facade for code without an event loop."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Protocol, Self, TypeVar, cast

from tercet.bridge import LoopThread
from tercet.memory.asynchronous import AsyncMemory
from tercet.memory.notes import Notes
from tercet.relating import CrossReferences

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from types import TracebackType

    from tercet.model import SearchOptions

P = ParamSpec("P")
R = TypeVar("R")
C = TypeVar("C")


class _Face(Protocol[C]):
    """What has a core and runs its coroutines."""

    core: C

    def run(self, coroutine: Coroutine[Any, Any, R]) -> R: ...


def _synchronous(
    method: Callable[Concatenate[C, P], Coroutine[Any, Any, R]],
) -> Callable[Concatenate[_Face[C], P], R]:
    @functools.wraps(method)
    def call(self: _Face[C], *args: P.args, **kwargs: P.kwargs) -> R:
        return self.run(method(self.core, *args, **kwargs))

    # functools.wraps hides that ``call`` is a plain function of these parameters.
    return cast("Callable[Concatenate[_Face[C], P], R]", call)


class SynchronousNotes:
    """``Notes`` for code without an event loop."""

    def __init__(self, core: Notes, loop: LoopThread) -> None:
        """Run the core's methods on a loop."""
        self.core: Notes = core
        self._loop = loop

    new = _synchronous(Notes.new)
    append = _synchronous(Notes.append)
    show = _synchronous(Notes.show)
    text_of = _synchronous(Notes.text_of)
    replace = _synchronous(Notes.replace)
    search = _synchronous(Notes.search)
    links = _synchronous(Notes.links)
    lint = _synchronous(Notes.lint)

    def run(self, coroutine: Coroutine[Any, Any, R]) -> R:
        """Run a coroutine of the core on its loop."""
        return self._loop.run(coroutine)


class SynchronousCrossReferences:
    """``CrossReferences`` for code without an event loop."""

    def __init__(self, core: CrossReferences, loop: LoopThread) -> None:
        """Run the core's methods on a loop."""
        self.core: CrossReferences = core
        self._loop = loop

    build = _synchronous(CrossReferences.build)
    show = _synchronous(CrossReferences.show)
    graph = _synchronous(CrossReferences.graph)

    def run(self, coroutine: Coroutine[Any, Any, R]) -> R:
        """Run a coroutine of the core on its loop."""
        return self._loop.run(coroutine)


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
        self.wiki = SynchronousNotes(self.core.wiki, self._loop)
        self.graph = SynchronousCrossReferences(self.core.graph, self._loop)

    search = _synchronous(AsyncMemory.search)
    recall = _synchronous(AsyncMemory.recall)
    agent_end = _synchronous(AsyncMemory.agent_end)
    capture = _synchronous(AsyncMemory.capture)
    flush = _synchronous(AsyncMemory.flush)
    remember = _synchronous(AsyncMemory.remember)
    import_facts = _synchronous(AsyncMemory.import_facts)
    list_entries = _synchronous(AsyncMemory.list_entries)
    history = _synchronous(AsyncMemory.history)
    forget = _synchronous(AsyncMemory.forget)
    undo = _synchronous(AsyncMemory.undo)
    link = _synchronous(AsyncMemory.link)
    unlink = _synchronous(AsyncMemory.unlink)
    links = _synchronous(AsyncMemory.links)
    session_status = _synchronous(AsyncMemory.session_status)
    session_flush = _synchronous(AsyncMemory.session_flush)
    end_session = _synchronous(AsyncMemory.end_session)
    prepare = _synchronous(AsyncMemory.prepare)
    read = _synchronous(AsyncMemory.read)
    index = _synchronous(AsyncMemory.index)
    remove_folders = _synchronous(AsyncMemory.remove_folders)
    watch = _synchronous(AsyncMemory.watch)
    why = _synchronous(AsyncMemory.why)
    reembed = _synchronous(AsyncMemory.reembed)
    salience = _synchronous(AsyncMemory.salience)
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
