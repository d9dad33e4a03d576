"""``ServiceMemory``: the client for code without an event loop, as ``Memory`` is of ``AsyncMemory``."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Protocol, Self, TypeVar, cast

from tercet.bridge import LoopThread
from tercet.interfaces.client.service_client import ServiceClient
from tercet.interfaces.client.service_insight import ServiceCrossReferences

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


class SynchronousServiceGraph:
    """``ServiceCrossReferences`` for code without an event loop."""

    def __init__(self, core: ServiceCrossReferences, loop: LoopThread) -> None:
        """Run the core's methods on a loop."""
        self.core: ServiceCrossReferences = core
        self._loop = loop

    build = _synchronous(ServiceCrossReferences.build)
    show = _synchronous(ServiceCrossReferences.show)
    graph = _synchronous(ServiceCrossReferences.graph)

    def run(self, coroutine: Coroutine[Any, Any, R]) -> R:
        """Run a coroutine of the core on its loop."""
        return self._loop.run(coroutine)


class ServiceMemory:
    """Every method waits for its result; a context manager."""

    def __init__(self, client: ServiceClient) -> None:
        """Start the loop."""
        self.core: ServiceClient = client
        self._loop = LoopThread()
        self.graph = SynchronousServiceGraph(client.graph, self._loop)

    search = _synchronous(ServiceClient.search)
    recall = _synchronous(ServiceClient.recall)
    agent_end = _synchronous(ServiceClient.agent_end)
    remember = _synchronous(ServiceClient.remember)
    list_entries = _synchronous(ServiceClient.list_entries)
    history = _synchronous(ServiceClient.history)
    forget = _synchronous(ServiceClient.forget)
    undo = _synchronous(ServiceClient.undo)
    read = _synchronous(ServiceClient.read)
    salience = _synchronous(ServiceClient.salience)
    status = _synchronous(ServiceClient.status)
    prepare = _synchronous(ServiceClient.prepare)

    @property
    def default_options(self) -> SearchOptions:
        """Options with the settings' limit and nothing else decided."""
        return self.core.default_options

    def run(self, coroutine: Coroutine[Any, Any, R]) -> R:
        """Run a coroutine of the client on its loop."""
        return self._loop.run(coroutine)

    def close(self) -> None:
        """Let go of the connection and the loop's thread; again is no error."""
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
