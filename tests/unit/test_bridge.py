"""The loop thread: results, errors, callers from many threads, and a clean end."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from tercet.bridge import LoopThread


@pytest.fixture
def loop():
    loop = LoopThread()
    yield loop
    loop.close()


async def double(value):
    await asyncio.sleep(0)
    return 2 * value


async def fail():
    msg = "as meant"
    raise KeyError(msg)


def test_results_and_errors_come_back(loop):
    assert loop.run(double(21)) == 42
    with pytest.raises(KeyError, match="as meant"):
        loop.run(fail())
    assert loop.run(double(1)) == 2


def test_many_threads_may_call_at_once(loop):
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda value: loop.run(double(value)), range(100))) == [2 * value for value in range(100)]


def test_calling_from_the_loop_itself_is_refused_instead_of_hanging(loop):
    async def within():
        return loop.run(double(1))

    with pytest.raises(RuntimeError, match="AsyncMemory"):
        loop.run(within())


def test_closing_cancels_what_runs_and_ends_generators(loop):
    ended = []

    async def forever():
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("task")

    async def numbers():
        try:
            yield 1
        finally:
            ended.append("generator")

    kept = []

    async def start():
        kept.append(asyncio.ensure_future(forever()))
        kept.append(numbers())
        await anext(kept[1])

    loop.run(start())
    loop.close()
    assert sorted(ended) == ["generator", "task"]
    assert kept[0].cancelled()
    loop.close()
    assert loop.is_closed
    with pytest.raises(RuntimeError, match="closed"):
        loop.run(double(1))
    assert "tercet" not in {thread.name for thread in threading.enumerate()}
