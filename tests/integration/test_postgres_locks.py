"""Locks of a tenant: over services, over tasks of one service, and over what is cancelled while it waits."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress

import psycopg
import pytest

from tercet.adapters.postgres.advisory_lock import AdvisoryLock
from tercet.errors import LedgerBusyError


@pytest.fixture
def lock_of(postgres_server):
    tenant = postgres_server.new_tenant()

    def made(*, is_shared: bool = False, timeout_s: float = 10.0, tenant: str = tenant) -> AdvisoryLock:
        return AdvisoryLock(postgres_server.url, tenant, "entries", timeout_s=timeout_s, is_shared=is_shared)

    return made


def is_any_held(server) -> bool:
    """Whether anybody holds an advisory lock; the server is given a second to see that a connection was closed."""
    deadline = time.monotonic() + 1.0
    with psycopg.connect(server.administrator_url, autocommit=True) as connection:
        while connection.execute("SELECT FROM pg_locks WHERE locktype = 'advisory'").rowcount:
            if time.monotonic() > deadline:
                return True
    return False


@pytest.mark.parametrize("is_shared", [False, True])
async def test_two_tasks_that_share_a_lock_object_take_turns(lock_of, postgres_server, is_shared) -> None:
    """Else the second would throw away the first's connection, and release what it does not hold."""
    lock, inside, most = lock_of(is_shared=is_shared), 0, 0

    async def work() -> None:
        nonlocal inside, most
        async with lock:
            inside += 1
            most = max(most, inside)
            assert not lock.try_acquire()
            await asyncio.to_thread(lambda: None)
            inside -= 1

    await asyncio.gather(*(work() for _ in range(4)))
    assert most == 1
    assert not is_any_held(postgres_server)


async def test_who_is_cancelled_while_taking_it_leaves_nothing_held(lock_of, postgres_server) -> None:
    for pauses in range(12):
        taking = asyncio.create_task(lock_of().acquire())
        for _ in range(pauses):
            await asyncio.to_thread(lambda: None)
        if taking.cancel():
            with suppress(asyncio.CancelledError):
                await taking
                pytest.fail("it was cancelled")
            assert not is_any_held(postgres_server)


async def test_a_lock_that_was_given_up_can_be_taken_again(lock_of) -> None:
    first, second, hasty = lock_of(), lock_of(), lock_of(timeout_s=0.0)
    assert first.try_acquire()
    for _ in range(2):
        with pytest.raises(LedgerBusyError, match="entries"):
            await hasty.acquire()
    first.release()
    await second.acquire()
    assert not first.try_acquire()
    second.release()
    await first.acquire()
    first.release()


async def test_makers_of_entries_share_and_who_wants_to_be_alone_waits(lock_of, postgres_server) -> None:
    one, other, alone = lock_of(is_shared=True), lock_of(is_shared=True), lock_of()
    assert one.try_acquire()
    assert other.try_acquire()
    assert not alone.try_acquire()
    elsewhere = lock_of(tenant=postgres_server.new_tenant())
    assert elsewhere.try_acquire()
    one.release()
    other.release()
    await alone.acquire()
    assert not one.try_acquire()
    alone.release()
    elsewhere.release()
