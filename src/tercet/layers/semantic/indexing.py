"""One index run over one folder: read and chunk, embed, write; the three overlap.

A batch of files is first announced in the ledger, then written to the engine, then committed in
the ledger together with the term statistics. A run killed in between leaves announced files
behind, and the next run does these again.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tercet.errors import NotFoundError
from tercet.filters import Eq, Filter, In
from tercet.layers.semantic.chunking import rows_of_file
from tercet.layers.semantic.lent_roots import own_listing
from tercet.layers.semantic.planning import plan_index
from tercet.layers.semantic.renames import former_paths, with_former_vectors
from tercet.layers.semantic.vectors import Vectoriser
from tercet.model import Reach
from tercet.ports import FileRecord, PassageRecord, SkippedFile

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from tercet.layers.semantic.engine_access import EngineAccess
    from tercet.layers.semantic.planning import IndexPlan
    from tercet.model import Row
    from tercet.ports import Clock, Embedder, Engine, FileContent, FileStore, Ledger, RootRecord

    Progress = Callable[[int, int], None]
    """Called with (files done, files to do)."""

QUEUED_BATCHES = 2
"""Batches that may wait between two stages: enough to overlap, and memory stays flat."""


@dataclass(slots=True)
class IndexReport:
    """What a run did; several runs add up with ``merge``."""

    files: int = 0
    """Files of the folder that are indexed now."""
    chunks: int = 0
    embedded: int = 0
    """Texts sent to the embedder."""
    changed: int = 0
    removed: int = 0
    swept: int = 0
    """Rows without a file that a rebuild deleted."""
    skipped: list[SkippedFile] = field(default_factory=list[SkippedFile])
    warnings: list[SkippedFile] = field(default_factory=list[SkippedFile])
    """Files that are indexed, with a caveat."""
    waiting: int = 0
    """Passages that wait for a vector."""
    notes: list[str] = field(default_factory=list[str])
    """What is worth knowing and no trouble."""
    degraded: str | None = None

    def merge(self, other: IndexReport) -> None:
        """Add the figures of another folder's run."""
        self.files += other.files
        self.chunks += other.chunks
        self.embedded += other.embedded
        self.changed += other.changed
        self.removed += other.removed
        self.waiting += other.waiting
        self.skipped.extend(other.skipped)
        self.warnings.extend(other.warnings)
        self.notes.extend(other.notes)
        self.degraded = self.degraded or other.degraded


@dataclass(slots=True)
class _ReadFile:
    record: FileRecord
    rows: list[Row]
    former: str | None = None
    """The path these bytes had before a rename."""


@dataclass(slots=True)
class _Batch:
    files: list[_ReadFile] = field(default_factory=list[_ReadFile])
    chunks: int = 0

    @property
    def rows(self) -> list[Row]:
        return [row for file in self.files for row in file.rows]


@dataclass(frozen=True, slots=True)
class IndexParts:
    """What an index run works with."""

    files: FileStore
    ledger: Ledger
    access: EngineAccess
    """Opened only when something is to be written."""
    embedder: Embedder | None
    """None when the settings want words alone."""
    clock: Clock
    batch_chunks: int = 256
    """Chunks that are embedded and written together."""


class Indexer:
    """Brings the index of folders up to date."""

    def __init__(self, parts: IndexParts) -> None:
        """Hold the parts; nothing is opened yet."""
        self._parts = parts

    async def run(
        self,
        root: RootRecord,
        *,
        full: bool = False,
        at_most_files: int | None = None,
        progress: Progress | None = None,
    ) -> IndexReport:
        """Index one folder.

        Args:
            root: The folder; it must already be known to the ledger.
            full: Read every file even if its size and time are unchanged.
            at_most_files: Take in no more changed files than this (for the refresh before a search);
                the report's ``degraded`` then says how many were left.
            progress: Called as files are finished.

        Raises:
            NotFoundError: the folder is not there; what is indexed of it is kept.
            EngineUnavailableError, LedgerBusyError: transient.
        """
        listing = own_listing(root, await self._parts.files.list(root.directory))
        known = await self._parts.ledger.manifest.files(root.label)
        unfinished = frozenset(await self._parts.ledger.manifest.unfinished(root.label))
        plan = plan_index(listing, known, unfinished, full=full)
        left_out = 0
        if at_most_files is not None:
            plan, left_out = plan.cut(at_most_files)
        run = _Run(self._parts, root, plan, known, unfinished, full=full, progress=progress)
        report = await run.execute()
        report.skipped.extend(listing.skipped)
        report.warnings = [
            SkippedFile(record.path, record.warning)
            for record in (await self._parts.ledger.manifest.files(root.label)).values()
            if record.warning
        ]
        report.files, report.chunks, report.waiting = await self._parts.ledger.manifest.counts(root.label)
        if left_out:
            files_are = "file is" if left_out == 1 else "files are"
            report.degraded = f"{left_out} changed {files_are} not indexed yet: run 'tercet index'."
        return report

    async def remove(self, root: RootRecord) -> int:
        """Take a folder out of the index; its files stay. Returns how many files it had."""
        manifest = self._parts.ledger.manifest
        paths = sorted({*(await manifest.files(root.label)), *(await manifest.unfinished(root.label))})
        if paths:
            scope = root.scope
            await manifest.announce(root.label, paths)
            engine = await self._parts.access.ready(even_if_empty=True)
            await engine.delete(Filter(Reach(scope.agent, (scope.anchor,)), (Eq("root", root.label),)))
            await manifest.commit_files(scope, {}, paths, root.label)
        await manifest.remove_root(root.label)
        return len(paths)

    async def fill_waiting(self, *, at_most: int | None = None) -> tuple[int, str | None]:
        """Give passages that wait for a vector theirs, oldest first.

        Returns:
            How many texts were embedded, and why it stopped early (None when it did not).
        """
        if self._parts.embedder is None or not await self._parts.ledger.manifest.waiting(1):
            return 0, None
        engine = await self._parts.access.ready()
        if self._parts.access.space is None:
            return 0, self._parts.access.mismatch or self._parts.access.embedder_failure
        vectoriser = Vectoriser(self._parts.embedder, self._parts.ledger.cache)
        embedded = filled = 0
        while at_most is None or filled < at_most:
            size = self._parts.batch_chunks if at_most is None else min(self._parts.batch_chunks, at_most - filled)
            ids = await self._parts.ledger.manifest.waiting(size)
            if not ids:
                break
            done = await vectoriser.vectorise(await engine.get(ids))
            if done.degraded:
                return embedded, done.degraded
            await engine.upsert(done.rows)
            await self._parts.ledger.manifest.mark_embedded(ids)
            embedded += done.embedded
            filled += len(ids)
        return embedded, None


class _Run:
    """The state of one run; the stages hand batches on through bounded queues."""

    def __init__(
        self,
        parts: IndexParts,
        root: RootRecord,
        plan: IndexPlan,
        known: dict[str, FileRecord],
        unfinished: frozenset[str],
        *,
        full: bool,
        progress: Progress | None,
    ) -> None:
        self._parts = parts
        self._root = root
        self._plan = plan
        self._known = known
        self._unfinished = unfinished
        self._full = full
        self._progress = progress
        self._report = IndexReport()
        self._vectoriser = Vectoriser(parts.embedder, parts.ledger.cache) if parts.embedder else None
        self._touched: list[FileRecord] = []
        self._lost: list[str] = []
        self._former = former_paths(plan.gone, known)
        self._done = 0

    async def execute(self) -> IndexReport:
        to_embed: asyncio.Queue[_Batch | None] = asyncio.Queue(QUEUED_BATCHES)
        to_write: asyncio.Queue[_Batch | None] = asyncio.Queue(QUEUED_BATCHES)
        try:
            async with asyncio.TaskGroup() as stages:
                stages.create_task(self._read(to_embed))
                stages.create_task(self._embed(to_embed, to_write))
                stages.create_task(self._write(to_write))
        except ExceptionGroup as group:
            # The first failure is the cause; the other stages were cancelled because of it.
            raise group.exceptions[0] from group
        await self._remove([*self._plan.gone, *self._lost])
        if self._touched:
            await self._parts.ledger.manifest.touch_files(self._touched)
        return self._report

    async def _read(self, out: asyncio.Queue[_Batch | None]) -> None:
        batch = _Batch()
        for file in self._plan.to_read:
            read_at = self._parts.clock.now()
            try:
                content = await self._parts.files.read(self._root.directory, file.path)
            except NotFoundError as error:
                reason = str(error).removeprefix(f"{file.path}: ")  # the list names it already
                self._report.skipped.append(SkippedFile(file.path, reason))
                if file.path in self._known or file.path in self._unfinished:
                    self._lost.append(file.path)
                self._finished(1)
                continue
            record = self._record(file.path, content, read_at)
            if self._has_same_bytes(record):
                self._touched.append(record)
                self._finished(1)
                continue
            rows = await asyncio.to_thread(rows_of_file, self._root, file.path, content.text)
            batch.files.append(_ReadFile(record, rows, self._former.get(record.sha256)))
            batch.chunks += len(rows)
            if batch.chunks >= self._parts.batch_chunks:
                await out.put(batch)
                batch = _Batch()
        if batch.files:
            await out.put(batch)
        await out.put(None)

    async def _embed(self, source: asyncio.Queue[_Batch | None], out: asyncio.Queue[_Batch | None]) -> None:
        while (batch := await source.get()) is not None:
            await self._parts.access.ready(even_if_empty=True)
            if self._vectoriser is not None and self._parts.access.space is not None:
                await self._vectorise(batch)
            elif self._vectoriser is not None:
                self._report.degraded = self._parts.access.mismatch or self._parts.access.embedder_failure
            await out.put(batch)
        await out.put(None)

    async def _vectorise(self, batch: _Batch) -> None:
        assert self._vectoriser is not None  # noqa: S101 - narrowed by the caller
        await self._carry_vectors([file for file in batch.files if file.former is not None])
        done = await self._vectoriser.vectorise([row for row in batch.rows if row.vector is None])
        self._report.embedded += done.embedded
        self._report.degraded = self._report.degraded or done.degraded
        made = iter(done.rows)
        for file in batch.files:
            file.rows = [next(made) if row.vector is None else row for row in file.rows]

    async def _carry_vectors(self, renamed: Sequence[_ReadFile]) -> None:
        if not renamed:
            return
        engine = await self._parts.access.ready(even_if_empty=True)
        former = [file.former for file in renamed if file.former is not None]
        ids = await self._parts.ledger.manifest.passages(self._root.label, former)
        for file in renamed:
            file.rows = await with_former_vectors(file.rows, engine, ids.get(file.former or "", []))

    async def _write(self, source: asyncio.Queue[_Batch | None]) -> None:
        while (batch := await source.get()) is not None:
            engine = await self._parts.access.ready(even_if_empty=True)
            manifest = self._parts.ledger.manifest
            paths = [file.record.path for file in batch.files]
            rows = batch.rows
            former = await manifest.passages(self._root.label, paths)
            await manifest.announce(self._root.label, paths)
            await self._drop_leftovers(engine, [path for path in paths if path in self._unfinished])
            if rows:
                await engine.upsert(rows)
            stale = sorted({old for ids in former.values() for old in ids} - {row.passage.id for row in rows})
            if stale:
                await engine.delete(stale)
            written = {file.record.path: (file.record, self._passage_records(file.rows)) for file in batch.files}
            await manifest.commit_files(self._root.scope, written, (), self._root.label)
            self._report.changed += len(paths)
            self._finished(len(paths))

    def _passage_records(self, rows: Sequence[Row]) -> list[PassageRecord]:
        # With a working embedder a row without a vector has none to come (a text of unknown pieces).
        settled = self._vectoriser is not None and self._report.degraded is None
        return [PassageRecord(row.passage.id, row.terms, settled or row.vector is not None) for row in rows]

    async def _remove(self, paths: Sequence[str]) -> None:
        if not paths:
            return
        manifest = self._parts.ledger.manifest
        ids = [gone for ids in (await manifest.passages(self._root.label, paths)).values() for gone in ids]
        left = [path for path in paths if path in self._unfinished]
        await manifest.announce(self._root.label, paths)
        if ids or left:
            # Should this fail, they stay announced and the next run takes them out.
            engine = await self._parts.access.ready(even_if_empty=True)
            if ids:
                await engine.delete(ids)
            await self._drop_leftovers(engine, left)
        await manifest.commit_files(self._root.scope, {}, paths, self._root.label)
        self._report.removed += len(paths)

    async def _drop_leftovers(self, engine: Engine, paths: Sequence[str]) -> None:
        """Delete whatever a killed run may have written of these files, under ids nobody recorded."""
        if not paths:
            return
        scope = self._root.scope
        where = Filter(Reach(scope.agent, (scope.anchor,)), (Eq("root", self._root.label), In("path", tuple(paths))))
        await engine.delete(where)

    def _has_same_bytes(self, record: FileRecord) -> bool:
        known = self._known.get(record.path)
        unchanged = known is not None and known.sha256 == record.sha256
        return unchanged and not self._full and record.path not in self._unfinished

    def _record(self, path: str, content: FileContent, read_at: datetime) -> FileRecord:
        read_at_ns = int(read_at.timestamp() * 1e9)
        return FileRecord(
            self._root.label, path, content.size, content.mtime_ns, content.sha256, read_at_ns, content.warning
        )

    def _finished(self, files: int) -> None:
        self._done += files
        if self._progress is not None:
            self._progress(self._done, len(self._plan.to_read))
