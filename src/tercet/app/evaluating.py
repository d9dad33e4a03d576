"""A memory opened to be measured, and the measuring."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from tercet.adapters.files.atomic_write import ensure_private_directory
from tercet.app.providers import make_embedder
from tercet.app.semantic import make_files, make_semantic_parts
from tercet.app.stores import Databases, Stores, make_engine, make_locks, open_ledger
from tercet.host import Host
from tercet.identity import checked_agent
from tercet.layers.semantic.layer import SemanticLayer
from tercet.model import SearchOptions
from tercet.search_settings import with_settings

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from tercet.config import LoadedSettings
    from tercet.evaluation.bench import Bench
    from tercet.evaluation.evaluate import Progress as EvaluationProgress
    from tercet.evaluation.evaluate import Request
    from tercet.evaluation.summary import Evaluation
    from tercet.evaluation.systems import System
    from tercet.model import Passage, Scope, SearchResult
    from tercet.ports import Embedder, Ledger


def run_evaluation(
    loaded: LoadedSettings,
    request: Request,
    *,
    options: SearchOptions | None = None,
    cache: Path | None = None,
    progress: EvaluationProgress | None = None,
) -> Evaluation:
    """Do the same as ``evaluate`` for code without an event loop."""
    return asyncio.run(evaluate(loaded, request, options=options, cache=cache, progress=progress))


async def evaluate(
    loaded: LoadedSettings,
    request: Request,
    *,
    options: SearchOptions | None = None,
    cache: Path | None = None,
    progress: EvaluationProgress | None = None,
) -> Evaluation:
    """Measure how well questions are answered; see ``tercet.evaluation``.

    Args:
        loaded: Settings of the home that is asked; a corpus or a folder gets a temporary home of its
            own instead, with everything else of the settings.
        request: Questions, corpus, baseline.
        options: Preset and weights to measure instead of the settings' own.
        cache: Folder of made vectors that several evaluations share; only for temporary homes.
        progress: Called with what is being done, how much is done and how much there is.

    Raises:
        InvalidInputError, NotFoundError, ConfigurationError: permanent.
        EmbedderUnavailableError: transient.
    """
    from tercet.evaluation.evaluate import check_request, evaluate

    system = configured_system(loaded, options)
    check_request(request, system)
    bench = await open_bench(loaded, own_home=request.needs_own_home, cache=cache)
    try:
        return await evaluate(bench, request, system, progress)
    finally:
        await bench.close()


def configured_system(loaded: LoadedSettings, options: SearchOptions | None = None) -> System:
    """Return what a search with these settings and options ranks by."""
    from tercet.evaluation.systems import System

    given = with_settings(options or SearchOptions(), loaded.settings.retrieval)
    preset, mode = given.preset or loaded.settings.retrieval.preset, given.mode or "hybrid"
    return System(preset, preset, mode, given.weights, given.min_score)


async def open_bench(loaded: LoadedSettings, *, own_home: bool, cache: Path | None = None) -> Bench:
    """Open the home of the settings, or a temporary one, for an evaluation.

    Searches do not look for changed files: ``Bench.index`` does that, once.
    """
    from tercet.evaluation.remembered_queries import RememberingEmbedder

    settings = loaded.settings
    agent = checked_agent(settings.agent)
    made = make_embedder(settings.embedding)
    embedder = RememberingEmbedder(made) if made is not None else None
    temporary = TemporaryDirectory(prefix="tercet-eval-") if own_home else None
    changed: dict[str, Any] = {"index": settings.index.model_copy(update={"refresh_files": 0})}
    if temporary is not None:
        # Its own store too: the one of the settings must never see these passages.
        changed |= {"home": Path(temporary.name), "store": type(settings.store)()}
    settings = settings.model_copy(update=changed)
    ensure_private_directory(settings.home)
    databases = Databases()
    try:
        ledger = await open_ledger(settings, databases, cache if own_home else None)
    except BaseException:
        if temporary is not None:
            temporary.cleanup()
        raise
    stores = Stores(ledger, make_engine(settings, databases), make_locks(settings))
    files = make_files(settings)
    semantic = SemanticLayer(make_semantic_parts(settings, stores, files, embedder))

    async def close() -> None:
        await semantic.close()
        await files.close()
        await ledger.close()
        await databases.close()
        if temporary is not None:
            temporary.cleanup()

    return _EvaluationBench(agent, semantic, Host({"semantic": semantic}), embedder, ledger, close)


@dataclass(frozen=True, slots=True)
class _EvaluationBench:
    """The ``Bench`` of an evaluation over real engine, ledger and embedder."""

    agent: str
    _semantic: SemanticLayer
    _host: Host
    _embedder: Embedder | None
    _ledger: Ledger
    _close: Callable[[], Awaitable[None]]

    async def search(self, query: str, options: SearchOptions) -> SearchResult:
        return await self._host.search(query, options)

    async def ingest(
        self, scope: Scope, passages: Sequence[Passage], progress: Callable[[int, int], None] | None = None
    ) -> None:
        await self._semantic.ingest(scope, passages, progress)

    async def index(self, directories: Sequence[str]) -> None:
        await self._semantic.index(directories)

    async def paths(self) -> set[str]:
        manifest = self._ledger.manifest
        return {path for root in await manifest.roots(self.agent) for path in await manifest.files(root.label)}

    async def space(self) -> str:
        if self._embedder is None:
            return "none"
        space = await self._embedder.space()
        return f"{space.provider} {space.model} ({space.dimensions})"

    async def close(self) -> None:
        await self._close()
