"""A semantic layer over ports in memory: files in a dictionary, an engine and a ledger without a disk."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from datetime import UTC, datetime

import numpy as np
import pytest

from tercet.errors import NotFoundError
from tercet.layers.semantic.engine_access import EngineAccess
from tercet.layers.semantic.layer import SemanticLayer, SemanticParts
from tercet.layers.semantic.resting_embedder import RestingEmbedder
from tercet.model import Probe, Space
from tercet.ports import FileContent, FoundFile, Listing
from tercet.testing.memory_engine import MemoryEngine, MemoryStore
from tercet.testing.memory_ledger import MemoryLedger

LONG_AGO_NS = 10**18


class Files:
    """Folders of texts; a folder that is None is away."""

    def __init__(self):
        self.folders = {}
        self.read_paths = []
        self.tick = LONG_AGO_NS

    def write(self, directory, path, text):
        self.tick += 1
        self.folders.setdefault(directory, {})[path] = (text, self.tick)

    async def list(self, directory):
        folder = self.folders.get(directory)
        if folder is None:
            msg = f"The folder {directory} cannot be read: it is away."
            raise NotFoundError(msg)
        found = [FoundFile(path, len(text), tick) for path, (text, tick) in sorted(folder.items())]
        return Listing(tuple(found), ())

    async def read(self, directory, path):
        self.read_paths.append(path)
        try:
            text, tick = self.folders[directory][path]
        except KeyError as error:
            msg = "it is gone"
            raise NotFoundError(msg) from error
        return FileContent(text, hashlib.sha256(text.encode()).hexdigest(), len(text), tick)


class Clock:
    def now(self):
        return datetime(2026, 6, 1, tzinfo=UTC)


class Lock:
    """One holder at a time, over all layers that share it."""

    def __init__(self):
        self.held = False

    def try_acquire(self):
        if self.held:
            return False
        self.held = True
        return True

    async def acquire(self):
        assert self.try_acquire(), "nobody else holds it in these tests"

    def release(self):
        self.held = False


class Embedder:
    """Hashed words; fails with ``failure`` when that is set."""

    identity = "fake"

    def __init__(self, dimensions=64):
        self.dimensions = dimensions
        self.failure = None
        self.texts = []
        self.calls = 0

    async def space(self):
        self.calls += 1
        if self.failure:
            raise self.failure
        return Space("fake", f"m{self.dimensions}", self.dimensions)

    async def embed_documents(self, texts):
        self.calls += 1
        if self.failure:
            raise self.failure
        self.texts.extend(texts)
        return np.stack([self.vector(text) for text in texts])

    async def embed_queries(self, texts):
        self.calls += 1
        if self.failure:
            raise self.failure
        return np.stack([self.vector(text) for text in texts])

    async def probe(self):
        return Probe(ok=self.failure is None, reason=str(self.failure or ""))

    async def close(self):
        pass

    def vector(self, text):
        row = np.full(self.dimensions, 1e-3, dtype=np.float32)
        for word in text.lower().split():
            row[hashlib.sha256(word.encode()).digest()[0] % self.dimensions] += 1
        return row / np.linalg.norm(row)


class DisposableMemoryEngine(MemoryEngine):
    """A memory engine whose store can be lost and thrown away."""

    def has_store(self):
        return bool(self.store.rows) or self.store.active is not None

    async def discard(self):
        self.store.rows.clear()
        self.store.active = self.store.filling = None
        self._is_open = False


@dataclass
class World:
    """Everything a layer stands on, kept over several layers as a disk would."""

    files: Files = field(default_factory=Files)
    ledger: MemoryLedger = field(default_factory=MemoryLedger)
    store: MemoryStore = field(default_factory=MemoryStore)
    embedder: Embedder | None = field(default_factory=Embedder)
    lock: Lock = field(default_factory=Lock)
    seconds: float = 0.0

    def layer(self, agent="main", **changed):
        """Return a new layer over it, as another process would make one."""
        engine = changed.pop("engine", None) or DisposableMemoryEngine(self.store)
        embedder = self.embedder
        resting = RestingEmbedder(embedder, monotonic=lambda: self.seconds) if embedder is not None else None
        access = EngineAccess(engine, resting, self.ledger)
        parts = SemanticParts(
            agent,
            self.files,
            self.ledger,
            engine,
            access,
            resting,
            self.lock,
            Clock(),
            **{"batch_chunks": 2, **changed},
        )
        return SemanticLayer(parts)


@pytest.fixture
def world():
    return World()
