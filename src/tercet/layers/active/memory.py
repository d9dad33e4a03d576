"""Active memory: takes turns into their windows, and extracts from sessions when it is time."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from tercet.capture.session_extraction import ExtractionReport
from tercet.errors import InvalidInputError, TercetError
from tercet.layers.active.gate import ExtractionGate
from tercet.layers.active.intake import session_of, window_turn
from tercet.layers.active.section import window_section

if TYPE_CHECKING:
    from datetime import datetime

    from tercet.capture.session_extraction import SessionExtraction
    from tercet.layers.active.intake import WindowTurn
    from tercet.model import Turn
    from tercet.ports.manager import Clock, EventSink
    from tercet.ports.windows import SessionStatus, SessionWindows

HANDOVER_S: Final = 2.0
"""How long the store may take for a turn; after it the turn is held here and tried again."""
MOST_HELD: Final = 200
"""Turns held while the store will not take them; of more the oldest go. What the user said in them
waits in the inbox all the same."""
LONG_TEXT: Final = 20_000
"""Characters; more is sanitised beside the event loop."""


@dataclass(frozen=True, slots=True)
class ActiveParts:
    """What active memory works with."""

    agent: str
    windows: SessionWindows
    extraction: SessionExtraction
    clock: Clock
    events: EventSink
    gate: ExtractionGate = field(default_factory=ExtractionGate)


class ActiveMemory:
    """The windows of one agent's sessions and what is drawn from them."""

    def __init__(self, parts: ActiveParts) -> None:
        """Hold the parts; nothing is opened yet."""
        self._parts = parts
        self._held: list[WindowTurn] = []

    async def remember_turn(self, turn: Turn, received_at: datetime) -> None:
        """Take a turn into its session's window; never raise but for bad input.

        A message that is known by its id (or text and time) is taken once, however often it is
        handed over. A store that is busy costs ``HANDOVER_S`` at most.

        Raises:
            IdentityError, InvalidInputError: the session key is malformed, or a time has no zone.
        """
        long = sum(len(message.text) for message in turn.messages) > LONG_TEXT
        taken = (
            await asyncio.to_thread(window_turn, turn, self._parts.agent, received_at)
            if long
            else window_turn(turn, self._parts.agent, received_at)
        )
        if taken.messages:
            self._held.append(taken)
            await self._put_held()

    async def extract_due(self) -> ExtractionReport:
        """Extract from every session whose gate is open, and from ended ones that hold anything worth keeping.

        Also catches up what a process left undone that died between the gate's opening and the
        extraction. Notes of topics that recur are written to.

        Raises:
            TransientError: the ledger is busy; nothing is lost.
        """
        await self._put_held()
        report = ExtractionReport()
        for status in await self._parts.windows.sessions(self._parts.agent):
            if self._parts.gate.is_due(status.state):
                await self._parts.extraction.extract(status.session, report)
            elif status.ended:
                await self._parts.extraction.extract(status.session, report, if_worth_it=True)
        await self._parts.extraction.update_notes(self._parts.agent, report)
        return report

    async def next_try(self) -> datetime | None:
        """Return when the first of the sessions that failed may be tried again, None when none waits for that.

        Raises:
            TransientError: the ledger is busy.
        """
        waiting = [
            status.retry_at
            for status in await self._parts.windows.sessions(self._parts.agent)
            if status.retry_at is not None and (status.ended or self._parts.gate.is_due(status.state))
        ]
        return min(waiting, default=None)

    async def flush(self, session_key: str | None = None) -> ExtractionReport:
        """Extract now whatever is not extracted yet, of one session or of all, whatever the gate says.

        Raises:
            IdentityError: the session key is malformed (permanent).
            TransientError: the ledger is busy; nothing is lost.
        """
        await self._put_held()
        report = ExtractionReport()
        for status in await self.status(session_key):
            await self._parts.extraction.extract(status.session, report, force=True)
        await self._parts.extraction.update_notes(self._parts.agent, report)
        return report

    async def end_session(self, session_key: str) -> None:
        """Note that a session is over; the next ``extract_due`` looks whether it holds anything worth keeping.

        Raises:
            IdentityError: the session key is malformed (permanent).
            TransientError: the ledger is busy.
        """
        session = session_of(session_key, self._parts.agent)
        await self._put_held()
        await self._parts.windows.end(session)

    async def status(self, session_key: str | None = None) -> tuple[SessionStatus, ...]:
        """Return how sessions stand, all of the agent's or one; an unknown one gives nothing.

        Raises:
            IdentityError: the session key is malformed (permanent).
        """
        wanted = session_of(session_key, self._parts.agent) if session_key is not None else None
        found = await self._parts.windows.sessions(self._parts.agent)
        return tuple(status for status in found if wanted in (None, status.session))

    async def window_section(self, session_key: str, budget_tokens: int) -> str:
        """Return the latest turns of a session for a prompt, fenced and escaped, within the budget; may be empty.

        Raises:
            IdentityError: the session key is malformed (permanent).
            TransientError: the ledger is busy.
        """
        session = session_of(session_key, self._parts.agent)
        return window_section(await self._parts.windows.window(session, budget_tokens), budget_tokens)

    async def close(self) -> None:
        """Try once more to make durable what is held."""
        await self._put_held()

    async def _put_held(self) -> None:
        """Bring into the store what is held, in order; what it will not take now is held on."""
        while self._held:
            taken = self._held[0]
            try:
                async with asyncio.timeout(HANDOVER_S):
                    new = await self._parts.windows.put(
                        taken.session, taken.messages, keep_tokens=self._parts.extraction.window_tokens
                    )
            except InvalidInputError:
                self._drop(taken)
                raise
            except (TercetError, OSError):  # a TimeoutError is an OSError
                self._parts.events.count("active.held")
                del self._held[:-MOST_HELD]
                return
            self._drop(taken)
            self._parts.events.count("active.messages", new)

    def _drop(self, taken: WindowTurn) -> None:
        # Another turn's call may have put it meanwhile: known keys are no error, but it is gone from here.
        with suppress(ValueError):
            self._held.remove(taken)
