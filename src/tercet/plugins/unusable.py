"""What stands in a slot whose layer cannot be made: it finds nothing, and every answer says why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tercet.errors import NotFoundError
from tercet.model import BackendStatus, Probe, SearchResult

if TYPE_CHECKING:
    from tercet.model import FileText, LayerName, Reach, SearchOptions


class UnusableLayer:
    """A layer that is down from the start."""

    def __init__(self, slot: LayerName, reason: str, *, permanent: bool) -> None:
        """Hold why, in one line, and whether only a change of installation or settings mends it."""
        self._slot: LayerName = slot
        self._reason = reason
        self._permanent = permanent

    async def search(self, query: str, options: SearchOptions) -> SearchResult:
        """Return nothing, and say why."""
        del query, options
        return SearchResult([], degraded=self._reason)

    async def read_file(
        self, ref: str, start: int | None = None, lines: int | None = None, *, reach: Reach | None = None
    ) -> FileText:
        """Find nothing to read.

        Raises:
            NotFoundError: always, with the reason.
        """
        del start, lines, reach
        msg = f"{ref!r} cannot be looked up: {self._reason}"
        raise NotFoundError(msg)

    async def status(self) -> BackendStatus:
        """Return that it is down, and why."""
        return BackendStatus(self._slot, healthy=False, rows=0, bytes_on_disk=0, notes=(self._reason,))

    async def probe_embedding_availability(self) -> Probe:
        """Say why not."""
        return self._probe()

    async def probe_vector_availability(self) -> Probe:
        """Say why not."""
        return self._probe()

    def _probe(self) -> Probe:
        return Probe(ok=False, reason=self._reason, permanent=self._permanent)
