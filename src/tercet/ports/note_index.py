"""The full-text index of a vault: derived from its files, and thrown away when in doubt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, Protocol, get_args

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tercet.model import Note, Reach, TimeRange

NoteField = Literal["title", "aliases", "tags", "headings", "body"]
NOTE_FIELDS: Final[tuple[NoteField, ...]] = get_args(NoteField)
"""The order in which terms, counts and lengths of a note's fields are given."""


@dataclass(frozen=True, slots=True)
class FileState:
    """What a note's file was like when it was indexed."""

    size: int
    mtime_ns: int
    """Of the listing before the file was read: a change in between is met by the next listing."""
    sha256: str
    indexed_at_ns: int
    """Unix nanoseconds before it was read; an mtime close before that may hide a later write of the same size."""


@dataclass(frozen=True, slots=True)
class IndexedNote:
    """A note as it goes into the index."""

    note: Note
    text: str
    """The whole file."""
    state: FileState
    terms: tuple[tuple[str, ...], ...]
    """Terms of each of ``NOTE_FIELDS``, with repeats."""
    names: tuple[str, ...] = ()
    """What it is called, its title first."""
    keys: tuple[str, ...] = ()
    """By which it is looked up, exactly."""
    dispute: float = 0.0
    """Share of its claims that are contested or superseded, in [0, 1]."""


@dataclass(frozen=True, slots=True)
class NoteCandidate:
    """A note that holds a term of the query, with what its rank is made of."""

    path: str
    names: tuple[str, ...]
    """What it is called, its title first."""
    dispute: float
    counts: tuple[tuple[int, ...], ...]
    """Of each of ``NOTE_FIELDS``: occurrences of each term of the query."""
    lengths: tuple[int, ...]
    """Terms in each of ``NOTE_FIELDS``."""


@dataclass(frozen=True, slots=True)
class NoteStatistics:
    """Counts over the notes in reach."""

    documents: int
    lengths: tuple[int, ...]
    """Sum of the notes' terms in each of ``NOTE_FIELDS``."""
    document_frequency: Mapping[str, int]
    """Of the terms asked for."""


@dataclass(frozen=True, slots=True)
class NoteFilter:
    """Which notes a query may see; an empty reach sees none."""

    reach: Reach
    types: tuple[str, ...] = ()
    """Only these; empty for all."""
    time_range: TimeRange | None = None
    """Updated, or else created, in it; a note without a time is in none."""


class NoteIndex(Protocol):
    """One agent's notes, searchable by words.

    A damaged index raises ``StoreFormatError`` wherever that shows; ``discard`` begins a new one.
    """

    async def open(self, recipe: str) -> None:
        """Make or open the index; one made by another recipe (format, rules of terms) begins empty.

        Raises:
            StoreFormatError: in its place is something that is not ours (permanent).
            ConfigurationError: the place may not be written (permanent).
            LedgerBusyError: another process holds it too long (transient).
        """
        ...

    async def discard(self) -> None:
        """Throw everything away and begin an empty index of the same recipe."""
        ...

    async def files(self) -> Mapping[str, FileState]:
        """Return the state of every indexed file by path."""
        ...

    async def apply(self, changed: Sequence[IndexedNote], gone: Sequence[str] = ()) -> None:
        """Put notes in place of older ones of the same path, and take paths out, in one step."""
        ...

    async def touch(self, states: Mapping[str, FileState]) -> None:
        """Record that files were looked at and hold what is indexed of them."""
        ...

    async def statistics(self, terms: Sequence[str], reach: Reach) -> NoteStatistics:
        """Return the counts that idf and lengths are made of, over the reach alone."""
        ...

    async def candidates(self, terms: Sequence[str], where: NoteFilter, limit: int) -> list[NoteCandidate]:
        """Return the notes that hold any of the terms, at most ``limit``, the most likely first."""
        ...

    async def keyed(self, keys: Sequence[str], reach: Reach) -> dict[str, list[str]]:
        """Return the paths of the notes in reach that have each key, by path; a key nobody has is left out."""
        ...

    async def notes(self, paths: Sequence[str] | None = None) -> list[Note]:
        """Return notes by path, all with None, each without its body; an unknown path is left out."""
        ...

    async def texts(self, paths: Sequence[str]) -> dict[str, str]:
        """Return the files' texts as indexed; an unknown path is left out."""
        ...

    async def size_bytes(self) -> int:
        """Return what the index takes on disk."""
        ...

    async def close(self) -> None:
        """Let go of it; may be called twice."""
        ...
