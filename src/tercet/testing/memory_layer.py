"""A layer in memory that keeps the contract: for tests of what stands on layers, and as the shortest example of one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tercet.errors import InvalidInputError, NotFoundError
from tercet.identity import owner_reach
from tercet.model import BackendStatus, FileText, Hit, Probe, SearchResult
from tercet.text.terms import terms

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tercet.model import LayerName, Passage, Reach, SearchOptions

_NO_VECTORS = Probe(ok=False, reason="this layer finds by words alone", permanent=True)


class MemoryLayer:
    """Passages found by the share of a question's terms that they hold, which is no likelihood."""

    def __init__(self, agent: str, passages: Sequence[Passage], layer: LayerName = "wiki") -> None:
        """Hold the passages, each under its own id."""
        self._agent = agent
        self._layer: LayerName = layer
        self._passages = {passage.id: passage for passage in passages}

    async def search(self, query: str, options: SearchOptions) -> SearchResult:
        """Return the passages in reach that hold any term of the query, best first."""
        if not query.strip():
            msg = "The query is blank: give at least one word."
            raise InvalidInputError(msg)
        wanted = set(terms(query))
        hits = [self._hit(passage, wanted) for passage in self._in_reach(options.reach)] if wanted else []
        kept = [hit for hit in hits if hit.score > 0 and hit.score >= (options.min_score or 0.0)]
        kept.sort(key=lambda hit: -hit.score)
        return SearchResult(kept[: options.limit], is_calibrated=False)

    async def read_file(
        self, ref: str, start: int | None = None, lines: int | None = None, *, reach: Reach | None = None
    ) -> FileText:
        """Return lines of the passage of an id."""
        passage = next((each for each in self._in_reach(reach) if each.id == ref), None)
        if passage is None:
            msg = f"There is no passage {ref!r}: take an id from a search."
            raise NotFoundError(msg)
        every = passage.text.splitlines()
        first = 1 if start is None else start
        last = len(every) if lines is None else first + lines - 1
        if not 1 <= first <= min(last, len(every)):
            msg = f"{ref} has {len(every)} lines; {first} to {last} are not among them."
            raise InvalidInputError(msg)
        last = min(last, len(every))
        return FileText("\n".join(every[first - 1 : last]), ref, first, last, len(every))

    async def status(self) -> BackendStatus:
        """Return how many passages there are."""
        return BackendStatus(self._layer, healthy=True, rows=len(self._passages), bytes_on_disk=0)

    async def probe_embedding_availability(self) -> Probe:
        """Say that there is no search by meaning."""
        return _NO_VECTORS

    async def probe_vector_availability(self) -> Probe:
        """Say that there is no vector store."""
        return _NO_VECTORS

    def _in_reach(self, reach: Reach | None) -> list[Passage]:
        reach = reach or owner_reach(self._agent)
        return [
            passage
            for passage in self._passages.values()
            if passage.scope.agent == reach.agent and passage.scope.anchor in reach.anchors
        ]

    def _hit(self, passage: Passage, wanted: set[str]) -> Hit:
        score = len(wanted.intersection(terms(passage.text))) / len(wanted)
        return Hit(passage, score, score, self._layer, " ".join(passage.text.split()))
