"""The facade that every interface calls: ``AsyncMemory``, and ``Memory``, its synchronous face."""

from __future__ import annotations

import asyncio
import functools
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Self, TypeVar, cast

from tercet.bridge import LoopThread
from tercet.errors import TransientError
from tercet.layers.semantic.indexing import IndexReport
from tercet.model import SearchOptions

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Sequence
    from types import TracebackType

    from tercet.config import LoadedSettings, RetrievalSettings
    from tercet.diagnosis import Doctor, MemoryStatus
    from tercet.host import Host
    from tercet.layers.semantic.layer import SemanticLayer
    from tercet.layers.semantic.reembedding import ReembedReport
    from tercet.layers.semantic.standing import Standing
    from tercet.model import FileText, Finding, SearchResult

    Changes = Callable[[Sequence[str], asyncio.Event], AsyncGenerator[set[str]]]

P = ParamSpec("P")
R = TypeVar("R")


class AsyncMemory:
    """One agent's memory; made by ``tercet.app.build_async``."""

    def __init__(
        self,
        loaded: LoadedSettings,
        host: Host,
        semantic: SemanticLayer,
        doctor: Doctor,
        changes: Changes,
        close: Callable[[], Awaitable[None]],
    ) -> None:
        """Hold the parts that the composition root made."""
        self._loaded = loaded
        self._host = host
        self._semantic = semantic
        self._doctor = doctor
        self._changes = changes
        self._close = close

    @property
    def default_options(self) -> SearchOptions:
        """Options with the settings' limit and nothing else decided."""
        return SearchOptions(limit=self._loaded.settings.retrieval.limit)

    async def search(self, query: str, options: SearchOptions | None = None) -> SearchResult:
        """Return the hits for a query, best first; what the options leave open comes from the settings.

        Raises:
            InvalidInputError: blank query, or an option out of range.
        """
        retrieval = self._loaded.settings.retrieval
        return await self._host.search(query, with_settings(options or self.default_options, retrieval))

    async def read(self, ref: str, start: int | None = None, lines: int | None = None) -> FileText:
        """Return lines of what a ref points at: an id, a path, or ``root:path#L1-L4``.

        Raises:
            NotFoundError, AmbiguousRefError, InvalidInputError: permanent.
        """
        return await self._host.read_file(ref, start, lines)

    async def index(
        self,
        directories: Sequence[str] = (),
        *,
        full: bool = False,
        rebuild: bool = False,
        progress: Callable[[int, int], None] | None = None,
        on_wait: Callable[[str], None] | None = None,
    ) -> IndexReport:
        """Index folders of Markdown; without any, bring every indexed folder up to date.

        Args:
            directories: Folders to index.
            full: Read every file, even those whose size and time are unchanged.
            rebuild: Make the whole derived index anew.
            progress: Called with (files done, files to do).
            on_wait: Called with a sentence when another process is indexing.
        """
        return await self._semantic.index(directories, full=full, rebuild=rebuild, progress=progress, on_wait=on_wait)

    async def remove_folders(self, directories: Sequence[str]) -> IndexReport:
        """Take folders out of the index; their files stay."""
        return await self._semantic.remove_folders(directories)

    async def watch(self, on_report: Callable[[IndexReport], None]) -> None:
        """Follow changes of the indexed folders until cancelled; reports are of runs that found something.

        Raises:
            TransientError: the system refuses to watch. What else is transient stands in a report.
        """
        directories = [root.directory for root in await self._semantic.roots()]
        async for _paths in self._changes(directories, asyncio.Event()):
            try:
                report = await self._semantic.index(())
            except TransientError as error:
                report = IndexReport(degraded=f"{error} The next change tries again.")
            if report != IndexReport(report.files, report.chunks, warnings=report.warnings, skipped=report.skipped):
                on_report(report)

    async def why(
        self, ref: str, query: str, options: SearchOptions | None = None
    ) -> tuple[list[Standing], str | None]:
        """Return where the passages that a ref points at stand for a query, and what was degraded.

        Raises:
            NotFoundError: the ref points at nothing that is indexed.
        """
        retrieval = self._loaded.settings.retrieval
        return await self._semantic.why(ref, query, with_settings(options or self.default_options, retrieval))

    async def reembed(self, progress: Callable[[int, int], None] | None = None) -> ReembedReport:
        """Move every vector to the embedder of the settings, while the old ones serve.

        Raises:
            EmbedderUnavailableError: it went away half way; call again to go on (transient).
        """
        return await self._semantic.reembed(progress)

    async def status(self) -> MemoryStatus:
        """Return settings with their origins, sizes and health."""
        return await self._doctor.status(self._loaded, self._host, self._semantic)

    async def diagnose(self, *, fix: bool = False) -> list[Finding]:
        """Check every part, and with ``fix`` mend what can be mended without losing anything."""
        return await self._doctor.diagnose(self._loaded, self._host, self._semantic, fix=fix)

    async def close(self) -> None:
        """Let go of stores, models and connections."""
        await self._close()


def with_settings(given: SearchOptions, retrieval: RetrievalSettings) -> SearchOptions:
    """Return options with the settings' values where they leave something open."""
    named = {"vector": retrieval.vector_weight, "keyword": retrieval.keyword_weight}
    constants = {
        **retrieval.constants,
        **{name: weight for name, weight in named.items() if weight is not None},
        **given.weights,
    }
    return replace(
        given,
        preset=given.preset or retrieval.preset,
        mode=given.mode or retrieval.mode,
        min_score=retrieval.min_score if given.min_score is None else given.min_score,
        weights=constants,
    )


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
