"""An OpenClaw's memories taken over: its workspace indexed, its old table and orphaned chunks made entries."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tercet.adapters.importing.lancedb_rows import read_rows
from tercet.app.import_targets import counting_target, writing_target
from tercet.identity import checked_agent
from tercet.importing.enhanced_memory import OldChunk, orphan_facts, read_chunks
from tercet.importing.entry_import import ImportReport, left_out
from tercet.importing.memory_lancedb import COLUMNS, SOURCE, TABLE, facts_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tercet.app.import_targets import ImportTarget
    from tercet.app.openclaw_sources import OpenClawSources
    from tercet.config import LoadedSettings
    from tercet.importing.memory_lancedb import OldMemories

WORKSPACE = "workspace"
VECTORS = "vectors.json"
GONE = "the file is gone: --keep-orphans keeps the text"
NOT_INDEXED = "the file is in no indexed folder"


@dataclass(frozen=True, slots=True)
class SourceReport:
    """What one source gave."""

    kind: str
    """``workspace`` (counted in files), ``memory-lancedb`` (in rows) or ``vectors.json`` (in chunks)."""
    place: str
    counts: ImportReport


@dataclass(frozen=True, slots=True)
class OpenClawReport:
    """What all sources gave, in the order they were taken."""

    sources: tuple[SourceReport, ...]
    degraded: str | None = None
    """Why vectors wait; None when none does."""


async def import_openclaw(
    loaded: LoadedSettings,
    sources: OpenClawSources,
    *,
    session_key: str | None = None,
    keep_orphans: bool = False,
    dry_run: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> OpenClawReport:
    """Take over what is there; again adds only what is new since.

    Args:
        loaded: Settings of the home and the agent that the memories go to.
        sources: What to take; nothing of it is written.
        session_key: Whose the entries become; None is the agent's owner.
        keep_orphans: Keep the text of indexed chunks whose file is gone.
        dry_run: Only count; not even a home is made.
        progress: Called with (files done, files to do) while the workspace is indexed.

    Raises:
        NotFoundError, InvalidInputError: a source cannot be read, or holds something else (permanent).
        IdentityError: agent or session key is malformed (permanent).
    """
    agent = checked_agent(loaded.settings.agent)
    # Both are read before anything is written: a source that cannot be taken leaves nothing half done.
    memories = await asyncio.to_thread(_read_table, sources.table, agent) if sources.table else None
    chunks = await asyncio.to_thread(_read_vectors, sources.vectors) if sources.vectors else None
    opened = counting_target(loaded, session_key) if dry_run else writing_target(loaded, session_key, progress)
    reports: list[SourceReport] = []
    async with opened as target:
        if sources.workspace is not None:
            reports.append(SourceReport(WORKSPACE, str(sources.workspace), await target.index(sources.workspace)))
        if memories is not None:
            counts = (await target.take(memories.facts)).plus(left_out(memories.skipped))
            reports.append(SourceReport(SOURCE, str(sources.table), counts))
        if sources.vectors is not None and chunks is not None:
            counts = await _take_chunks(target, sources.vectors, chunks, keep_orphans=keep_orphans)
            reports.append(SourceReport(VECTORS, str(sources.vectors), counts))
    return OpenClawReport(tuple(reports), target.degraded)


def _read_table(place: str, agent: str) -> OldMemories:
    return facts_of(read_rows(place, TABLE, COLUMNS), agent)


def _read_vectors(file: Path) -> list[OldChunk]:
    return read_chunks(file.read_text("utf-8-sig", errors="replace"), str(file))


async def _take_chunks(
    target: ImportTarget, file: Path, chunks: Sequence[OldChunk], *, keep_orphans: bool
) -> ImportReport:
    """Count chunks by where their file is; with ``keep_orphans`` take the text of those whose file is gone."""
    folders = await target.folders()
    reasons = await asyncio.to_thread(_reasons, file, {chunk.path for chunk in chunks}, folders)
    there = sum(reasons[chunk.path] is None for chunk in chunks)
    orphans = [chunk for chunk in chunks if reasons[chunk.path] == GONE]
    skipped = Counter(reason for chunk in chunks if (reason := reasons[chunk.path]) is not None)
    report = ImportReport(found=there, already_there=there)
    if keep_orphans and orphans:
        del skipped[GONE]
        report = report.plus(await target.take(orphan_facts(orphans)))
    return report.plus(left_out(skipped.most_common()))


def _reasons(file: Path, paths: set[str], folders: Sequence[str]) -> dict[str, str | None]:
    """Say for each path of a ``vectors.json`` why it is not indexed; None where it is; blocking."""
    own = file.parent.parent if file.parent.name == "memory" else file.parent
    indexed = [Path(folder).resolve() for folder in folders]

    def reason(path: str) -> str | None:
        places = [(root / path).resolve() for root in (own, *indexed)]
        there = [place for place in places if place.is_file()]
        if not there:
            return GONE
        is_indexed = any(place.is_relative_to(root) for place in there for root in indexed)
        return None if is_indexed else NOT_INDEXED

    return {path: reason(path) for path in paths}
