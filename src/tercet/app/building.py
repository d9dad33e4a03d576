"""From settings to a memory."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from tercet.adapters.clock import SystemClock
from tercet.adapters.counters import Counters
from tercet.adapters.files.atomic_write import ensure_private_directory
from tercet.adapters.files.watch import changes
from tercet.adapters.spool import TurnSpool
from tercet.adapters.sqlite.ledger import SqliteLedger
from tercet.app.home_checks import check_cache, check_home
from tercet.app.providers import make_embedder
from tercet.app.semantic import entries_lock, make_files, make_semantic
from tercet.capture.selection import RuleExtractor
from tercet.capture.worker import CaptureWorker, WorkerParts
from tercet.config import LoadedSettings, load_settings
from tercet.diagnosis import CaptureStatus, Doctor
from tercet.errors import TransientError
from tercet.host import Host
from tercet.identity import checked_agent
from tercet.keeping import Keeping, KeepingParts
from tercet.loop import CaptureLoop, LoopParts
from tercet.memory import AsyncMemory, Memory, MemoryParts

if TYPE_CHECKING:
    from tercet.layers.semantic.layer import SemanticLayer
    from tercet.model import Finding
    from tercet.settings import Settings

ENTRIES_LOCK_WAIT_S = 60.0
"""Entries are made in batches of seconds; only a rebuild holds them for longer."""
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
    home = settings.home
    ensure_private_directory(home)
    ledger = await SqliteLedger.open(home)
    files = make_files(settings)
    semantic = make_semantic(settings, ledger, files, embedder)

    async def look_at_home(fix: bool) -> list[Finding]:  # noqa: FBT001 - a callback with one meaning
        return [*check_home(home, fix=fix), *await asyncio.to_thread(check_cache, home, fix=fix)]

    async def close() -> None:
        await semantic.close()
        await files.close()
        await ledger.close()

    events, spool, clock = Counters(), TurnSpool(home / "spool" / settings.agent), SystemClock()

    async def capture_status() -> CaptureStatus:
        inbox = await ledger.inbox.status(settings.agent)
        return CaptureStatus(inbox.waiting, inbox.oldest, inbox.dead, *spool.count(), events.counts())

    host = Host({"semantic": semantic}, ledger.journal, events)
    try:
        loop, keeping = _loop_and_keeping(settings, ledger, semantic, host, spool, clock, events)
    except BaseException:
        await close()
        raise
    await loop.erase_due()
    doctor = Doctor(embedder.identity if embedder else "none (words alone)", look_at_home, capture_status)
    watch = partial(changes, say_when_watching=True)
    return AsyncMemory(MemoryParts(loaded, host, semantic, doctor, loop, keeping, clock, watch, close))


def _loop_and_keeping(
    settings: Settings,
    ledger: SqliteLedger,
    semantic: SemanticLayer,
    host: Host,
    spool: TurnSpool,
    clock: SystemClock,
    events: Counters,
) -> tuple[CaptureLoop, Keeping]:
    lock = entries_lock(settings, ENTRIES_LOCK_WAIT_S)
    rules = RuleExtractor()
    worker = CaptureWorker(
        WorkerParts(ledger, semantic.engine, semantic.embed_rows, rules, rules, clock, settings.capture.max_per_turn)
    )
    loop = CaptureLoop(
        LoopParts(settings.agent, settings.capture, ledger, worker, spool, lock, clock, events, semantic.tidy)
    )

    async def sync() -> None:
        # The journal already says what counts; who holds the lock tells the index when it is done.
        with suppress(TransientError):
            async with entries_lock(settings, SYNC_WAIT_S):
                await semantic.tell_entries()

    keeping = Keeping(
        KeepingParts(
            settings.agent,
            ledger,
            host,
            worker,
            lock,
            clock,
            settings.identity.links,
            settings.recall.shared_in_groups,
            sync,
        )
    )
    return loop, keeping
