"""What every layer and the host keep, and where time and counts come from and go to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from datetime import datetime

    from tercet.model import BackendStatus, FileText, Hit, Probe, Reach, SearchOptions, SearchResult


class Clock(Protocol):
    """Where time comes from; tests hand in one that stands still."""

    def now(self) -> datetime:
        """Return the present as an aware datetime."""
        ...


class EventSink(Protocol):
    """Where counts of what happened go (metrics, status); never holds memory text."""

    def count(self, event: str, amount: int = 1) -> None:
        """Add ``amount`` to the counter named ``event`` (dotted, lower case)."""
        ...


@runtime_checkable
class PromptNotes(Protocol):
    """Optional ability of a layer: it knows better than a search what is for the prompt of a message."""

    async def prompt_notes(self, message: str, reach: Reach | None, now: datetime, limit: int) -> list[Hit]:
        """Return what is known about the people and topics of a message, best first, above its own threshold.

        A ``SearchResult`` says in ``degraded`` what was down.
        """
        ...


class MemorySearchManager(Protocol):
    """What every layer, and the host over them, keeps."""

    async def search(self, query: str, options: SearchOptions) -> SearchResult:
        """Return the hits for a query, best first.

        Raises:
            InvalidInputError: the query is blank or an option is out of range (permanent).
        """
        ...

    async def read_file(
        self, ref: str, start: int | None = None, lines: int | None = None, *, reach: Reach | None = None
    ) -> FileText:
        """Return lines of what a ref points at.

        Args:
            ref: An id, a path, or ``root:path#L1-L4``.
            start: First line, from 1; None is the first that the ref points at.
            lines: How many; None is all.
            reach: What may be seen; None is what the agent's owner sees.

        Raises:
            NotFoundError: there is no such thing, or not in reach (permanent).
             AmbiguousRefError, InvalidInputError: permanent.
        """
        ...

    async def status(self) -> BackendStatus:
        """Return health and size."""
        ...

    async def probe_embedding_availability(self) -> Probe:
        """Say whether search by meaning works now; never raises, cached for a few seconds."""
        ...

    async def probe_vector_availability(self) -> Probe:
        """Say whether the vector store works now; never raises, cached for a few seconds."""
        ...
