"""After the answer: turns go into the inbox at once, and a worker behind makes entries of them."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from tercet.errors import InvalidInputError, TercetError, TransientError
from tercet.handover import turn_items, with_ids, without_secrets
from tercet.model import Turn

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from datetime import datetime

    from tercet.capture.transcripts import Transcript
    from tercet.capture.worker import CaptureReport, CaptureWorker
    from tercet.layers.active.memory import ActiveMemory
    from tercet.model import InboxItem
    from tercet.ports import Clock, EventSink, Ledger, WriterLock
    from tercet.settings import CaptureSettings

HANDOVER_S = 2.0
"""How long the inbox may take; after it the turn is spooled."""
RETRY_S = 5.0
"""How long a paused capture waits before it tries again."""
LONG_TEXT = 20_000
"""Characters; the secrets of more are looked for beside the event loop."""
CLOSING_S = 60.0
"""How long closing waits for what is under way; what is left waits in the inbox."""


class Spool(Protocol):
    """Where a turn waits that the inbox would not take."""

    async def put(self, turn: Turn, received_at: datetime) -> None:
        """Write a turn durably."""
        ...

    async def waiting(self) -> list[tuple[str, Turn, datetime]]:
        """Return (name, turn, when it was handed over), oldest first."""
        ...

    async def done(self, name: str) -> None:
        """Drop a turn that is in the inbox now."""
        ...

    def count(self) -> tuple[int, int]:
        """Return how many turns wait, and how many files could not be read."""
        ...


@dataclass(frozen=True, slots=True)
class LoopParts:
    """What capturing works with."""

    agent: str
    settings: CaptureSettings
    ledger: Ledger
    worker: CaptureWorker
    spool: Spool
    lock: WriterLock
    """Held by the one process that makes entries."""
    clock: Clock
    events: EventSink
    tidy: Callable[[], Awaitable[None]]
    """Lets the engine drop what was forgotten for good."""
    keeps_entries: bool = True
    """False where no layer searches entries: then no message goes into the inbox."""
    active: ActiveMemory | None = None
    """Keeps the windows of conversations; None where that layer is not used."""


class CaptureLoop:
    """Takes turns in and works them into entries behind the agent's back."""

    def __init__(self, parts: LoopParts) -> None:
        """Hold the parts; the worker starts with the first turn."""
        self._parts = parts
        self._wake = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._stopping = False
        self._timer: asyncio.TimerHandle | None = None
        self._moments: set[datetime] = set()
        """When to look for work although nobody speaks: bytes to be erased, extractions to be tried again."""
        self._held: list[tuple[Turn, datetime]] = []
        """Turns that neither the inbox nor the disk would take."""
        self.degraded: str | None = None
        """Why the rules selected when messages were last worked in, and not the model; None when it did."""

    async def agent_end(self, turn: Turn) -> None:
        """Return as soon as the turn is durable; never raise but for bad input.

        Raises:
            IdentityError, InvalidInputError: the session key is malformed, or a time has no zone.
        """
        received_at = self._parts.clock.now()
        keep_all = self._parts.settings.select == "all"
        if not self._parts.settings.enabled:
            return
        given, turn = turn, await _without_secrets(turn)
        items = turn_items(turn, self._parts.agent, received_at, keep_all=keep_all)
        try:
            async with asyncio.timeout(HANDOVER_S):
                await self._put(items)
        except InvalidInputError:
            raise
        except (TercetError, OSError):  # a TimeoutError is an OSError
            await self._spool(turn, received_at)
        # The window has the answers and tool calls too, and takes what is secret out itself.
        await self._into_window(given, received_at)
        self.wake()

    async def _put(self, items: Sequence[InboxItem]) -> None:
        if items and self._parts.keeps_entries:
            self._parts.events.count("capture.handed_over", await self._parts.ledger.inbox.put(items))

    async def _into_window(self, turn: Turn, received_at: datetime) -> None:
        if self._parts.active is not None:
            await self._parts.active.remember_turn(turn, received_at)

    async def capture(self, transcript: Transcript, session_key: str) -> CaptureReport:
        """Take a whole transcript in and work it into entries.

        Raises:
            IdentityError, InvalidInputError: the session key or a time is wrong (permanent).
            TransientError: the ledger is busy.
        """
        turn = await _without_secrets(Turn(session_key, tuple(with_ids(transcript.messages))))
        keep_all = self._parts.settings.select == "all"
        items = turn_items(turn, self._parts.agent, self._parts.clock.now(), keep_all=keep_all)
        if self._parts.settings.enabled:
            await self._put(items)
        return await self.flush()

    async def flush(self) -> CaptureReport:
        """Work in everything that waits, as far as the embedder lets it; then erase what is due."""
        parts = self._parts
        await parts.lock.acquire()
        try:
            await self._take_spooled()
            report = await parts.worker.drain()
        finally:
            parts.lock.release()
        if report.degraded is not None:
            parts.events.count("capture.by_rules")
            self.degraded = report.degraded
        elif report.kept:
            self.degraded = None
        await self.erase_due()
        return report

    async def take_in(self) -> None:
        """Bring into the inbox what it would not take before, so that a forget finds it there."""
        parts = self._parts
        if not self._held and not parts.spool.count()[0]:
            return
        await parts.lock.acquire()
        try:
            await self._take_spooled()
        finally:
            parts.lock.release()

    async def catch_up(self) -> None:
        """Work in what waits, if anything does; what cannot be now goes on waiting."""
        with suppress(TransientError):
            await self._flush_if_due()

    async def erase_due(self) -> None:
        """Erase the bytes of what was forgotten an hour ago; opens nothing when nothing is due."""
        with suppress(TransientError):
            if await self._parts.ledger.journal.purge(self._parts.clock.now()):
                await self._parts.tidy()

    def erase_at(self, moment: datetime) -> None:
        """Look for what is to be erased when its hour is over, if this process still runs then."""
        self._wake_at(moment)

    def _wake_at(self, moment: datetime | None) -> None:
        """Let the worker look at a moment too; None is no moment."""
        if moment is not None:
            self._moments.add(moment)
        now = self._parts.clock.now()
        self._moments = {each for each in self._moments if each >= now}
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._moments:
            seconds = (min(self._moments) - now).total_seconds() + 1.0
            self._timer = asyncio.get_running_loop().call_later(seconds, self.wake)

    async def _flush_if_due(self) -> bool:
        """Work in what waits; returns whether something waits on. Without any, neither engine nor model is opened."""
        waiting = (await self._parts.ledger.inbox.status()).waiting
        if waiting or self._held or self._parts.spool.count()[0]:
            return bool((await self.flush()).waiting)
        await self.erase_due()
        return False

    def wake(self) -> None:
        """Let the worker look for work, behind whoever calls this."""
        self._wake.set()
        if (self._task is None or self._task.done()) and not self._stopping:
            self._task = asyncio.create_task(self._run())

    async def close(self) -> None:
        """Wait for what is under way; what is not durable yet is made so."""
        self._stopping = True
        if self._timer is not None:
            self._timer.cancel()
        self._wake.set()
        if self._task is not None:
            await asyncio.wait({self._task}, timeout=CLOSING_S)
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        for turn, received_at in self._held[:]:
            await self._spool(turn, received_at)
        if self._parts.active is not None:
            await self._parts.active.close()

    async def _run(self) -> None:
        while self._wake.is_set():
            self._wake.clear()
            try:
                paused = await self._flush_if_due()
                if self._parts.active is not None:
                    await self._parts.active.extract_due()
                    self._wake_at(await self._parts.active.next_try())
                else:
                    self._wake_at(None)
            except (TercetError, OSError):
                self._parts.events.count("capture.failed")
                paused = True
            if self._stopping:
                return
            if paused:
                try:
                    async with asyncio.timeout(RETRY_S):
                        await self._wake.wait()
                except TimeoutError:
                    self._wake.set()

    async def _spool(self, turn: Turn, received_at: datetime) -> None:
        entry = (turn, received_at)
        try:
            await self._parts.spool.put(turn, received_at)
            self._parts.events.count("capture.spooled")
        except (TercetError, OSError):
            # Neither the ledger nor the disk takes it: it is held here, and tried again.
            if entry not in self._held:
                self._held.append(entry)
                self._parts.events.count("capture.held")
        else:
            if entry in self._held:
                self._held.remove(entry)

    async def _take_spooled(self) -> None:
        parts = self._parts
        keep_all = parts.settings.select == "all"
        for name, spooled, received_at in await parts.spool.waiting():
            turn = await _without_secrets(spooled)  # a hook that spools for us does not know their shapes
            await self._put(turn_items(turn, parts.agent, received_at, keep_all=keep_all))
            await self._into_window(turn, received_at)
            await parts.spool.done(name)
        for turn, received_at in self._held[:]:
            await self._put(turn_items(turn, parts.agent, received_at, keep_all=keep_all))
            await self._into_window(turn, received_at)
            self._held.remove((turn, received_at))


async def _without_secrets(turn: Turn) -> Turn:
    if sum(len(message.text) for message in turn.messages) > LONG_TEXT:
        return await asyncio.to_thread(without_secrets, turn)
    return without_secrets(turn)
