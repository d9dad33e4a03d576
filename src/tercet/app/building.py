"""From settings to a memory."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack, suppress
from functools import partial
from typing import TYPE_CHECKING

from tercet.access_notes import AccessNotes
from tercet.adapters.clock import SystemClock
from tercet.adapters.counters import Counters
from tercet.adapters.files.atomic_write import ensure_private_directory
from tercet.adapters.files.graph_files import GraphFiles
from tercet.adapters.files.watch import changes
from tercet.adapters.spool import TurnSpool
from tercet.app.active import make_active_memory
from tercet.app.extractors import make_extractors
from tercet.app.home_checks import check_cache, check_home
from tercet.app.layers import has_own_wiki, make_layers
from tercet.app.providers import make_embedder
from tercet.app.semantic import ENTRIES_LOCK_WAIT_S, make_files, make_semantic_parts
from tercet.app.stores import Databases, open_stores
from tercet.app.wiki import make_wiki_parts, note_retractor, vault_of
from tercet.browsing import Browsing, BrowsingParts
from tercet.capture.worker import CaptureWorker, WorkerParts
from tercet.config import LoadedSettings, load_settings
from tercet.diagnosis import CaptureStatus, Doctor
from tercet.errors import TransientError
from tercet.host import Host
from tercet.identity import checked_agent
from tercet.keeping import Keeping, KeepingParts
from tercet.loop import CaptureLoop, LoopParts
from tercet.memory import AsyncMemory, Memory, MemoryParts
from tercet.plugins import chosen_layers
from tercet.relating import CrossReferences, RelatingParts
from tercet.tending import Tending

if TYPE_CHECKING:
    from tercet.adapters.files.store import LocalFiles
    from tercet.app.extractors import Extractors
    from tercet.app.layers import Layers
    from tercet.app.stores import Stores
    from tercet.layers.semantic.layer import SemanticLayer
    from tercet.layers.wiki.layer import WikiLayer
    from tercet.model import Finding
    from tercet.ports import Embedder, Ledger
    from tercet.settings import Settings

SYNC_WAIT_S = 2.0


def build(loaded: LoadedSettings | None = None) -> Memory:
    """Return a memory for code without an event loop.

    Args:
        loaded: Settings; by default those of ``tercet.toml`` and the environment.

    Raises:
        ConfigurationError, IdentityError: a setting is wrong; nothing was created. A model that
            cannot be had as it is set is no such error: search answers by words, and says so.
    """
    settings = loaded or load_settings()
    return Memory(lambda: build_async(settings))


async def build_async(loaded: LoadedSettings | None = None, databases: Databases | None = None) -> AsyncMemory:
    """Return a memory for async code; the same as ``build`` otherwise.

    Args:
        loaded: As of ``build``.
        databases: Shared with other memories of this process, and closed by their owner; None makes
            some for this memory alone.
    """
    loaded = loaded or load_settings()
    settings = loaded.settings
    checked_agent(settings.agent)
    embedder = make_embedder(settings.embedding)
    ensure_private_directory(settings.home)
    extractors = make_extractors(settings)
    closing = AsyncExitStack()
    closing.push_async_callback(extractors.close)
    try:
        if databases is None:
            databases = Databases()
            closing.push_async_callback(databases.close)
        stores = await open_stores(settings, databases)
        closing.push_async_callback(stores.ledger.close)
        return await _assembled(loaded, embedder, extractors, stores, closing)
    except BaseException:
        await closing.aclose()
        raise


async def _assembled(
    loaded: LoadedSettings,
    embedder: Embedder | None,
    extractors: Extractors,
    stores: Stores,
    closing: AsyncExitStack,
) -> AsyncMemory:
    settings, ledger = loaded.settings, stores.ledger
    clock, events, spool = SystemClock(), Counters(), TurnSpool(settings.home / "spool" / settings.agent)
    files = make_files(settings)
    closing.push_async_callback(files.close)
    wiki_parts = make_wiki_parts(settings, clock)
    chosen = chosen_layers(settings.home)
    vault = vault_of(settings) if has_own_wiki(chosen) else None
    semantic_parts = make_semantic_parts(settings, stores, files, embedder, vault)
    layers = make_layers(settings, chosen, semantic_parts, wiki_parts, ledger.windows, clock, events)
    closing.push_async_callback(layers.close)
    semantic = layers.semantic
    accesses = AccessNotes(ledger.accesses, clock, events)
    closing.push_async_callback(accesses.settled)
    host = Host(layers.by_slot, ledger.journal, events, accesses=accesses)
    active = make_active_memory(settings, stores, layers, extractors, clock, events) if layers.uses_active else None

    worker = CaptureWorker(
        WorkerParts(
            ledger,
            semantic.engine,
            semantic.embed_rows,
            extractors.messages,
            extractors.rules,
            clock,
            settings.capture.max_per_turn,
        )
    )
    loop = CaptureLoop(
        LoopParts(
            settings.agent,
            settings.capture,
            ledger,
            worker,
            spool,
            stores.locks.entries(ENTRIES_LOCK_WAIT_S),
            clock,
            events,
            semantic.tidy,
            layers.uses_semantic,
            active,
        )
    )
    keeping = _keeping(settings, stores, semantic, host, worker, clock, layers.notes)
    await loop.erase_due()
    return AsyncMemory(
        MemoryParts(
            loaded,
            host,
            semantic,
            layers.uses_semantic,
            layers.wiki,
            active,
            _doctor(settings, embedder, extractors, ledger, spool, events, loop),
            loop,
            keeping,
            Tending(settings.agent, ledger, keeping.reach, accesses),
            clock,
            partial(changes, say_when_watching=True),
            _cross_references(settings, ledger, layers, keeping),
            _browsing(settings, ledger, layers, keeping, loop, files, accesses),
            closing.aclose,
        )
    )


def _keeping(
    settings: Settings,
    stores: Stores,
    semantic: SemanticLayer,
    host: Host,
    worker: CaptureWorker,
    clock: SystemClock,
    notes: WikiLayer,
) -> Keeping:
    async def sync() -> None:
        # The journal already says what counts; who holds the lock tells the index when it is done.
        with suppress(TransientError):
            lock = stores.locks.entries(SYNC_WAIT_S)
            await lock.acquire()
            try:
                await semantic.tell_entries()
            finally:
                lock.release()

    return Keeping(
        KeepingParts(
            settings.agent,
            stores.ledger,
            host,
            worker,
            stores.locks.entries(ENTRIES_LOCK_WAIT_S),
            clock,
            settings.identity.links,
            settings.recall.shared_in_groups,
            sync,
            note_retractor(notes, stores.locks.entries(SYNC_WAIT_S)),
            notes.paths_of,
        )
    )


def _cross_references(settings: Settings, ledger: Ledger, layers: Layers, keeping: Keeping) -> CrossReferences:
    return CrossReferences(
        RelatingParts(
            settings.agent,
            ledger,
            layers.semantic if layers.uses_semantic else None,
            keeping.reach,
            GraphFiles(settings.home, settings.agent),
            settings.crossref.threshold,
        )
    )


def _browsing(
    settings: Settings,
    ledger: Ledger,
    layers: Layers,
    keeping: Keeping,
    loop: CaptureLoop,
    files: LocalFiles,
    accesses: AccessNotes,
) -> Browsing:
    return Browsing(
        BrowsingParts(
            settings.agent,
            ledger,
            keeping.reach,
            loop.take_in,
            layers.notes.texts_with,
            files if layers.uses_semantic else None,
            layers.semantic.refresh,
            accesses,
        )
    )


def _doctor(
    settings: Settings,
    embedder: Embedder | None,
    extractors: Extractors,
    ledger: Ledger,
    spool: TurnSpool,
    events: Counters,
    loop: CaptureLoop,
) -> Doctor:
    home = settings.home

    async def look_at_home(fix: bool) -> list[Finding]:  # noqa: FBT001 - a callback with one meaning
        return [*check_home(home, fix=fix), *await asyncio.to_thread(check_cache, home, fix=fix)]

    async def capture_status() -> CaptureStatus:
        inbox = await ledger.inbox.status(settings.agent)
        degraded = extractors.fault or loop.degraded
        return CaptureStatus(inbox.waiting, inbox.oldest, inbox.dead, *spool.count(), events.counts(), degraded)

    return Doctor(embedder.identity if embedder else "none (words alone)", look_at_home, capture_status)
