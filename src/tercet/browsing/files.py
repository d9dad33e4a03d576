"""Indexed files as the index has them, and one as it lies on disk with the borders of its chunks."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from tercet.browsing.values import ChunkSpan, FileSummary, FileView
from tercet.errors import AmbiguousRefError, NotFoundError
from tercet.layers.semantic.chunking import rows_of_file
from tercet.layers.semantic.lent_roots import lent_ref, own_listing
from tercet.layers.semantic.refs import parse_file_ref
from tercet.ports import FileRecord
from tercet.ranking.federation import NOTES_ROOT, vault_path

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from tercet.model import Reach, Row
    from tercet.ports import FileStore, Manifest, PassageState, RootRecord


class FileBrowser:
    """Lists and shows the files of one manifest."""

    def __init__(self, manifest: Manifest, files: FileStore) -> None:
        """Hold the parts."""
        self._manifest = manifest
        self._files = files

    async def summaries(self, reach: Reach) -> list[FileSummary]:
        """Return every file in reach, by root and path."""
        found: list[FileSummary] = []
        for root in await self._roots(reach):
            counts = await self._manifest.file_counts(root.label)
            records = await self._manifest.files(root.label)
            found += [_summary(root, record, *counts.get(path, (0, 0))) for path, record in records.items()]
        return sorted(found, key=lambda file: (file.root, file.path))

    async def view(self, ref: str, reach: Reach) -> FileView:
        """Return a file as it lies on disk.

        Raises:
            NotFoundError, AmbiguousRefError, InvalidInputError: permanent.
        """
        root, record = await self._located(ref, reach)
        content = await self._files.read(root.directory, record.path)
        states = await self._manifest.passage_states(root.label, record.path)
        known = {state.id: state for state in states}
        rows = await asyncio.to_thread(rows_of_file, root, record.path, content.text)
        chunks = tuple(_span(row, known.get(row.passage.id)) for row in rows)
        summary = _summary(root, record, len(states), sum(not state.has_vector for state in states))
        return FileView(summary, content.text, content.sha256, content.sha256 != record.sha256, chunks)

    async def _roots(self, reach: Reach) -> list[RootRecord]:
        roots = await self._manifest.roots(reach.agent)
        return [root for root in roots if root.scope.anchor in reach.anchors]

    async def _located(self, ref: str, reach: Reach) -> tuple[RootRecord, FileRecord]:
        roots = await self._roots(reach)
        labels = {root.label for root in roots}
        target = parse_file_ref(ref if NOTES_ROOT in labels else lent_ref(ref, reach.agent), labels)
        meant = [root for root in roots if target.root in {None, root.label}]
        found = await self._among(meant, target.path, self._recorded)
        # While an index is rebuilt its files are not recorded, but they are where they were.
        found = found or await self._among(meant, target.path, self._listed)
        if len(found) > 1:
            choices = ", ".join(f"{root.label}:{record.path}" for root, record in found)
            msg = f"{target.path!r} is in several indexed folders: say which, {choices}."
            raise AmbiguousRefError(msg)
        if not found:
            msg = f"{ref!r} is no indexed file: take a ref from the list of files, or index its folder."
            raise NotFoundError(msg)
        return found[0]

    async def _among(
        self,
        roots: Sequence[RootRecord],
        path: str,
        record_of: Callable[[RootRecord, str], Awaitable[FileRecord | None]],
    ) -> list[tuple[RootRecord, FileRecord]]:
        held = [(root, await record_of(root, path)) for root in roots]
        return [(root, record) for root, record in held if record is not None]

    async def _recorded(self, root: RootRecord, path: str) -> FileRecord | None:
        return (await self._manifest.files(root.label)).get(path)

    async def _listed(self, root: RootRecord, path: str) -> FileRecord | None:
        """Return a file as the disk lists it, as one of which nothing is indexed."""
        try:
            listing = await self._files.list(root.directory)
        except NotFoundError:
            return None
        there = (file for file in own_listing(root, listing).files if file.path == path)
        return next((FileRecord(root.label, path, file.size, file.mtime_ns, "", 0) for file in there), None)


def _summary(root: RootRecord, record: FileRecord, chunks: int, waiting: int) -> FileSummary:
    in_vault = vault_path(root.label, record.path)
    label, path = (root.label, record.path) if in_vault is None else (NOTES_ROOT, in_vault)
    ref = f"{label}:{path}"
    return FileSummary(
        ref=ref,
        root=label,
        path=path,
        directory=root.directory,
        size=record.size,
        changed_at=datetime.fromtimestamp(record.mtime_ns / 1e9, UTC),
        chunks=chunks,
        waiting=waiting,
        warning=record.warning,
        note="" if in_vault is None else ref,
        anchor=root.scope.anchor,
    )


def _span(row: Row, state: PassageState | None) -> ChunkSpan:
    passage = row.passage
    has_vector = state is not None and state.has_vector
    return ChunkSpan(
        passage.id,
        passage.start_line,
        passage.end_line,
        passage.header,
        has_vector,
        len(row.terms),
        is_indexed=state is not None,
    )
