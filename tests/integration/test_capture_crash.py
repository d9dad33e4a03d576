"""``kill -9`` of the caller and of the worker while turns are handed over: each is stored exactly once.

Run as a script this file hands over, works and kills: ``HOME POINTS TURNS_A_POINT SEED``. The suite
takes a few points; TERCET_LONG_TESTS=1 takes 50 points and 500 turns.
"""

import asyncio
import os
import random
import signal
import subprocess
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Coroutine, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest

from tercet.adapters.sqlite.ledger import SqliteLedger
from tercet.capture.entry_sync import sync_entries
from tercet.capture.worker import LEASE_S, CaptureWorker, WorkerParts
from tercet.errors import EngineUnavailableError
from tercet.filters import Filter
from tercet.model import InboxItem, Reach, Row, Scope
from tercet.ports.capture import Extracted
from tercet.ports.engine import Engine
from tercet.testing.memory_engine import MemoryEngine

LONG = os.environ.get("TERCET_LONG_TESTS") == "1"
POINTS, TURNS = (50, 10) if LONG else (12, 8)
ANN = Scope("main", "telegram:1")
OF_ANN = Reach("main", ("telegram:1",))
AT = datetime(2026, 1, 5, 12, tzinfo=UTC)


class Whole:
    """Keeps a message as it is."""

    identity = "whole"

    async def extract(self, text: str) -> list[Extracted]:
        return [Extracted(text, "fact", 0.7)]


class RoundClock:
    """Each round's leases have run out by the next."""

    def __init__(self, point: int) -> None:
        self._now = AT + timedelta(seconds=point * 2 * LEASE_S)

    def now(self) -> datetime:
        return self._now


def text_of(number: int) -> str:
    return f"Box {number} of the attic holds the letters of {1900 + number}"


async def no_engine() -> Engine:
    msg = "no engine in this test"
    raise EngineUnavailableError(msg)


async def without_vectors(rows: Sequence[Row]) -> Sequence[Row]:
    return rows


async def hand_over(home: Path, upto: int) -> None:
    """Hand over what was not acknowledged yet, a turn in doubt again, and note each that is durable."""
    ledger = await SqliteLedger.open(home)
    acknowledged = home / "acknowledged"
    done = len(acknowledged.read_text().split()) if acknowledged.exists() else 0
    for number in range(done, upto):
        said_at = AT + timedelta(minutes=number)
        await ledger.inbox.put([InboxItem(f"m{number}", ANN, ANN.anchor, f"m{number}", text_of(number), said_at, AT)])
        with acknowledged.open("a") as file:
            file.write(f"{number}\n")
    await ledger.close()


async def work(home: Path, point: int, *, once: bool = False) -> None:
    """Work in what waits, again and again for as long as it lives."""
    ledger = await SqliteLedger.open(home)
    worker = CaptureWorker(WorkerParts(ledger, no_engine, without_vectors, Whole(), Whole(), RoundClock(point)))
    await worker.drain()
    while not once:
        await worker.drain()
    await ledger.close()


def forked(job: Callable[[], Coroutine[object, object, None]]) -> int:
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            asyncio.run(job())
            status = 0
        except BaseException:
            traceback.print_exc()
            raise
        finally:
            os._exit(status)
    return pid


def ended(child: int) -> None:
    """Wait for a child; one that ended by itself with an error is a failure of the test."""
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0, "a caller or worker failed by itself"


def kill_again_and_again(home: Path, points: int, turns: int, seed: int) -> None:
    rng = random.Random(seed)
    for point in range(points):
        children = [forked(partial(hand_over, home, (point + 1) * turns)), forked(partial(work, home, point))]
        # The point of the kill is random in time: in a transaction, between two, before the first.
        time.sleep(rng.uniform(0.01, 0.16))
        for child in rng.sample(children, 2):
            os.kill(child, signal.SIGKILL)
            ended(child)
    ended(forked(partial(hand_over, home, points * turns)))
    ended(forked(partial(work, home, points, once=True)))


@pytest.mark.parametrize("seed", [1, 2] if LONG else [1])
def test_every_turn_is_stored_exactly_once_whoever_is_killed(tmp_path: Path, seed: int) -> None:
    """L22, U3."""
    command = [sys.executable, __file__, str(tmp_path), str(POINTS), str(TURNS), str(seed)]
    subprocess.run(command, check=True, timeout=300)
    asyncio.run(check(tmp_path))


async def check(home: Path) -> None:
    ledger = await SqliteLedger.open(home)
    entries = await ledger.journal.live(OF_ANN, limit=10_000)
    assert Counter(entry.text for entry in entries) == Counter(text_of(number) for number in range(POINTS * TURNS))
    assert {entry.seen for entry in entries} == {1}, "a turn was counted as told twice"
    assert [entry.text for entry in entries] == [text_of(number) for number in reversed(range(POINTS * TURNS))]
    status = await ledger.inbox.status()
    assert (status.waiting, status.dead) == (0, 0)
    assert await ledger.terms.faults() == []
    engine = MemoryEngine()
    await engine.open(None)
    await sync_entries(ledger.journal, engine, without_vectors)
    assert len(await engine.scan(Filter(OF_ANN), limit=10_000)) == POINTS * TURNS
    await ledger.close()


if __name__ == "__main__":
    kill_again_and_again(Path(sys.argv[1]), *map(int, sys.argv[2:5]))
