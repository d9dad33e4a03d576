"""``kill -9`` in the middle of a write of windows or entries: every fact of a session is there exactly once.

Run as a script this file hands turns over, extracts, and kills itself before or after a write:
``HOME FIRST_TURN WRITE before|after``. The suite takes a few points; TERCET_LONG_TESTS=1 takes 60.
"""

import asyncio
import os
import random
import signal
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tercet.adapters.counters import Counters
from tercet.adapters.lock import WriterLock
from tercet.adapters.sqlite.connection import Database
from tercet.adapters.sqlite.ledger import SqliteLedger
from tercet.capture.digest import RuleSessionExtractor
from tercet.capture.selection import RuleExtractor
from tercet.capture.session_extraction import LEASE_S, SessionExtraction, SessionExtractionParts
from tercet.layers.active.gate import ExtractionGate
from tercet.layers.active.memory import ActiveMemory, ActiveParts
from tercet.model import Message, Turn
from tercet.testing.active_home import AT, OF_ANN, ActiveHome, StandingClock

POINTS = 60 if os.environ.get("TERCET_LONG_TESTS") == "1" else 6
TURNS = 5
"""Of one process, if it lives that long."""


def turn_of(number: int) -> Turn:
    """Return a turn that tells one thing; its messages have ids, so that handing it over again is no second turn."""
    at = AT + timedelta(minutes=number)
    return Turn(
        "telegram:1",
        (
            Message("user", f"My locker number {number} is at the station of line {1000 + number}.", f"m{number}", at),
            Message("tool", "a result", f"t{number}", at),
            Message("assistant", "Good to know.", f"a{number}", at),
        ),
    )


def active_over(home: Path, ledger: SqliteLedger, round_number: int) -> ActiveMemory:
    """Return an active memory whose gate opens at two turns; every round's leases have run out by the next."""
    store = ActiveHome()
    clock = StandingClock(AT + timedelta(seconds=2 * LEASE_S * round_number))
    rules = RuleSessionExtractor()
    extraction = SessionExtraction(
        SessionExtractionParts(
            ledger=ledger,
            engine=store.open_engine,
            embed=store.embed,
            extractor=rules,
            rules=rules,
            selector=RuleExtractor(),
            lock=WriterLock(home, file="entries.lock"),
            clock=clock,
            events=Counters(),
            window_tokens=60,
        )
    )
    gate = ExtractionGate(min_tokens=1, min_tool_calls=2, min_turns=2)
    return ActiveMemory(ActiveParts("main", ledger.windows, extraction, clock, Counters(), gate))


def die_at(write: int, *, before: bool) -> None:
    """Let this process kill itself before or after the given write, from 1, of the ledger."""
    plain = Database._write
    seen = 0

    def counting(self: Database, *args: Any, **kwargs: Any) -> Any:
        nonlocal seen
        seen += 1
        if seen == write and before:
            os.kill(os.getpid(), signal.SIGKILL)
        result = plain(self, *args, **kwargs)
        if seen == write:
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    Database._write = counting  # type: ignore[method-assign]


async def live_through(home: Path, first: int, round_number: int) -> None:
    """Hand turns over and extract after each."""
    ledger = await SqliteLedger.open(home)
    active = active_over(home, ledger, round_number)
    for number in range(first, first + TURNS):
        await active.remember_turn(turn_of(number), AT)
        await active.extract_due()
    await ledger.close()


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
async def test_every_fact_is_there_once_after_any_kill(tmp_path: Path) -> None:
    """L18, U6"""
    rng = random.Random(20260302)
    killed = 0
    for point in range(POINTS):
        order = ("before", "after")[point % 2]
        arguments = [str(tmp_path), str(point * TURNS), str(rng.randint(1, 14)), order, str(point)]
        done = await asyncio.to_thread(
            subprocess.run, [sys.executable, __file__, *arguments], capture_output=True, check=False, text=True
        )
        assert done.returncode in {0, -signal.SIGKILL}, done.stderr
        killed += done.returncode == -signal.SIGKILL
    assert killed >= POINTS // 2
    ledger = await SqliteLedger.open(tmp_path)
    active = active_over(tmp_path, ledger, POINTS)
    for number in range(POINTS * TURNS):
        await active.remember_turn(turn_of(number), AT)  # the host hands over again what it is not sure of
    await active.flush()
    live = sorted(entry.text for entry in await ledger.journal.live(OF_ANN))
    assert live == sorted(turn_of(number).messages[0].text for number in range(POINTS * TURNS))
    (status,) = await active.status()
    assert (status.state.tokens, status.state.tool_calls, status.state.turns) == (0, 0, 0)
    assert await ledger.terms.faults() == []
    await ledger.close()


if __name__ == "__main__":
    folder, start, nth, when, round_ = sys.argv[1:]
    die_at(int(nth), before=when == "before")
    asyncio.run(live_through(Path(folder), int(start), int(round_)))
