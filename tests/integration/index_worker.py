"""Indexes folders in a process of its own that dies at a chosen step; run by test_index_crash.py.

Every durable step of ledger, engine, cache and files goes through one executor's ``run``. The n-th
call of it is where the process kills itself: before the step, amid it, or after it.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys

from tercet.adapters.executor import BlockingExecutor


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def main() -> None:
    order = json.loads(sys.argv[1])
    calls = 0
    run = BlockingExecutor.run

    async def counted(self, *arguments, **options):
        nonlocal calls
        calls += 1
        is_last = calls == order.get("die_at")
        if is_last and order["how"] == "before":
            die()
        step = asyncio.ensure_future(run(self, *arguments, **options))
        if is_last and order["how"] == "amid":
            await asyncio.sleep(0)
            die()
        result = await step
        if is_last:
            die()
        return result

    BlockingExecutor.run = counted  # type: ignore[method-assign,assignment] - the whole point of this script

    from tercet.app import build
    from tercet.config import load_settings

    with build(load_settings(order["settings"])) as memory:
        if order["job"] == "reembed":
            memory.reembed()
        else:
            memory.index(order["folders"], rebuild=order["job"] == "rebuild")


main()
