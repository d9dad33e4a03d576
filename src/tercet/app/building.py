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
from tercet.adapters.sqlite.ledger import SqliteLedger
from tercet.app.active import make_active_memory
from tercet.app.extractors import make_extractors
from tercet.app.home_checks import check_cache, check_home
from tercet.app.layers import has_own_wiki, make_layers
from tercet.app.providers import make_embedder
from tercet.app.semantic import ENTRIES_LOCK_WAIT_S, entries_lock, make_files, make_semantic_parts
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
    from tercet.layers.semantic.layer import SemanticLayer
    from tercet.layers.wiki.layer import WikiLayer
    from tercet.model import Finding
    from tercet.ports import Embedder
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


async def build_async(loaded: LoadedSettings | None = None) -> AsyncMemory:
    """Return a memory for async code; the same as ``build`` otherwise."""
    loaded = loaded or load_settings()
    settings = loaded.settings
    checked_agent(settings.agent)
    embedder = make_embedder(settings.embedding)
    ensure_private_directory(settings.home)
    extractors = make_extractors(settings)
    ledger = await SqliteLedger.open(settings.home)
    closing = AsyncExitStack()
    closing.push_async_callback(ledger.close)
    closing.push_async_callback(extractors.close)
    try:
        return await _assembled(loaded, embedder, extractors, ledger, closing)
    except BaseException:
        await closing.aclose()
        raise


async def _assembled(
    loaded: LoadedSettings,
    embedder: Embedder | None,
    extractors: Extractors,
    ledger: SqliteLedger,
    closing: AsyncExitStack,
) -> AsyncMemory:
    settings = loaded.settings
    clock, events, spool = SystemClock(), Counters(), TurnSpool(settings.home / "spool" / settings.agent)
    files = make_files(settings)
    closing.push_async_callback(files.close)
    wiki_parts = make_wiki_parts(settings, clock)
    chosen = chosen_layers(settings.home)
    vault = vault_of(settings) if has_own_wiki(chosen) else None
    semantic_parts = make_semantic_parts(settings, ledger, files, embedder, vault)
    layers = make_layers(settings, chosen, semantic_parts, wiki_parts, ledger.windows, clock, events)
    closing.push_async_callback(layers.close)
    semantic = layers.semantic
    accesses = AccessNotes(ledger.accesses, clock, events)
    closing.push_async_callback(accesses.settled)
    host = Host(layers.by_slot, ledger.journal, events, accesses=accesses)
    active = make_active_memory(settings, ledger, layers, extractors, clock, events) if layers.uses_active else None

    lock = entries_lock(settings, ENTRIES_LOCK_WAIT_S)
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
            lock,
            clock,
            events,
            semantic.tidy,
            layers.uses_semantic,
            active,
        )
    )
    keeping = _keeping(settings, ledger, semantic, host, worker, clock, layers.notes)
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
    ledger: SqliteLedger,
    semantic: SemanticLayer,
    host: Host,
    worker: CaptureWorker,
    clock: SystemClock,
    notes: WikiLayer,
) -> Keeping:
    async def sync() -> None:
        # The journal already says what counts; who holds the lock tells the index when it is done.
        with suppress(TransientError):
            async with entries_lock(settings, SYNC_WAIT_S):
                await semantic.tell_entries()

    return Keeping(
        KeepingParts(
            settings.agent,
            ledger,
            host,
            worker,
            entries_lock(settings, ENTRIES_LOCK_WAIT_S),
            clock,
            settings.identity.links,
            settings.recall.shared_in_groups,
            sync,
            note_retractor(notes, entries_lock(settings, SYNC_WAIT_S)),
            notes.paths_of,
        )
    )


def _cross_references(settings: Settings, ledger: SqliteLedger, layers: Layers, keeping: Keeping) -> CrossReferences:
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
    ledger: SqliteLedger,
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
    ledger: SqliteLedger,
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
