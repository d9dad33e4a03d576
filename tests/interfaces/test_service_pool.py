"""Memories of several agents in one process: one each, bounded, none closed while it answers."""

from __future__ import annotations

import asyncio

import pytest

from tercet.config import load_settings
from tercet.errors import IdentityError, LedgerBusyError, TransientError
from tercet.interfaces.http.pool import MemoryPool


class Recorded:
    """A memory that says when it was closed."""

    def __init__(self, agent):
        self.agent = agent
        self.is_closed = False

    async def close(self):
        self.is_closed = True


@pytest.fixture
def built():
    return []


@pytest.fixture
def pool(home, built):
    async def build(loaded):
        built.append(Recorded(loaded.settings.agent))
        await asyncio.sleep(0)
        return built[-1]

    return MemoryPool(load_settings({"home": str(home)}), most_open=2, build=build)


async def test_requests_that_come_together_share_one_memory(pool, built):
    async def one():
        async with pool.lend("ada") as memory:
            return memory

    found = await asyncio.gather(*(one() for _ in range(10)))
    assert set(found) == set(built)
    assert [memory.agent for memory in built] == ["ada"]
    await pool.close()
    assert built[0].is_closed


async def test_the_least_used_is_let_go_and_made_again(pool, built):
    for agent in ("ada", "ben", "ada", "cy"):
        async with pool.lend(agent):
            pass
    async with pool.lend("ada"):
        pass
    assert [memory.agent for memory in built] == ["ada", "ben", "cy"]
    async with pool.lend("ben"):
        pass
    await pool.close()
    assert [memory.agent for memory in built] == ["ada", "ben", "cy", "ben"]
    assert all(memory.is_closed for memory in built)


async def test_one_in_use_is_never_closed(pool, built):
    async with pool.lend("ada") as ada, pool.lend("ben"):
        with pytest.raises(TransientError, match="try again"):
            async with pool.lend("cy"):
                pass
        assert not ada.is_closed
    async with pool.lend("cy"):
        pass
    assert len(built) == 3
    await pool.close()


async def test_a_malformed_agent_makes_nothing(pool, built):
    with pytest.raises(IdentityError):
        async with pool.lend("../other"):
            pass
    assert built == []


async def test_a_memory_that_could_not_be_made_is_tried_again(home):
    tries = []

    async def build(loaded):
        tries.append(loaded)
        if len(tries) == 1:
            msg = "busy"
            raise LedgerBusyError(msg)
        return Recorded("main")

    pool = MemoryPool(load_settings({"home": str(home)}), build=build)
    with pytest.raises(LedgerBusyError):
        async with pool.lend("main"):
            pass
    async with pool.lend("main") as memory:
        assert memory.agent == "main"
    await pool.close()


async def test_a_request_that_is_given_up_stops_no_other(home):
    go = asyncio.Event()

    async def build(loaded):
        await go.wait()
        return Recorded("main")

    pool = MemoryPool(load_settings({"home": str(home)}), build=build)

    async def one():
        async with pool.lend("main") as memory:
            return memory

    first, second = asyncio.create_task(one()), asyncio.create_task(one())
    await asyncio.sleep(0)
    first.cancel()
    await asyncio.gather(first, return_exceptions=True)
    go.set()
    assert (await second).agent == "main"
    await pool.close()
