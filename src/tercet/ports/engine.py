"""The derived store that a search asks for candidates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from tercet.filters import Filter
    from tercet.model import Match, Probe, Row, Space, Vector


@dataclass(frozen=True, slots=True)
class EngineStats:
    """Size and upkeep of an engine's store."""

    rows: int
    rows_without_vector: int
    bytes_on_disk: int
    versions: int
    unindexed_rows: int
    """Rows the text index has not taken in yet; they are searched all the same."""


class Engine(Protocol):
    """Derived store of rows, searched by vector and by term; the truth lies elsewhere.

    Ids are unique: an upsert of an id replaces its row. Every read and delete by filter carries
    a ``Reach``; what is outside it is not seen.
    """

    async def open(self, space: Space | None) -> None:
        """Open or create the store for this space; with None it serves text only.

        Raises:
            SpaceMismatchError: rows hold vectors of another space (permanent). The store is then
                open for text; ``ReembeddableEngine`` moves it over.
            StoreFormatError: written by a newer version (permanent).
            EngineUnavailableError: corrupt, unreadable or locked (transient).
        """
        ...

    async def upsert(self, rows: Sequence[Row]) -> None:
        """Write rows by id; of two rows with one id in a batch the later one wins.

        A row without a vector keeps none. Raises InvalidInputError for NaN, infinite, zero or
        wrongly sized vectors before anything is written; EngineUnavailableError is transient.
        """
        ...

    async def delete(self, what: Sequence[str] | Filter) -> None:
        """Delete by ids, or every row a filter meets; ids that are not there are no error."""
        ...

    async def get(self, ids: Sequence[str]) -> list[Row]:
        """Return the rows with these ids, in the order asked for, leaving out what is not there.

        Not filtered by reach: for upkeep, and for ids that came from a filtered search.
        """
        ...

    async def vector_topk(self, vector: Vector, k: int, where: Filter, *, exact: bool = False) -> list[Match]:
        """Return up to k nearest rows by squared L2, nearest first, ties by id.

        Rows without a vector are left out. Raises InvalidInputError for NaN or a wrong length.
        """
        ...

    async def text_topk(self, terms: Sequence[str], k: int, where: Filter) -> list[Match]:
        """Return up to k rows that hold at least one of the terms; ``raw`` is the engine's score.

        Only picks candidates: ranking computes BM25 itself. No terms, no rows.
        """
        ...

    async def scan(self, where: Filter, *, after: str = "", limit: int = 1000) -> list[Row]:
        """Return rows in id order, those with id > ``after``, at most ``limit``."""
        ...

    async def stats(self) -> EngineStats:
        """Return sizes; cheap enough for ``status``."""
        ...

    async def probe(self) -> Probe:
        """Say whether the store answers; writes nothing, never raises."""
        ...

    async def maintain(self, budget_s: float) -> str:
        """Compact, index new rows and drop old versions within about ``budget_s`` seconds.

        Returns one line that says what was done. Conflicts with writers are retried.
        """
        ...

    async def close(self) -> None:
        """Let go of the store."""
        ...


@runtime_checkable
class ReembeddableEngine(Protocol):
    """An engine that can fill a second space while the first one still serves."""

    async def begin_reembed(self, space: Space) -> None:
        """Make room for vectors of ``space``; called again after a kill it goes on."""
        ...

    async def rows_to_reembed(self, limit: int) -> list[Row]:
        """Return rows that have no vector in the new space yet, in id order."""
        ...

    async def fill_reembed(self, ids: Sequence[str], vectors: NDArray[np.float32]) -> None:
        """Store vectors of the new space for these rows; a row deleted meanwhile stays deleted."""
        ...

    async def finish_reembed(self) -> None:
        """Switch to the new space and drop the old vectors; refused while rows are missing."""
        ...


@runtime_checkable
class DisposableEngine(Protocol):
    """An engine whose store can be looked for and thrown away without opening it."""

    def has_store(self) -> bool:
        """Say whether there is a store at all; cheap, loads no library."""
        ...

    async def discard(self) -> None:
        """Delete the store, sound or not; the engine is closed after it.

        Only ever called where the rows can be made anew from files and journal.
        """
        ...
