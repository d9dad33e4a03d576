"""The layer behind Tercet's interface."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING

from tercet.errors import InvalidInputError, NotFoundError
from tercet.model import SHARED, BackendStatus, FileText, Hit, Passage, Probe, Reach, Scope, SearchOptions, SearchResult

from tercet_textfile.notes import TextNote, read_notes, words_of

if TYPE_CHECKING:
    from pathlib import Path

    from tercet.model import LayerName
    from tercet.ports import MemorySearchManager
    from tercet.ports.layers import LayerContext

LAYER: LayerName = "wiki"
ROOT = "textfile"
SNIPPET_CHARS = 200
NO_VECTORS = Probe(ok=False, reason="text files are found by their words alone", permanent=True)

_REF = re.compile(rf"(?:{ROOT}:)?(?P<name>[^#]+?)(?:\.txt)?(?:#L(?P<first>\d{{1,9}})(?:-L?(?P<last>\d{{1,9}}))?)?")


def create(context: LayerContext) -> MemorySearchManager:
    """Return the layer; this is what the entry point names."""
    folder = str(context.config.get("folder", ROOT))
    return TextFileLayer(context.home / folder, context.agent)


class TextFileLayer:
    """Text files that the agent shares with everyone it speaks to."""

    def __init__(self, folder: Path, agent: str) -> None:
        """Hold the place; nothing is read yet."""
        self._folder = folder
        self._scope = Scope(agent)

    async def search(self, query: str, options: SearchOptions) -> SearchResult:
        """Return the files that hold words of the question, those with the greatest share of them first.

        A share says nothing of how likely a file answers, so the program merges these hits by rank.
        """
        if not query.strip():
            msg = "The query is blank: give at least one word."
            raise InvalidInputError(msg)
        wanted = words_of(query)
        if not wanted or not self._is_in(options.reach):
            return SearchResult([])
        hits = [self._hit(note, wanted) for note in await self._notes()]
        kept = [hit for hit in hits if hit.score > 0 and hit.score >= (options.min_score or 0.0)]
        kept.sort(key=lambda hit: -hit.score)
        return SearchResult(kept[: options.limit], is_calibrated=False)

    async def read_file(
        self, ref: str, start: int | None = None, lines: int | None = None, *, reach: Reach | None = None
    ) -> FileText:
        """Return lines of a file, named ``harbour``, ``harbour.txt`` or ``textfile:harbour.txt#L1-L4``."""
        parts = _REF.fullmatch(ref.strip())
        notes = {note.name: note for note in await self._notes()} if self._is_in(reach) else {}
        note = notes.get(parts["name"]) if parts else None
        if parts is None or note is None:
            msg = f"There is no text file {ref!r}: take a ref from a search."
            raise NotFoundError(msg)
        total = len(note.lines)
        first = start if start is not None else int(parts["first"] or 1)
        last = first + lines - 1 if lines is not None else int(parts["last"] or parts["first"] or total)
        if not 1 <= first <= min(last, total):
            msg = f"{note.name}.txt has {total} lines; {first} to {last} are not among them."
            raise InvalidInputError(msg)
        last = min(last, total)
        return FileText("\n".join(note.lines[first - 1 : last]), f"{note.name}.txt", first, last, total)

    async def status(self) -> BackendStatus:
        """Return how many files there are."""
        notes = await self._notes()
        return BackendStatus(
            LAYER, healthy=True, rows=len(notes), bytes_on_disk=sum(note.bytes_on_disk for note in notes)
        )

    async def probe_embedding_availability(self) -> Probe:
        """Say that there is no search by meaning."""
        return NO_VECTORS

    async def probe_vector_availability(self) -> Probe:
        """Say that there is no vector store."""
        return NO_VECTORS

    async def _notes(self) -> list[TextNote]:
        return await asyncio.to_thread(read_notes, self._folder)

    def _is_in(self, reach: Reach | None) -> bool:
        """Say whether a question may see the files: no reach named is the owner's own."""
        return reach is None or (reach.agent == self._scope.agent and SHARED in reach.anchors)

    def _hit(self, note: TextNote, wanted: list[str]) -> Hit:
        found = set(words_of(f"{note.name} {note.text}")).intersection(wanted)
        score = len(found) / len(wanted)
        best = max(note.lines, key=lambda line: len(found.intersection(words_of(line))), default="")
        passage = Passage(
            id=note.name,
            kind="note",
            scope=self._scope,
            text=note.text,
            header=note.name,
            root=ROOT,
            path=f"{note.name}.txt",
            start_line=1,
            end_line=len(note.lines),
        )
        return Hit(passage, score, score, LAYER, (best.strip() or note.name)[:SNIPPET_CHARS])
