"""One adapter's threads: bounded, in order with one worker, and deaf to those who left."""

from __future__ import annotations

import asyncio
import contextvars
import threading

import pytest

from tercet.adapters.executor import BlockingExecutor
from tercet.errors import TransientError


@pytest.fixture
async def single():
    executor = BlockingExecutor(1, "test")
    yield executor
    await executor.close()


async def test_results_errors_and_context_come_through(single):
    variable = contextvars.ContextVar("variable", default="unset")
    variable.set("seen")
    assert await single.run(lambda a, *, b: a + b, 1, b=2) == 3
    assert await single.run(variable.get) == "seen"
    with pytest.raises(ZeroDivisionError):
        await single.run(lambda: 1 // 0)


async def test_one_worker_keeps_the_order_and_leaves_the_loop_free(single):
    gate, seen = threading.Event(), []

    def first() -> None:
        gate.wait(10)
        seen.append(1)

    blocked = asyncio.create_task(single.run(first))
    queued = asyncio.create_task(single.run(seen.append, 2))
    await asyncio.sleep(0)
    assert seen == []
    gate.set()
    await asyncio.gather(blocked, queued)
    assert seen == [1, 2]


async def test_a_cancelled_caller_leaves_at_once_and_its_result_is_dropped(single):
    started, gate, seen = threading.Event(), threading.Event(), []

    def slow() -> None:
        started.set()
        gate.wait(10)
        seen.append("ran")
        raise ValueError

    running = asyncio.create_task(single.run(slow))
    queued = asyncio.create_task(single.run(seen.append, "queued"))
    await asyncio.to_thread(started.wait, 10)
    for task in (running, queued):
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    gate.set()
    assert await single.run(lambda: "next") == "next"
    assert seen == ["ran"]


async def test_no_more_than_max_workers_run_at_a_time():
    executor, gate = BlockingExecutor(2, "test"), threading.Event()
    both = threading.Barrier(3)
    running, most, lock = 0, 0, threading.Lock()

    def work() -> None:
        nonlocal running, most
        with lock:
            running, most = running + 1, max(most, running + 1)
        if not gate.is_set():
            both.wait(10)
        gate.wait(10)
        with lock:
            running -= 1

    tasks = [asyncio.create_task(executor.run(work)) for _ in range(6)]
    await asyncio.to_thread(both.wait, 10)
    gate.set()
    await asyncio.gather(*tasks)
    await executor.close()
    assert most == 2


async def test_closing_waits_for_accepted_work_and_refuses_more():
    executor, seen = BlockingExecutor(1, "ledger"), []
    accepted = asyncio.create_task(executor.run(seen.append, 1))
    await asyncio.sleep(0)
    await executor.close()
    await executor.close()
    await accepted
    assert seen == [1]
    with pytest.raises(TransientError, match="ledger adapter is closed"):
        await executor.run(seen.append, 2)
