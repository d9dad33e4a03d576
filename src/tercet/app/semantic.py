"""The semantic layer with its files, engine, models and locks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tercet.adapters.clock import SystemClock
from tercet.adapters.files.store import LocalFiles
from tercet.adapters.lock import WriterLock
from tercet.app.providers import make_engine, make_reranking
from tercet.identity import checked_agent
from tercet.layers.semantic.engine_access import EngineAccess
from tercet.layers.semantic.layer import SemanticLayer, SemanticParts
from tercet.layers.semantic.resting_embedder import RestingEmbedder

if TYPE_CHECKING:
    from tercet.adapters.sqlite.ledger import SqliteLedger
    from tercet.ports import Embedder
    from tercet.settings import Settings

ENTRIES_LOCK_FILE = "entries.lock"
LOCK_WAIT_S = 3600.0
"""A first run over a large folder may hold the index for long; waiting for it is right."""


def make_files(settings: Settings) -> LocalFiles:
    """Return what lists and reads the indexed folders."""
    # A folder around the home must not take in what the home holds.
    return LocalFiles(max_file_bytes=settings.index.max_file_bytes, never_enter=[str(settings.home.resolve())])


def make_semantic(
    settings: Settings, ledger: SqliteLedger, files: LocalFiles, embedder: Embedder | None
) -> SemanticLayer:
    """Return the layer; neither store nor model is opened yet."""
    engine = make_engine(settings.store.url or str(settings.home / "lancedb"))
    resting = RestingEmbedder(embedder) if embedder is not None else None
    return SemanticLayer(
        SemanticParts(
            agent=checked_agent(settings.agent),
            files=files,
            ledger=ledger,
            engine=engine,
            access=EngineAccess(engine, resting, ledger),
            embedder=resting,
            lock=WriterLock(settings.home, timeout_s=LOCK_WAIT_S),
            clock=SystemClock(),
            entries_lock=entries_lock(settings, LOCK_WAIT_S),
            batch_chunks=settings.index.batch_chunks,
            refresh_files=settings.index.refresh_files,
            patience_s=settings.embedding.query_timeout_s,
            reranking=make_reranking(settings.rerank),
        )
    )


def entries_lock(settings: Settings, timeout_s: float) -> WriterLock:
    """Return the lock of whoever makes entries of a home or tells the engine of them."""
    return WriterLock(settings.home, timeout_s=timeout_s, file=ENTRIES_LOCK_FILE)
