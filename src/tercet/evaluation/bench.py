"""What an evaluation works on: a home that answers, and can be filled for the purpose."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tercet.model import Passage, Scope, SearchOptions, SearchResult


class Bench(Protocol):
    """A memory under measurement; its settings' weights are not added to what a search asks for."""

    @property
    def agent(self) -> str:
        """Whose memory it is."""
        ...

    async def search(self, query: str, options: SearchOptions) -> SearchResult:
        """Return hits exactly as the options say."""
        ...

    async def ingest(
        self, scope: Scope, passages: Sequence[Passage], progress: Callable[[int, int], None] | None = None
    ) -> None:
        """Index passages that come from no file.

        Raises:
            EmbedderUnavailableError: transient; figures without the vectors would mislead.
        """
        ...

    async def index(self, directories: Sequence[str]) -> None:
        """Index folders, or without any bring the indexed ones up to date."""
        ...

    async def paths(self) -> set[str]:
        """Return the indexed files, as questions name them: below their folder, with slashes."""
        ...

    async def space(self) -> str:
        """Return the embedding space in words; ``none`` without an embedder.

        Raises:
            EmbedderUnavailableError: transient.
        """
        ...

    async def close(self) -> None:
        """Let go of everything, and delete a temporary home."""
        ...
