"""What an interface asks of a memory: kept by ``AsyncMemory`` in process and by ``ServiceClient`` over HTTP."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from tercet.diagnosis import MemoryStatus
    from tercet.keeping import ForgetReport
    from tercet.layers.wiki.writing import NoteText
    from tercet.model import Category, Entry, FileText, RecallSection, SearchOptions, SearchResult, Turn


class NotesFace(Protocol):
    """The notes of the vault; each method is documented at ``AsyncMemory.wiki``."""

    async def search(
        self, query: str, options: SearchOptions | None = None, *, session_key: str | None = None
    ) -> SearchResult:
        """Return the notes that answer a query, best first, by words."""
        ...

    async def show(self, ref: str, *, session_key: str | None = None) -> NoteText:
        """Return a note by title, alias, path or id."""
        ...

    async def replace(self, ref: str, text: str, expected: str, *, session_key: str | None = None) -> NoteText:
        """Put an edited text in place of a note that is still what was read."""
        ...

    async def append(
        self, title: str, heading: str, text: str, sources: Sequence[str] = (), *, session_key: str | None = None
    ) -> NoteText:
        """Add text under a heading of a note, which is made when there is none."""
        ...


class MemoryFace(Protocol):
    """One agent's memory; each method is documented at ``AsyncMemory``."""

    @property
    def wiki(self) -> NotesFace:
        """The notes of the vault."""
        ...

    @property
    def default_options(self) -> SearchOptions:
        """Options with the settings' limit and nothing else decided."""
        ...

    async def search(
        self, query: str, options: SearchOptions | None = None, *, session_key: str | None = None
    ) -> SearchResult:
        """Return the hits for a query, best first."""
        ...

    async def recall(
        self,
        message: str,
        session_key: str | None = None,
        now: datetime | None = None,
        budget_tokens: int | None = None,
    ) -> RecallSection:
        """Return the section of a prompt for an incoming message."""
        ...

    async def agent_end(self, turn: Turn) -> None:
        """Hand over what was said; returns as soon as it is durable."""
        ...

    async def remember(
        self,
        text: str,
        *,
        category: Category = "fact",
        importance: float = 0.7,
        session_key: str | None = None,
        supersedes: Sequence[str] = (),
    ) -> Entry:
        """Store one fact now."""
        ...

    async def list_entries(self, session_key: str | None = None, since: datetime | None = None) -> list[Entry]:
        """Return live entries that a session sees, newest first."""
        ...

    async def history(self, entry_id: str, session_key: str | None = None) -> list[Entry]:
        """Return what an entry replaced and what replaced it, oldest first."""
        ...

    async def forget(
        self,
        ids: Sequence[str] = (),
        *,
        query: str | None = None,
        session: str | None = None,
        anchor: str | None = None,
        session_key: str | None = None,
        confirm: bool = False,
    ) -> ForgetReport:
        """Take entries out of every read at once."""
        ...

    async def undo(self, ids: Sequence[str] = ()) -> list[str]:
        """Bring back what the last forget took, or these ids."""
        ...

    async def read(
        self, ref: str, start: int | None = None, lines: int | None = None, *, session_key: str | None = None
    ) -> FileText:
        """Return lines of what a ref points at."""
        ...

    async def status(self) -> MemoryStatus:
        """Return settings with their origins, sizes and health."""
        ...
