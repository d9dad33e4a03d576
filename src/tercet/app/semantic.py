"""The semantic layer with its files, engine, models and locks."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from tercet.adapters.clock import SystemClock
from tercet.adapters.files.store import LocalFiles
from tercet.app.providers import make_reranking
from tercet.app.wiki import lent_folders, vault_of
from tercet.identity import checked_agent
from tercet.layers.semantic.engine_access import EngineAccess
from tercet.layers.semantic.layer import SemanticParts
from tercet.layers.semantic.lent_roots import LentFolders
from tercet.layers.semantic.resting_embedder import RestingEmbedder
from tercet.text.notes.folders import PRIVATE

if TYPE_CHECKING:
    from pathlib import Path

    from tercet.app.stores import Stores
    from tercet.ports import Embedder
    from tercet.settings import Settings

ENTRIES_LOCK_WAIT_S = 60.0
"""Entries are made in batches of seconds; only a rebuild holds them for longer."""
LOCK_WAIT_S = 3600.0
"""A first run over a large folder may hold the index for long; waiting for it is right."""


def make_files(settings: Settings) -> LocalFiles:
    """Return what lists and reads the indexed folders."""
    vault = vault_of(settings).resolve()
    # A folder around the home must not take in what the home holds, nor one around the vault the notes,
    # nor the shared notes those of anybody.
    never_enter = [str(settings.home.resolve()), str(vault), str(vault / PRIVATE)]
    return LocalFiles(max_file_bytes=settings.index.max_file_bytes, never_enter=never_enter)


def make_semantic_parts(
    settings: Settings, stores: Stores, files: LocalFiles, embedder: Embedder | None, vault: Path | None = None
) -> SemanticParts:
    """Return what the layer is made of; neither store nor model is opened yet.

    Args:
        settings: Of the home.
        stores: Where everything is kept.
        files: Lists and reads the indexed folders.
        embedder: None where the settings want words alone.
        vault: Folder of notes that are to be found by meaning too; None for none.
    """
    resting = RestingEmbedder(embedder) if embedder is not None else None
    return SemanticParts(
        agent=checked_agent(settings.agent),
        files=files,
        ledger=stores.ledger,
        engine=stores.engine,
        access=EngineAccess(stores.engine, resting, stores.ledger),
        embedder=resting,
        lock=stores.locks.index(LOCK_WAIT_S),
        clock=SystemClock(),
        entries_lock=stores.locks.entries(LOCK_WAIT_S, alone=True),
        batch_chunks=settings.index.batch_chunks,
        refresh_files=settings.index.refresh_files,
        patience_s=settings.embedding.query_timeout_s,
        reranking=make_reranking(settings.rerank),
        lent_roots=LentFolders if vault is None else partial(lent_folders, vault, settings.agent),
    )
