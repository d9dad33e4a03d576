"""The one composition root: from settings to a memory. Only this room knows host and adapters."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from tercet.adapters.clock import SystemClock
from tercet.adapters.counters import Counters
from tercet.adapters.embedders.unusable import UnusableEmbedder
from tercet.adapters.files.atomic_write import ensure_private_directory
from tercet.adapters.files.home_rights import close_to_others, open_to_others
from tercet.adapters.files.store import LocalFiles
from tercet.adapters.files.watch import changes
from tercet.adapters.lock import WriterLock
from tercet.adapters.rerankers.unusable import UnusableReranker
from tercet.adapters.spool import TurnSpool
from tercet.adapters.sqlite.connection import set_aside_path
from tercet.adapters.sqlite.ledger import SqliteLedger
from tercet.adapters.sqlite.schema import EMBEDDINGS
from tercet.capture.selection import RuleExtractor
from tercet.capture.worker import CaptureWorker, WorkerParts
from tercet.config import LoadedSettings, load_settings
from tercet.diagnosis import CaptureStatus, Doctor
from tercet.errors import PermanentError, TransientError
from tercet.host import Host
from tercet.identity import checked_agent
from tercet.keeping import Keeping, KeepingParts
from tercet.layers.semantic.engine_access import EngineAccess
from tercet.layers.semantic.layer import SemanticLayer, SemanticParts
from tercet.layers.semantic.reranking import Reranking
from tercet.layers.semantic.resting_embedder import RestingEmbedder
from tercet.loop import CaptureLoop, LoopParts
from tercet.memory import AsyncMemory, Memory, MemoryParts
from tercet.model import Finding, SearchOptions
from tercet.plugins import load
from tercet.search_settings import with_settings

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from tercet.config import EmbeddingSettings, RerankSettings, Settings
    from tercet.evaluation.bench import Bench
    from tercet.evaluation.evaluate import Progress as EvaluationProgress
    from tercet.evaluation.evaluate import Request
    from tercet.evaluation.summary import Evaluation
    from tercet.evaluation.systems import System
    from tercet.model import Passage, Scope, SearchResult
    from tercet.ports import Embedder, Engine, Reranker

ENTRIES_LOCK_FILE = "entries.lock"
LOCK_WAIT_S = 3600.0
"""A first run over a large folder may hold the index for long; waiting for it is right."""
ENTRIES_LOCK_WAIT_S = 60.0
"""Entries are made in batches of seconds; only a rebuild holds them for longer."""
SYNC_WAIT_S = 2.0


def build(loaded: LoadedSettings | None = None) -> Memory:
    """Return a memory for code without an event loop.

    Args:
        loaded: Settings; by default those of ``tercet.toml`` and the environment.

    Raises:
        ConfigurationError, IdentityError: a setting is wrong; nothing was created. A model that
            cannot be had as it is set is no such error: search answers by words, and says so.
    """
    settings = loaded or load_settings()
    return Memory(lambda: build_async(settings))


async def build_async(loaded: LoadedSettings | None = None) -> AsyncMemory:
    """Return a memory for async code; the same as ``build`` otherwise."""
    loaded = loaded or load_settings()
    settings = loaded.settings
    checked_agent(settings.agent)
    embedder = _embedder(settings.embedding)
    home = settings.home
    ensure_private_directory(home)
    ledger = await SqliteLedger.open(home)
    files = _files(settings)
    semantic = _semantic(settings, ledger, files, embedder)

    async def check_home(fix: bool) -> list[Finding]:  # noqa: FBT001 - a callback with one meaning
        return [*_check_home(home, fix=fix), *await asyncio.to_thread(_check_cache, home, fix=fix)]

    async def close() -> None:
        await semantic.close()
        await files.close()
        await ledger.close()

    events, spool, clock = Counters(), TurnSpool(home / "spool" / settings.agent), SystemClock()

    async def capture_status() -> CaptureStatus:
        inbox = await ledger.inbox.status(settings.agent)
        return CaptureStatus(inbox.waiting, inbox.oldest, inbox.dead, *spool.count(), events.counts())

    host = Host({"semantic": semantic}, ledger.journal, events)
    try:
        loop, keeping = _loop_and_keeping(settings, ledger, semantic, host, spool, clock, events)
    except BaseException:
        await close()
        raise
    await loop.erase_due()
    doctor = Doctor(embedder.identity if embedder else "none (words alone)", check_home, capture_status)
    watch = partial(changes, say_when_watching=True)
    return AsyncMemory(MemoryParts(loaded, host, semantic, doctor, loop, keeping, clock, watch, close))


def _loop_and_keeping(
    settings: Settings,
    ledger: SqliteLedger,
    semantic: SemanticLayer,
    host: Host,
    spool: TurnSpool,
    clock: SystemClock,
    events: Counters,
) -> tuple[CaptureLoop, Keeping]:
    lock = _entries_lock(settings, ENTRIES_LOCK_WAIT_S)
    rules = RuleExtractor()
    worker = CaptureWorker(
        WorkerParts(ledger, semantic.engine, semantic.embed_rows, rules, rules, clock, settings.capture.max_per_turn)
    )
    loop = CaptureLoop(
        LoopParts(settings.agent, settings.capture, ledger, worker, spool, lock, clock, events, semantic.tidy)
    )

    async def sync() -> None:
        # The journal already says what counts; who holds the lock tells the index when it is done.
        with suppress(TransientError):
            async with _entries_lock(settings, SYNC_WAIT_S):
                await semantic.tell_entries()

    keeping = Keeping(
        KeepingParts(
            settings.agent,
            ledger,
            host,
            worker,
            lock,
            clock,
            settings.identity.links,
            settings.recall.shared_in_groups,
            sync,
        )
    )
    return loop, keeping


def _entries_lock(settings: Settings, timeout_s: float) -> WriterLock:
    return WriterLock(settings.home, timeout_s=timeout_s, file=ENTRIES_LOCK_FILE)


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
    made = _embedder(settings.embedding)
    embedder = RememberingEmbedder(made) if made is not None else None
    temporary = TemporaryDirectory(prefix="tercet-eval-") if own_home else None
    changed: dict[str, Any] = {"index": settings.index.model_copy(update={"refresh_files": 0})}
    if temporary is not None:
        # Its own store too: the one of the settings must never see these passages.
        changed |= {"home": Path(temporary.name), "store": type(settings.store)()}
    settings = settings.model_copy(update=changed)
    ensure_private_directory(settings.home)
    try:
        ledger = await SqliteLedger.open(settings.home, embeddings_directory=cache if own_home else None)
    except BaseException:
        if temporary is not None:
            temporary.cleanup()
        raise
    files = _files(settings)
    semantic = _semantic(settings, ledger, files, embedder)

    async def close() -> None:
        await semantic.close()
        await files.close()
        await ledger.close()
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
    _ledger: SqliteLedger
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


def _files(settings: Settings) -> LocalFiles:
    # A folder around the home must not take in what the home holds.
    return LocalFiles(max_file_bytes=settings.index.max_file_bytes, never_enter=[str(settings.home.resolve())])


def _semantic(settings: Settings, ledger: SqliteLedger, files: LocalFiles, embedder: Embedder | None) -> SemanticLayer:
    engine = _engine(settings.store.url or str(settings.home / "lancedb"))
    resting = RestingEmbedder(embedder) if embedder is not None else None
    return SemanticLayer(
        SemanticParts(
            agent=checked_agent(settings.agent),
            files=files,
            ledger=ledger,
            engine=engine,
            access=EngineAccess(engine, resting, ledger),
            embedder=resting,
            lock=WriterLock(settings.home, timeout_s=LOCK_WAIT_S),
            clock=SystemClock(),
            entries_lock=_entries_lock(settings, LOCK_WAIT_S),
            batch_chunks=settings.index.batch_chunks,
            refresh_files=settings.index.refresh_files,
            patience_s=settings.embedding.query_timeout_s,
            reranking=_reranking(settings.rerank),
        )
    )


def _embedder(settings: EmbeddingSettings) -> Embedder | None:
    if settings.provider == "none":
        return None
    given: dict[str, Any] = settings.model_dump(exclude={"provider"}, exclude_none=True)
    if settings.api_key is not None:
        given["api_key"] = settings.api_key.get_secret_value()
    try:
        embedder: Embedder = load("tercet.embedders", settings.provider)(given)
    except PermanentError as fault:
        # Trigger: a wrong model, key or provider. Why: words need none of them. Outcome: answers by
        # words alone that say what to mend, as status and doctor do.
        return UnusableEmbedder(_in_words(settings), fault)
    return embedder


def _reranking(settings: RerankSettings) -> Reranking | None:
    if settings.provider == "none":
        return None
    ours = {"provider", "depth", "weight", "timeout_s"}
    given: dict[str, Any] = settings.model_dump(exclude=ours, exclude_none=True)
    if settings.api_key is not None:
        given["api_key"] = settings.api_key.get_secret_value()
    fault: str | None = None
    try:
        reranker: Reranker = load("tercet.rerankers", settings.provider)(given)
    except PermanentError as error:
        reranker, fault = UnusableReranker(_in_words(settings), error), str(error)
    return Reranking(reranker, settings.depth, settings.weight, settings.timeout_s, fault)


def _in_words(settings: EmbeddingSettings | RerankSettings) -> str:
    return " ".join(each for each in (settings.provider, settings.model) if each)


def _engine(url: str) -> Engine:
    create = load("tercet.engines", "lancedb")
    engine: Engine = create(url)
    return engine


def _check_home(home: Path, *, fix: bool) -> list[Finding]:
    found = open_to_others(home)
    if not found:
        return [Finding("home", "ok", f"{home}, readable by you alone")]
    named = ", ".join(f"{path} (mode {mode:o})" for path, mode in found)
    if fix:
        close_to_others(found)
        return [Finding("home", "fixed", f"open to others were {named}; they are yours alone now")]
    return [Finding("home", "warning", f"open to others: {named}", "Run 'tercet doctor --fix', or chmod go-rwx.")]


def _check_cache(home: Path, *, fix: bool) -> list[Finding]:
    damaged = set_aside_path(home / EMBEDDINGS.file_name)
    if not damaged.exists():
        return []
    detail = f"it was damaged, and is set aside as {damaged.name}; its vectors are made again as they are needed"
    if fix:
        damaged.unlink(missing_ok=True)
        return [Finding("embedding cache", "fixed", f"{detail}; deleted now")]
    mend = "Run 'tercet doctor --fix', or delete that file: it holds nothing else."
    return [Finding("embedding cache", "warning", detail, mend)]
