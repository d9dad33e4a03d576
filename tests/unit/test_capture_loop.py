"""The loop after the answer: durable at once, never in the agent's way, nothing lost."""

from __future__ import annotations

import asyncio
import stat
from dataclasses import dataclass, field
from datetime import UTC, datetime

import pytest

from tercet.adapters.counters import Counters
from tercet.adapters.spool import TurnSpool
from tercet.errors import EngineUnavailableError, IdentityError, LedgerBusyError
from tercet.loop import CaptureLoop, LoopParts
from tercet.model import Message, Turn
from tercet.settings import CaptureSettings
from tercet.testing.memory_ledger import MemoryLedger

NOW = datetime(2026, 6, 1, tzinfo=UTC)


class Clock:
    def now(self):
        return NOW


class Lock:
    async def acquire(self):
        pass

    def try_acquire(self):
        return True

    def release(self):
        pass


@dataclass
class Report:
    waiting: int = 0
    kept: int = 0
    degraded: str | None = None


@dataclass
class Worker:
    """Counts what it is asked; fails while ``failure`` is set."""

    ledger: MemoryLedger
    failure: Exception | None = None
    drained: int = 0
    done: asyncio.Event = field(default_factory=asyncio.Event)

    async def drain(self):
        self.drained += 1
        if self.failure:
            raise self.failure
        items = await self.ledger.inbox.claim(100, NOW, 60)
        await self.ledger.journal.apply([], at=NOW, done=[item.id for item in items])
        self.done.set()
        return Report()


class World:
    def __init__(self, folder):
        self.folder = folder / "spool"
        self.ledger = MemoryLedger()
        self.worker = Worker(self.ledger)
        self.counters = Counters()

    def loop(self, **settings):
        async def tidy():
            pass

        return CaptureLoop(
            LoopParts(
                "main",
                CaptureSettings(**settings),
                self.ledger,
                self.worker,
                TurnSpool(self.folder),
                Lock(),
                Clock(),
                self.counters,
                tidy,
            )
        )

    def break_inbox(self, monkeypatch, failure):
        async def put(items):
            raise failure

        monkeypatch.setattr(self.ledger.inbox, "put", put)


@pytest.fixture
def world(tmp_path):
    return World(tmp_path)


def turn(*texts, key="telegram:1"):
    return Turn(key, tuple(Message("user", text, id=text) for text in texts))


async def waiting(world):
    return (await world.ledger.inbox.status()).waiting


async def test_a_turn_is_worked_in_behind_the_agent(world):
    loop = world.loop()
    await loop.agent_end(turn("tea", "milk"))
    assert await waiting(world) == 2
    await loop.close()
    assert await waiting(world) == 0
    assert world.counters.counts()["capture.handed_over"] == 2


async def test_a_second_turn_wakes_the_worker_again(world):
    loop = world.loop()
    await loop.agent_end(turn("tea"))
    await world.worker.done.wait()
    world.worker.done.clear()
    await asyncio.sleep(0)
    await loop.agent_end(turn("milk"))
    await world.worker.done.wait()
    await loop.close()
    assert await waiting(world) == 0


@pytest.mark.parametrize("failure", [LedgerBusyError("busy"), OSError("disk"), EngineUnavailableError("away")])
async def test_when_the_inbox_is_away_the_turn_is_one_private_file_and_comes_in_later(world, monkeypatch, failure):
    loop = world.loop()
    with monkeypatch.context() as patch:
        world.break_inbox(patch, failure)
        await loop.agent_end(turn("tea \ud800", "milk"))
        (file,) = world.folder.iterdir()
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert stat.S_IMODE(world.folder.stat().st_mode) == 0o700
        await loop.close()
        assert [each.name for each in world.folder.iterdir()] == [file.name]
    assert world.counters.counts()["capture.spooled"] == 1
    await world.loop().flush()
    assert list(world.folder.iterdir()) == []
    assert await world.ledger.inbox.put([]) == 0
    assert world.worker.drained >= 1


async def test_a_turn_that_comes_in_twice_from_the_spool_is_one(world, monkeypatch):
    loop = world.loop()
    with monkeypatch.context() as patch:
        world.break_inbox(patch, OSError("disk"))
        await loop.agent_end(turn("tea"))
        await loop.close()
    (file,) = world.folder.iterdir()
    copy = file.with_name(f"0{file.name}")
    copy.write_bytes(file.read_bytes())
    seen = []
    put = world.ledger.inbox.put

    async def counted(items):
        new = await put(items)
        seen.append(new)
        return new

    monkeypatch.setattr(world.ledger.inbox, "put", counted)
    await world.loop().flush()
    assert seen == [1, 0]


async def test_what_even_the_disk_refuses_is_held_and_never_raised(world, monkeypatch):
    loop = world.loop()
    with monkeypatch.context() as patch:
        world.break_inbox(patch, LedgerBusyError("busy"))

        def refuse(*_):
            msg = "full"
            raise OSError(msg)

        with monkeypatch.context() as full_disk:
            full_disk.setattr(TurnSpool, "_put", refuse)
            await loop.agent_end(turn("tea"))
        assert world.counters.counts()["capture.held"] == 1
        await loop.close()
    assert world.counters.counts()["capture.spooled"] == 1
    assert len(list(world.folder.iterdir())) == 1


async def test_a_file_that_is_no_turn_is_set_aside_and_the_rest_comes_in(world):
    world.folder.mkdir()
    (world.folder / "1.json").write_text("{")
    (world.folder / "2.json").write_text('{"sessionKey": "telegram:1", "messages": [{"role": "nobody"}]}')
    loop = world.loop()
    await loop.flush()
    assert sorted(each.name for each in world.folder.iterdir()) == ["1.unreadable", "2.unreadable"]
    assert TurnSpool(world.folder).count() == (0, 2)


async def test_bad_input_is_the_callers_to_know(world):
    with pytest.raises(IdentityError):
        await world.loop().agent_end(turn("tea", key="agent:main"))


async def test_a_worker_that_fails_is_counted_and_tried_again(world):
    world.worker.failure = EngineUnavailableError("away")
    loop = world.loop()
    await loop.agent_end(turn("tea"))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    await loop.close()
    assert world.counters.counts()["capture.failed"] >= 1
    assert await waiting(world) == 1


async def test_switched_off_nothing_is_kept(world):
    loop = world.loop(enabled=False)
    await loop.agent_end(turn("tea"))
    await loop.close()
    assert await waiting(world) == 0


@pytest.mark.parametrize(("select", "keep_all"), [("rules", False), ("all", True)])
async def test_the_selection_is_noted_with_the_item(world, select, keep_all):
    world.worker.failure = EngineUnavailableError("away")
    loop = world.loop(select=select)
    await loop.agent_end(turn("tea"))
    await loop.close()
    (item,) = await world.ledger.inbox.claim(9, NOW, 60)
    assert item.keep_all is keep_all
