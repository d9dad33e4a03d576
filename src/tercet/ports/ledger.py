"""The durable bookkeeping of one home: folders, files, term counts, made vectors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from tercet.model import Reach, Scope, TermStatistics, Vector
    from tercet.ports.accesses import AccessLog
    from tercet.ports.capture import IdentityLinks, Inbox, Journal
    from tercet.ports.windows import SessionWindows


@dataclass(frozen=True, slots=True)
class RootRecord:
    """One indexed folder."""

    label: str
    """Unique short name, used in refs (``label:path#L1-L4``)."""
    directory: str
    """Absolute path."""
    scope: Scope


@dataclass(frozen=True, slots=True)
class PassageRecord:
    """What the ledger keeps of one passage, so that term counts can be taken back later."""

    id: str
    terms: tuple[str, ...]
    """Terms of the indexed text, with repeats."""
    has_vector: bool


@dataclass(frozen=True, slots=True)
class FileRecord:
    """What is known of one indexed file, enough to see that nothing changed without reading it."""

    root: str
    path: str
    """POSIX, NFC, below the root."""
    size: int
    mtime_ns: int
    sha256: str
    indexed_at_ns: int
    """When its bytes were read; an mtime this close may hide a later write of the same size."""
    warning: str = ""
    """E.g. that bytes were no UTF-8; empty when all is well."""


@dataclass(frozen=True, slots=True)
class PassageState:
    """What the ledger tells of one recorded passage."""

    id: str
    has_vector: bool
    length: int
    """In terms."""


class Manifest(Protocol):
    """Which folders and files are indexed, which passages they gave, and the counts over them."""

    async def roots(self, agent: str | None) -> list[RootRecord]:
        """Return the indexed folders of an agent, or with None of all, by label."""
        ...

    async def add_root(self, root: RootRecord) -> None:
        """Remember a folder; the same label with another directory is an InvalidInputError."""
        ...

    async def remove_root(self, label: str) -> None:
        """Forget a folder whose files are already removed."""
        ...

    async def files(self, root: str) -> dict[str, FileRecord]:
        """Return the finished files of a root by path."""
        ...

    async def passages(self, root: str, paths: Sequence[str]) -> dict[str, list[str]]:
        """Return passage ids by path, in line order; paths without passages are absent."""
        ...

    async def paths_with(self, root: str, terms: Sequence[str]) -> dict[str, frozenset[str]]:
        """Return which of these terms the passages of each file hold; files with none are absent."""
        ...

    async def announce(self, root: str, paths: Sequence[str]) -> None:
        """Note durably that these files are about to change in the engine.

        Until ``commit_files`` they count as unfinished: ``unfinished`` names them after a crash.
        """
        ...

    async def unfinished(self, root: str) -> list[str]:
        """Return the paths announced and never committed."""
        ...

    async def commit_files(
        self,
        scope: Scope,
        written: Mapping[str, tuple[FileRecord, Sequence[PassageRecord]]],
        removed: Sequence[str],
        root: str,
    ) -> None:
        """Record files as finished, in one transaction with the term statistics.

        Term counts of the files' former passages are taken back, those of the new ones added.
        """
        ...

    async def touch_files(self, files: Sequence[FileRecord]) -> None:
        """Renew the records of files whose bytes turned out unchanged; their passages stay."""
        ...

    async def mark_embedded(self, ids: Iterable[str]) -> None:
        """Note that these passages now have their vector."""
        ...

    async def waiting(self, limit: int) -> list[str]:
        """Return ids of passages that still wait for a vector."""
        ...

    async def counts(self, root: str) -> tuple[int, int, int]:
        """Return (files, passages, passages that wait for a vector) of a root."""
        ...

    async def passage_states(self, root: str, path: str) -> list[PassageState]:
        """Return the passages of one file in line order; none for an unknown file."""
        ...

    async def file_counts(self, root: str) -> dict[str, tuple[int, int]]:
        """Return (passages, passages that wait for a vector) by path; files without passages are absent."""
        ...

    async def passage_count(self) -> int:
        """Return how many passages are recorded over all roots; cheap."""
        ...

    async def reset(self) -> None:
        """Forget every file, passage and count, keeping the roots: for a rebuild."""
        ...


class TermCounts(Protocol):
    """Per-scope document frequencies, document count and lengths."""

    async def statistics(self, reach: Reach, terms: Sequence[str]) -> TermStatistics:
        """Return counts summed over everything in reach."""
        ...


class EmbeddingCache(Protocol):
    """Vectors already made, by (space, sha256 of the embedded text)."""

    async def get(self, space: str, keys: Sequence[str]) -> dict[str, Vector]:
        """Return what is there by key."""
        ...

    async def put(self, space: str, vectors: Mapping[str, Vector]) -> None:
        """Keep vectors; the same key again is no error."""
        ...

    async def forget(self, keys: Sequence[str]) -> None:
        """Drop keys in every space."""
        ...


class Ledger(Protocol):
    """The durable bookkeeping of one home, one object for the parts above."""

    @property
    def manifest(self) -> Manifest:
        """Folders, files and their passages."""
        ...

    @property
    def terms(self) -> TermCounts:
        """Counts for BM25 and idf."""
        ...

    @property
    def inbox(self) -> Inbox:
        """Messages that wait to be worked in."""
        ...

    @property
    def journal(self) -> Journal:
        """The truth about entries."""
        ...

    @property
    def links(self) -> IdentityLinks:
        """Which anchors are one person."""
        ...

    @property
    def windows(self) -> SessionWindows:
        """What was said last in each session, and what of it was not extracted yet."""
        ...

    @property
    def accesses(self) -> AccessLog:
        """What answers showed, and what was asked in vain."""
        ...

    @property
    def cache(self) -> EmbeddingCache:
        """Vectors already made."""
        ...

    async def get_value(self, key: str) -> str | None:
        """Return a small named value (the active space, the background cosines)."""
        ...

    async def set_value(self, key: str, value: str | None) -> None:
        """Set or, with None, drop a small named value."""
        ...

    async def log_query(
        self,
        query: str,
        hit_ids: Sequence[str],
        at: datetime,
        *,
        best: float | None = None,
        reach: Reach | None = None,
    ) -> None:
        """Keep a query with its first ten hits; the log is bounded and holds no passage text.

        Args:
            query: As asked, secrets taken out.
            hit_ids: What it found, best first.
            at: Aware.
            best: The score of the best hit, in [0, 1]; 0 when there was none, None when unknown.
            reach: From where it was asked; None keeps it out of ``accesses.weak_queries``.
        """
        ...

    async def logged_queries(self, limit: int) -> list[tuple[str, list[str]]]:
        """Return the latest logged queries with their hit ids, newest first."""
        ...

    async def close(self) -> None:
        """Let go of the store."""
        ...
