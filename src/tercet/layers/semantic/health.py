"""What is indexed, what is wrong with it, and whether a write can be read back."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from tercet.errors import TercetError
from tercet.filters import Filter
from tercet.identity import owner_reach
from tercet.layers.semantic.magnets import junk_magnets
from tercet.layers.semantic.recorded import recorded_count
from tercet.layers.semantic.refs import format_ref
from tercet.layers.semantic.vectors import Vectoriser
from tercet.model import BackendStatus, Finding, FolderStatus, Passage, Reach, Row, Scope
from tercet.text.counted import counted
from tercet.text.terms import terms

if TYPE_CHECKING:
    from tercet.layers.semantic.engine_access import EngineAccess
    from tercet.layers.semantic.reranking import Reranking
    from tercet.model import Leg
    from tercet.ports import Embedder, Ledger

DOCTOR_ANCHOR = "tercet:doctor"
"""An anchor of its own, so that the doctor's passage is never in anybody's reach."""
LOGGED_QUERIES = 1000
REEMBED = "Run 'tercet reembed', or set the old model again."
"""The mend where the vectors are of another model than the settings name."""
MOST_PENDING = 10_000
_PROBE_TEXT = "Tercet doctor writes this passage, looks for it and takes it out again."


class Health:
    """Looks at the layer without changing it."""

    def __init__(
        self,
        agent: str,
        ledger: Ledger,
        access: EngineAccess,
        embedder: Embedder | None,
        reranking: Reranking | None = None,
    ) -> None:
        """Hold the parts."""
        self._reranking = reranking
        self._agent = agent
        self._ledger = ledger
        self._access = access
        self._embedder = embedder

    @property
    def spaces_differ(self) -> bool:
        """Whether the store, once opened, turned out to hold vectors of another model."""
        return self._access.mismatch is not None

    async def status(self) -> BackendStatus:
        """Return health and size; opens the engine."""
        notes: list[str] = []
        rows = size = 0
        healthy = True
        try:
            stats = await (await self._access.ready()).stats()
            # One store serves all agents of the home; of its rows only those of this agent are told.
            rows, size = min(stats.rows, await self._own_passages()), stats.bytes_on_disk
        except TercetError as error:
            notes.append(str(error))
            healthy = False
        notes.extend(note for note in (self._access.mismatch, self._access.embedder_failure) if note)
        if self._reranking is not None and self._reranking.fault:
            notes.append(f"{self._reranking.fault} Until then the fused order stands.")
        waiting = sum(folder.waiting for folder in await self.folder_statuses())
        if waiting and self._embedder is not None:
            how = "by 'tercet reembed'" if self.spaces_differ else "by themselves"
            notes.append(
                f"{counted(waiting, 'passage', 'wait')} for a vector; till then found by words, and filled in {how}."
            )
        return BackendStatus("semantic", healthy, rows, size, tuple(notes))

    async def _own_passages(self) -> int:
        anchors = await self._ledger.journal.anchors(self._agent)
        reach = Reach(self._agent, tuple(dict.fromkeys((*owner_reach(self._agent).anchors, *anchors))))
        return (await self._ledger.terms.statistics(reach, ())).documents

    async def folder_statuses(self) -> list[FolderStatus]:
        """Return the indexed folders of the agent, by label."""
        manifest = self._ledger.manifest
        return [
            FolderStatus(root.label, root.directory, *(await manifest.counts(root.label)))
            for root in await manifest.roots(self._agent)
        ]

    async def check_folders(self) -> list[Finding]:
        """Say for each folder whether it is there and fully indexed."""
        findings: list[Finding] = []
        for folder in await self.folder_statuses():
            check = f"folder {folder.label}"
            unfinished = await self._ledger.manifest.unfinished(folder.label)
            if not await asyncio.to_thread(Path(folder.directory).is_dir):
                mend = f"Bring it back, or run 'tercet index --remove {folder.directory}'."
                findings.append(Finding(check, "problem", f"{folder.directory} is not there", mend))
            elif unfinished:
                detail = f"the last run was cut short at {counted(len(unfinished), 'file')}"
                findings.append(Finding(check, "warning", detail, "Run 'tercet index'."))
            elif folder.waiting and self._embedder is not None:
                detail = f"{folder.waiting} of {folder.chunks} chunks wait for a vector"
                mend = "Run 'tercet index' when the embedder works."
                findings.append(Finding(check, "warning", detail, REEMBED if self.spaces_differ else mend))
            else:
                findings.append(
                    Finding(check, "ok", f"{counted(folder.files, 'file')}, {counted(folder.chunks, 'chunk')}")
                )
        return findings or [Finding("folders", "warning", "nothing is indexed yet", "Run 'tercet index DIR'.")]

    def check_reranker(self) -> list[Finding]:
        """Say whether the reranker of the settings can be asked; nothing when none is set."""
        if self._reranking is None:
            return []
        if self._reranking.fault:
            return [Finding("reranker", "problem", self._reranking.fault, "Change the setting the message names.")]
        return [Finding("reranker", "ok", f"{self._reranking.reranker.identity}, as set")]

    async def check_magnets(self) -> list[Finding]:
        """Name passages that stand in the top ten of many unrelated logged queries."""
        magnets = junk_magnets(await self._ledger.logged_queries(LOGGED_QUERIES))
        if not magnets:
            return [Finding("junk magnets", "ok", "no passage stands in the first ten of many unrelated queries")]
        engine = await self._access.ready()
        rows = {row.passage.id: row.passage for row in await engine.get([magnet.id for magnet in magnets])}
        mend = "Shorten or split it, or leave its file out with .tercetignore."
        return [
            Finding(
                "junk magnets",
                "warning",
                f"{_where(rows[magnet.id])} is in the first ten of {magnet.queries} of {magnet.of} unrelated queries",
                mend,
            )
            for magnet in magnets
            if magnet.id in rows
        ]

    async def row_counts(self) -> tuple[int, int]:
        """Return (rows in the engine, passages the ledger has recorded)."""
        recorded = await recorded_count(self._ledger)
        if not await self._access.has_store():
            return 0, recorded
        engine = await self._access.ready(even_if_empty=True)
        # Entries that wait for their vector, or for being taken out, may be there already.
        live, gone = await self._ledger.journal.pending(MOST_PENDING)
        under_way = len(await engine.get([*(entry.id for entry in live), *gone]))
        return (await engine.stats()).rows, recorded + under_way

    async def round_trip(self) -> set[Leg]:
        """Write one passage, look for it, take it out; return the legs that found it."""
        engine = await self._access.ready()
        passage = Passage("tercet-doctor", "entry", Scope(self._agent, DOCTOR_ANCHOR), _PROBE_TEXT)
        row = Row(passage, tuple(terms(_PROBE_TEXT)))
        if self._embedder is not None and self._access.space is not None:
            row = (await Vectoriser(self._embedder, self._ledger.cache).vectorise([row])).rows[0]
        where = Filter(Reach(self._agent, (DOCTOR_ANCHOR,)))
        found: set[Leg] = set()
        await engine.upsert([row])
        try:
            if await engine.text_topk(["doctor"], 1, where):
                found.add("keyword")
            if row.vector is not None and await engine.vector_topk(row.vector, 1, where):
                found.add("vector")
        finally:
            await engine.delete([passage.id])
        return found


def _where(passage: Passage) -> str:
    if not passage.path:
        return passage.id
    return format_ref(passage.root, passage.path, passage.start_line, passage.end_line)
