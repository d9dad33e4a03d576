"""A ledger in memory, for the tests of what stands on one; keeps the contract of ``LedgerContract``."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tercet.errors import InvalidInputError, NotFoundError
from tercet.model import TermStatistics
from tercet.ports.ledger import PassageState
from tercet.testing.memory_capture import MemoryInbox, MemoryJournal
from tercet.testing.memory_links import MemoryIdentityLinks
from tercet.testing.memory_windows import MemoryWindows, WindowedJournal

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from tercet.model import Reach, Scope, Vector
    from tercet.ports.ledger import FileRecord, PassageRecord, RootRecord
    from tercet.testing.memory_accesses import MemoryAccessLog

_LOGGED_QUERIES = 2000
_LOGGED_HITS = 10


@dataclass(slots=True)
class _HeldPassage:
    id: str
    terms: tuple[str, ...]
    has_vector: bool


@dataclass(slots=True)
class _HeldFile:
    record: FileRecord
    scope: Scope
    passages: list[_HeldPassage]


class MemoryManifest:
    """Folders, files and passages in dictionaries."""

    def __init__(self) -> None:
        self._roots: dict[str, RootRecord] = {}
        self._files: dict[tuple[str, str], _HeldFile] = {}
        self._announced: set[tuple[str, str]] = set()

    async def roots(self, agent: str | None) -> list[RootRecord]:
        """Return the indexed folders of an agent, or with None of all, by label."""
        return [root for _, root in sorted(self._roots.items()) if agent in (None, root.scope.agent)]

    async def add_root(self, root: RootRecord) -> None:
        """Remember a folder; a label held by another folder or scope is an InvalidInputError."""
        if self._roots.setdefault(root.label, root) != root:
            msg = f"The label {root.label!r} belongs to {self._roots[root.label].directory}: choose another label."
            raise InvalidInputError(msg)

    async def remove_root(self, label: str) -> None:
        """Forget a folder; one with recorded files is an InvalidInputError."""
        if any(root == label for root, _ in self._files):
            msg = f"The folder {label!r} still has recorded files: remove them first."
            raise InvalidInputError(msg)
        self._roots.pop(label, None)
        self._announced = {key for key in self._announced if key[0] != label}

    async def files(self, root: str) -> dict[str, FileRecord]:
        """Return the finished files of a root by path: not those announced and not committed."""
        return {
            path: held.record
            for (label, path), held in sorted(self._files.items())
            if label == root and (label, path) not in self._announced
        }

    async def passages(self, root: str, paths: Sequence[str]) -> dict[str, list[str]]:
        """Return passage ids by path, in line order; paths without any are absent."""
        found = ((path, self._files.get((root, path))) for path in paths)
        return {path: [p.id for p in held.passages] for path, held in found if held is not None and held.passages}

    async def paths_with(self, root: str, terms: Sequence[str]) -> dict[str, frozenset[str]]:
        """Return which of these terms the passages of each file hold; files with none are absent."""
        found = {
            path: frozenset(terms).intersection(term for passage in held.passages for term in passage.terms)
            for (label, path), held in self._files.items()
            if label == root
        }
        return {path: held for path, held in found.items() if held}

    async def announce(self, root: str, paths: Sequence[str]) -> None:
        """Note that these files are about to change in the engine."""
        if paths:
            self._require_root(root)
        self._announced.update((root, path) for path in paths)

    async def unfinished(self, root: str) -> list[str]:
        """Return the paths announced and never committed, sorted."""
        return sorted(path for label, path in self._announced if label == root)

    async def commit_files(
        self,
        scope: Scope,
        written: Mapping[str, tuple[FileRecord, Sequence[PassageRecord]]],
        removed: Sequence[str],
        root: str,
    ) -> None:
        """Record files as finished; an id that is there twice is an InvalidInputError and changes nothing."""
        self._require_root(root)
        touched = {(root, path) for path in (*written, *removed)}
        kept = {key: held for key, held in self._files.items() if key not in touched}
        owners = {passage.id: key for key, held in kept.items() for passage in held.passages}
        for path, (record, passages) in written.items():
            if (record.root, record.path) != (root, path):
                msg = f"The record of {root}:{path} names {record.root}:{record.path}: nothing was recorded."
                raise InvalidInputError(msg)
            for passage in passages:
                if passage.id in owners:
                    first = ":".join(owners[passage.id])
                    msg = (
                        f"The passage id {passage.id!r} comes from {first} and from {root}:{path}: ids must be unique."
                    )
                    raise InvalidInputError(msg)
                owners[passage.id] = (root, path)
            held = [_HeldPassage(passage.id, tuple(passage.terms), passage.has_vector) for passage in passages]
            kept[root, path] = _HeldFile(record, scope, held)
        self._files = kept
        self._announced -= touched

    async def touch_files(self, files: Sequence[FileRecord]) -> None:
        """Renew the records of files whose bytes turned out unchanged; one that is gone stays gone."""
        for record in files:
            if held := self._files.get((record.root, record.path)):
                held.record = record

    async def mark_embedded(self, ids: Iterable[str]) -> None:
        """Note that these passages now have their vector; unknown ids are no error."""
        wanted = set(ids)
        for passage in self._every_passage():
            passage.has_vector = passage.has_vector or passage.id in wanted

    async def waiting(self, limit: int) -> list[str]:
        """Return ids of passages that still wait for a vector, in id order."""
        return sorted(p.id for p in self._every_passage() if not p.has_vector)[: max(limit, 0)]

    async def counts(self, root: str) -> tuple[int, int, int]:
        """Return (files, passages, passages that wait for a vector) of a root, unfinished files too."""
        held = [file for (label, _), file in self._files.items() if label == root]
        passages = [passage for file in held for passage in file.passages]
        return len(held), len(passages), sum(not passage.has_vector for passage in passages)

    async def passage_states(self, root: str, path: str) -> list[PassageState]:
        """Return the passages of one file in line order; none for an unknown file."""
        held = self._files.get((root, path))
        return [PassageState(p.id, p.has_vector, len(p.terms)) for p in held.passages] if held is not None else []

    async def file_counts(self, root: str) -> dict[str, tuple[int, int]]:
        """Return (passages, passages that wait for a vector) by path; files without passages are absent."""
        mine = [(path, held.passages) for (label, path), held in self._files.items() if label == root]
        return {path: (len(held), sum(not p.has_vector for p in held)) for path, held in mine if held}

    async def passage_count(self) -> int:
        """Return how many passages are recorded over all roots."""
        return len(self._every_passage())

    async def reset(self) -> None:
        """Forget every file, passage, announcement and count, keeping the roots."""
        self._files.clear()
        self._announced.clear()

    def terms_in(self, reach: Reach) -> list[tuple[str, ...]]:
        """Return the terms of every passage in reach."""
        return [
            passage.terms
            for held in self._files.values()
            if held.scope.agent == reach.agent and held.scope.anchor in reach.anchors
            for passage in held.passages
        ]

    def _every_passage(self) -> list[_HeldPassage]:
        return [passage for held in self._files.values() for passage in held.passages]

    def _require_root(self, root: str) -> None:
        if root not in self._roots:
            msg = f"No indexed folder is called {root!r}: add it first."
            raise NotFoundError(msg)


class MemoryTermCounts:
    """Counts made anew from the passages and live entries at each question: an oracle for kept ones."""

    def __init__(self, manifest: MemoryManifest, journal: MemoryJournal) -> None:
        self._manifest = manifest
        self._journal = journal

    async def statistics(self, reach: Reach, terms: Sequence[str]) -> TermStatistics:
        """Return counts summed over everything in reach; a term nobody has is absent."""
        documents = self._manifest.terms_in(reach) + self._journal.terms_in(reach)
        held = Counter(term for document in documents for term in set(document))
        frequency = {term: held[term] for term in dict.fromkeys(terms) if held[term]}
        return TermStatistics(len(documents), sum(map(len, documents)), frequency)


class MemoryEmbeddingCache:
    """Vectors in a dictionary; the longest unwritten ones are dropped first."""

    def __init__(self, max_rows: int) -> None:
        self._max_rows = max_rows
        self._vectors: dict[tuple[str, str], Vector] = {}

    async def get(self, space: str, keys: Sequence[str]) -> dict[str, Vector]:
        """Return what is there by key; the arrays are read-only."""
        return {key: self._vectors[space, key] for key in keys if (space, key) in self._vectors}

    async def put(self, space: str, vectors: Mapping[str, Vector]) -> None:
        """Keep vectors; the same key again renews it; no vector or NaN is an InvalidInputError."""
        import numpy as np  # noqa: PLC0415 - a package's contract suites load without it

        copies: dict[str, Vector] = {}
        for key, vector in vectors.items():
            copy = np.array(vector, dtype=np.float32)
            if copy.ndim != 1 or not np.isfinite(copy).all():
                msg = f"The vector for {key!r} has the shape {copy.shape} or holds NaN or infinity: not kept."
                raise InvalidInputError(msg)
            copy.setflags(write=False)
            copies[key] = copy
        for key, copy in copies.items():
            self._vectors.pop((space, key), None)
            self._vectors[space, key] = copy
        for old in list(self._vectors)[: max(0, len(self._vectors) - self._max_rows)]:
            del self._vectors[old]

    async def forget(self, keys: Sequence[str]) -> None:
        """Drop keys in every space."""
        gone = set(keys)
        self._vectors = {held: vector for held, vector in self._vectors.items() if held[1] not in gone}


class MemoryLedger:
    """A ``Ledger`` that ends with its object."""

    def __init__(self, *, cache_rows: int = 200_000) -> None:
        self._manifest = MemoryManifest()
        self._inbox = MemoryInbox()
        self._queries: list[tuple[str, list[str]]] = []
        self._journal = WindowedJournal(self._inbox, self._queries)
        self._links = MemoryIdentityLinks()
        self._terms = MemoryTermCounts(self._manifest, self._journal)
        self._cache = MemoryEmbeddingCache(cache_rows)
        self._values: dict[str, str] = {}

    @property
    def manifest(self) -> MemoryManifest:
        """Folders, files and their passages."""
        return self._manifest

    @property
    def terms(self) -> MemoryTermCounts:
        """Counts for BM25 and idf."""
        return self._terms

    @property
    def inbox(self) -> MemoryInbox:
        """Messages that wait to be worked in."""
        return self._inbox

    @property
    def journal(self) -> MemoryJournal:
        """The truth about entries."""
        return self._journal

    @property
    def links(self) -> MemoryIdentityLinks:
        """Which anchors are one person."""
        return self._links

    @property
    def windows(self) -> MemoryWindows:
        """What was said last in each session."""
        return self._journal.windows

    @property
    def accesses(self) -> MemoryAccessLog:
        """What answers showed, and what was asked in vain."""
        return self._journal.accesses

    @property
    def cache(self) -> MemoryEmbeddingCache:
        """Vectors already made."""
        return self._cache

    async def get_value(self, key: str) -> str | None:
        """Return a small named value."""
        return self._values.get(key)

    async def set_value(self, key: str, value: str | None) -> None:
        """Set or, with None, drop a small named value."""
        if value is None:
            self._values.pop(key, None)
        else:
            self._values[key] = value

    async def log_query(
        self,
        query: str,
        hit_ids: Sequence[str],
        at: datetime,
        *,
        best: float | None = None,
        reach: Reach | None = None,
    ) -> None:
        """Keep a query with its first ten hits; of all queries the latest 2,000 are kept."""
        if at.tzinfo is None:
            msg = f"The time {at.isoformat()} has no zone: give an aware datetime."
            raise InvalidInputError(msg)
        self._queries.append((query, list(hit_ids[:_LOGGED_HITS])))
        del self._queries[:-_LOGGED_QUERIES]
        if best is not None and reach is not None:
            self._journal.accesses.asked(query, hit_ids, at, best, reach)

    async def logged_queries(self, limit: int) -> list[tuple[str, list[str]]]:
        """Return the latest logged queries with their hit ids, newest first."""
        return self._queries[::-1][: max(limit, 0)]

    async def close(self) -> None:
        """Do nothing: there is nothing to let go of."""
