"""The semantic layer behind the common interface, with its upkeep."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tercet.capture.entry_sync import sync_entries
from tercet.errors import (
    EngineRefusedError,
    EngineUnavailableError,
    InvalidInputError,
    LedgerBusyError,
    NotFoundError,
    PermanentError,
    TransientError,
)
from tercet.identity import owner_reach
from tercet.layers.semantic.folders import absolute_directory, checked_directory, named_folders, parts_of, plan_folder
from tercet.layers.semantic.health import Health
from tercet.layers.semantic.indexing import Indexer, IndexParts, IndexReport
from tercet.layers.semantic.ingestion import IngestParts, ingest
from tercet.layers.semantic.lent_roots import LentFolders, is_lent, lent_ref, settle_lent_roots
from tercet.layers.semantic.reading import Reader
from tercet.layers.semantic.reembedding import ReembedReport, reembed
from tercet.layers.semantic.retrieval import RetrievalParts, Retriever
from tercet.layers.semantic.standing import Standing, standings
from tercet.layers.semantic.turns import WritingTurns
from tercet.layers.semantic.upkeep import MAINTENANCE_BUDGET_S, Upkeep
from tercet.layers.semantic.vectors import Vectoriser
from tercet.model import BackendStatus, Probe, Scope, SearchResult
from tercet.text.redaction import redact

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Sequence

    from tercet.layers.semantic.engine_access import EngineAccess
    from tercet.layers.semantic.indexing import Progress
    from tercet.layers.semantic.lent_roots import LentRoots
    from tercet.layers.semantic.reranking import Reranking
    from tercet.layers.semantic.resting_embedder import RestingEmbedder
    from tercet.model import FileText, Passage, Reach, Row, SearchOptions, Space
    from tercet.ports import Clock, Embedder, Engine, FileStore, Ledger, RootRecord, WriterLock

NOTHING_INDEXED = "Nothing is indexed yet: run 'tercet index DIR'."
REFRESH_SHARE = 0.25
"""Share of the deadline that a search may spend on changed files; the rest is taken in behind it."""
WAITING_FILLED_BY_SEARCH = 64
"""A search gives at most this many waiting passages their vector before it answers."""


@dataclass(frozen=True, slots=True)
class SemanticParts:
    """What the layer is made of."""

    agent: str
    files: FileStore
    ledger: Ledger
    engine: Engine
    access: EngineAccess
    embedder: RestingEmbedder | None
    lock: WriterLock
    clock: Clock
    entries_lock: WriterLock | None = None
    """Held by whoever tells the engine of entries; None where nobody else does."""
    batch_chunks: int = 256
    refresh_files: int = 500
    patience_s: float = 8.0
    """How long one search waits for vectors of what changed."""
    reranking: Reranking | None = None
    lent_roots: LentRoots = LentFolders
    """Folders of other layers that are indexed here too; none by default."""


class SemanticLayer:
    """Chunks of Markdown files (and later entries), found by meaning and by words."""

    def __init__(self, parts: SemanticParts) -> None:
        """Hold the parts; nothing is opened yet."""
        self._parts = parts
        self._indexer = self._indexer_with(parts.embedder)
        self._retriever = Retriever(
            RetrievalParts(parts.files, parts.ledger, parts.access, parts.embedder, parts.clock, parts.reranking)
        )
        self.health = Health(parts.agent, parts.ledger, parts.access, parts.embedder, parts.reranking)
        self._upkeep = Upkeep(parts.ledger, parts.access)
        self._reader = Reader(parts.files, parts.ledger, parts.access)
        self._turns = WritingTurns(parts.lock)
        self._refreshing: asyncio.Task[str | None] | None = None

    async def search(self, query: str, options: SearchOptions) -> SearchResult:
        """Take in changed files, then return the hits, best first.

        Raises:
            InvalidInputError: the query is blank.
        """
        if not query.strip():
            msg = "The query is blank: give at least one word."
            raise InvalidInputError(msg)
        reach = options.reach or owner_reach(self._parts.agent)
        if not await self._has_anything(reach.agent):
            # Nothing is opened or made for it: a store of a ledger that was lost is nobody's.
            return SearchResult([], degraded=NOTHING_INDEXED)
        stale = await self._refresh_within(REFRESH_SHARE * options.deadline_s if options.deadline_s else None)
        result = await self._retriever.search(query, options, reach)
        # Only the log that finds junk magnets is lost when the ledger is busy; the answer is not.
        with suppress(LedgerBusyError):
            await self._parts.ledger.log_query(
                redact(query).text,
                [hit.passage.id for hit in result],
                self._parts.clock.now(),
                best=result[0].score if result else 0.0,
                reach=reach,
            )
        notes = [note for note in (result.degraded, stale) if note]
        return SearchResult(list(result), degraded=" ".join(notes) or None, took_ms=result.took_ms)

    async def _settle_lent(self, indexer: Indexer) -> None:
        parts = self._parts
        await settle_lent_roots(parts.lent_roots, parts.ledger.manifest, parts.agent, indexer)

    async def _has_anything(self, agent: str) -> bool:
        ledger = self._parts.ledger
        if await ledger.manifest.roots(agent) or await ledger.journal.anchors(agent):
            return True
        lent = await asyncio.to_thread(self._parts.lent_roots)
        return bool(lent.roots or (await ledger.inbox.status(agent)).waiting)

    async def _refresh_within(self, seconds: float | None) -> str | None:
        """Take in changed files; what is late goes on behind the answer, which says so."""
        task = self._refreshing
        if task is None or task.done():
            task = self._refreshing = asyncio.create_task(self.refresh())
            # A failure behind an answer is met again, and said, by the next search.
            task.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
        done, _ = await asyncio.wait({task}, timeout=seconds)
        return task.result() if done else "Changed files are still being taken in."

    async def why(self, ref: str, query: str, options: SearchOptions) -> tuple[list[Standing], str | None]:
        """Return where the passages that a ref points at stand for a query, and what was degraded.

        Raises:
            NotFoundError: the ref points at nothing that is indexed (the message says so).
        """
        await self.refresh()
        reach = options.reach or owner_reach(self._parts.agent)
        passages = await self._reader.passages(lent_ref(ref, reach.agent), reach)
        found = await self._retriever.retrieve(query, options, reach)
        return standings(passages, found), found.degraded

    async def read_file(
        self, ref: str, start: int | None = None, lines: int | None = None, *, reach: Reach | None = None
    ) -> FileText:
        """Take in changed files, then return lines of what a ref points at."""
        await self.refresh()
        return await self._reader.read(ref, start, lines, reach or owner_reach(self._parts.agent))

    async def refresh(self) -> str | None:
        """Bring changed files into the index before an answer, as far as the bound goes.

        Returns:
            Why the answer may be stale; None when it is not.
        """
        if not self._parts.refresh_files or not await self._turns.try_begin():
            # Another process indexes right now; what it has committed is seen by this search.
            return None
        try:
            if await self._upkeep.must_heal():
                return None  # a store of the changed files alone would look whole; the search says what is missing
            indexer = self._impatient_indexer()
            await self._settle_lent(indexer)
            notes: list[str] = []
            for root in await self._parts.ledger.manifest.roots(self._parts.agent):
                try:
                    report = await indexer.run(root, at_most_files=self._parts.refresh_files)
                except NotFoundError as error:
                    # Of notes their own layer speaks; a folder of them names whose they are.
                    notes += [] if is_lent(root) else [str(error)]
                    continue
                if report.degraded:
                    notes.append(report.degraded)
            await indexer.fill_waiting(at_most=WAITING_FILLED_BY_SEARCH)
        except (EngineUnavailableError, LedgerBusyError):
            return None  # the search itself meets the same trouble and reports it
        else:
            return " ".join(dict.fromkeys(notes)) or None
        finally:
            self._turns.end()

    async def index(
        self,
        directories: Sequence[str],
        *,
        full: bool = False,
        rebuild: bool = False,
        progress: Progress | None = None,
        on_wait: Callable[[str], None] | None = None,
    ) -> IndexReport:
        """Index folders; without any, bring every indexed folder up to date.

        Raises:
            InvalidInputError: a path is no folder (permanent).
            EngineUnavailableError, LedgerBusyError: transient.
        """
        paths = [await asyncio.to_thread(checked_directory, directory) for directory in directories]
        async with self._turns.writing(on_wait), self._telling():
            healing, forgotten = await self._upkeep.must_heal(), await self._upkeep.is_forgotten()
            if rebuild or healing:
                await self._upkeep.begin_rebuild()
            await self._settle_lent(self._indexer)
            wanted = await self._wanted_roots(paths, everything=rebuild or healing)
            if forgotten:
                await self._upkeep.mark([root.label for root in wanted])
            total = await self._run_all(wanted, full=full, progress=progress)
            total.notes.extend(parts_of(paths, wanted))
            await self._tell_entries(even_if_empty=True)
            if total.changed or total.removed or total.embedded or total.swept:
                await self._upkeep.after_writing()
            return total

    async def _run_all(self, wanted: Sequence[RootRecord], *, full: bool, progress: Progress | None) -> IndexReport:
        manifest = self._parts.ledger.manifest
        pending = await self._upkeep.pending()
        # A rebuild that was killed is completed by whatever run comes next.
        left = [root for root in await manifest.roots(None) if root.label in pending and root not in wanted]
        roots = [*wanted, *left]
        total = IndexReport()
        done: list[RootRecord] = []
        for root in roots:
            try:
                total.merge(await self._indexer.run(root, full=full or root.label in pending, progress=progress))
                done.append(root)
            except NotFoundError as error:
                total.degraded = total.degraded or f"{error} What is indexed of it is kept."
        total.swept = await self._upkeep.sweep(done)
        embedded, degraded = await self._indexer.fill_waiting()
        total.embedded += embedded
        total.degraded = total.degraded or degraded
        if embedded:
            total.waiting = sum([(await manifest.counts(root.label))[2] for root in roots])
        return total

    async def remove_folders(self, directories: Sequence[str]) -> IndexReport:
        """Take folders out of the index; their files stay.

        Raises:
            NotFoundError: a folder is not indexed.
            InvalidInputError: it holds the notes of the vault (permanent).
        """
        paths = [await asyncio.to_thread(absolute_directory, directory) for directory in directories]
        async with self._turns.writing(None):
            report = IndexReport()
            await self._settle_lent(self._indexer)
            for root in named_folders(paths, await self._parts.ledger.manifest.roots(self._parts.agent)):
                report.removed += await self._indexer.remove(root)
            return report

    async def reembed(self, progress: Progress | None = None) -> ReembedReport:
        """Move every vector to the embedder of the settings."""
        async with self._turns.writing(None), self._telling():
            parts = self._parts
            report = await reembed(
                parts.access, parts.embedder, parts.ledger, batch=parts.batch_chunks, progress=progress
            )
            await self._upkeep.after_writing()
            return report

    async def ingest(self, scope: Scope, passages: Sequence[Passage], progress: Progress | None = None) -> None:
        """Index passages that come from no file, as the whole of one scope; for evaluations.

        Raises:
            EmbedderUnavailableError: vectors cannot be made; nothing is committed (transient).
        """
        parts = self._parts
        async with self._turns.writing(None):
            made = IngestParts(parts.ledger, parts.access, parts.embedder, parts.batch_chunks)
            await ingest(made, scope, passages, progress)

    async def tell_entries(self) -> int:
        """Bring the engine to what the journal says; the caller holds the lock of entries.

        Raises:
            EngineUnavailableError: nothing is lost, call it again (transient).
        """
        return await self._tell_entries(even_if_empty=False)

    async def _tell_entries(self, *, even_if_empty: bool) -> int:
        journal = self._parts.ledger.journal
        if not any(await journal.pending(1)):
            return 0  # neither engine nor model is opened for it
        engine = await self._parts.access.ready(even_if_empty=even_if_empty)
        return await sync_entries(journal, engine, self.embed_rows)

    async def engine(self) -> Engine:
        """Return the open engine.

        Raises:
            EngineUnavailableError: it cannot be opened, or its rows are gone (transient).
        """
        return await self._parts.access.ready()

    @property
    def space(self) -> Space | None:
        """The space of the open engine's vectors; None while it serves words alone."""
        return self._parts.access.space

    async def embed_rows(self, rows: Sequence[Row]) -> Sequence[Row] | None:
        """Return rows with their vectors; None while the embedder is down or wrong."""
        embedder, access = self._parts.embedder, self._parts.access
        if embedder is None:
            return rows
        try:
            if access.space is None:
                await access.ready(even_if_empty=True)
            if access.space is None:
                return None
        except EngineUnavailableError:
            # The journal is written all the same, and the vectors tell what is told twice.
            pass
        done = await Vectoriser(embedder, self._parts.ledger.cache).vectorise(rows)
        return None if done.degraded else done.rows

    async def tidy(self) -> None:
        """Let the engine drop what was deleted, bytes too, as far as it can now."""
        with suppress(TransientError):
            await (await self._parts.access.ready()).maintain(MAINTENANCE_BUDGET_S)

    async def roots(self) -> list[RootRecord]:
        """Return the indexed folders."""
        return await self._parts.ledger.manifest.roots(self._parts.agent)

    async def status(self) -> BackendStatus:
        """Return health and size; opens the engine."""
        return await self.health.status()

    async def probe_embedding_availability(self) -> Probe:
        """Say whether search by meaning works now."""
        if self._parts.embedder is None:
            return Probe(ok=False, reason="no embedder is set (embedding.provider = none)", permanent=True)
        return await self._parts.embedder.probe()

    async def probe_vector_availability(self) -> Probe:
        """Say whether the vector store works now."""
        try:
            engine = await self._parts.access.ready()
        except (EngineRefusedError, PermanentError) as error:
            return Probe(ok=False, reason=str(error), permanent=True)
        except TransientError as error:
            return Probe(ok=False, reason=str(error))
        if self._parts.access.mismatch:
            return Probe(ok=False, reason=self._parts.access.mismatch, permanent=True)
        return await engine.probe()

    async def close(self) -> None:
        """Let go of engine, embedder and reranker."""
        if self._refreshing is not None:
            await asyncio.wait({self._refreshing})
        await self._parts.access.close()
        if self._parts.embedder is not None:
            await self._parts.embedder.close()
        if self._parts.reranking is not None:
            await self._parts.reranking.reranker.close()

    def _indexer_with(self, embedder: Embedder | None) -> Indexer:
        parts = self._parts
        return Indexer(IndexParts(parts.files, parts.ledger, parts.access, embedder, parts.clock, parts.batch_chunks))

    def _impatient_indexer(self) -> Indexer:
        embedder = self._parts.embedder
        if embedder is None:
            return self._indexer
        return self._indexer_with(embedder.until(asyncio.get_running_loop().time() + self._parts.patience_s))

    @asynccontextmanager
    async def _telling(self) -> AsyncGenerator[None]:
        lock = self._parts.entries_lock
        if lock is not None:
            await lock.acquire()
        try:
            yield
        finally:
            if lock is not None:
                lock.release()

    async def _wanted_roots(self, paths: Sequence[str], *, everything: bool) -> list[RootRecord]:
        manifest = self._parts.ledger.manifest
        wanted: dict[str, RootRecord] = {}
        for path in paths:
            scope = Scope(self._parts.agent)
            root, inside = plan_folder(path, await manifest.roots(None), scope)
            for smaller in inside:
                await self._indexer.remove(smaller)
            await manifest.add_root(root)
            wanted[root.label] = root
        if everything:
            # The engine is shared by all agents of the home, so all of them are rebuilt.
            return await manifest.roots(None)
        return list(wanted.values()) if paths else await manifest.roots(self._parts.agent)
