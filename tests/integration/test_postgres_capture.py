"""Many workers over one inbox in PostgreSQL, their connections and processes dying: nothing lost, nothing twice.

Run as a script this file is a worker: ``URL TENANT NAME``; it says each message that it finished.
"""

from __future__ import annotations

import asyncio
import sys
from contextlib import AsyncExitStack
from datetime import timedelta

import psycopg

from tercet.adapters.postgres.ledger import PostgresLedger
from tercet.errors import TransientError
from tercet.model import InboxItem, Reach, Scope
from tercet.testing.capture_contract import AT, entry, item, stored

ITEMS, WORKERS, BATCH, LEASE_S = 300, 4, 8, 60.0
MOST_S = 240.0
"""After it a message is taken for lost: it is worked in for ever, and not finished."""
SCOPES = [Scope("main", f"telegram:{number}") for number in range(10)]
ALL = Reach("main", tuple(scope.anchor for scope in SCOPES))


def messages() -> list[InboxItem]:
    return [item(f"m{number}", f"fact {number}", SCOPES[number % len(SCOPES)]) for number in range(ITEMS)]


class Worker:
    """Works messages in until none is left; its clock runs ahead whenever nothing is due, so that leases lapse."""

    def __init__(self, ledger: PostgresLedger, name: str) -> None:
        self.ledger, self.name, self.now = ledger, name, AT
        self.faults = 0

    async def run(self, finished) -> None:
        while True:
            try:
                if not (await self.ledger.inbox.status()).waiting:
                    return
                for message in await self._claimed():
                    await self._finish(message)
                    finished(message.id)
            except TransientError:
                self.faults += 1  # what was claimed comes back when its lease lapses

    async def _claimed(self) -> list[InboxItem]:
        claimed = await self.ledger.inbox.claim(BATCH, self.now, LEASE_S)
        if not claimed:
            self.now += timedelta(seconds=LEASE_S)
        return claimed

    async def _finish(self, message: InboxItem) -> None:
        # Each worker would make an entry of its own of the message: if two did, both would be there.
        # The other one says the same for every message of its scope, and counts how often it was told.
        own = entry(f"{self.name}:{message.id}", f"{message.text} by {self.name}", message.scope, message=message.id)
        common = entry(f"{message.id}+", f"{message.scope.anchor} has facts", message.scope, message=message.id)
        await self.ledger.journal.apply([stored(own), stored(common)], at=AT, done=[message.id])


async def kill_a_connection(server) -> None:
    """End one connection of the service, whatever it is doing."""
    async with await psycopg.AsyncConnection.connect(server.administrator_url, autocommit=True) as connection:
        await connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'tercet' ORDER BY random() LIMIT 1"
        )


async def check_exactly_once(server, tenant: str) -> None:
    """Each message gave one entry, each scope one that every message of it told, and the counts fit."""
    ledger = await PostgresLedger.open(server.url, tenant, pool_size=2)
    live = await ledger.journal.live(ALL, limit=10_000)
    assert sorted(each.message_id for each in live if ":" in each.id) == sorted(each.id for each in messages())
    assert {each.scope: each.seen for each in live if "+" in each.id} == dict.fromkeys(SCOPES, ITEMS // len(SCOPES))
    status = await ledger.inbox.status()
    assert (status.waiting, status.dead) == (0, 0)
    assert await ledger.inbox.put(messages()) == 0
    assert await ledger.terms.faults() == []
    await ledger.close()


async def test_workers_whose_connections_are_killed_work_every_message_in_once(postgres_server) -> None:
    """U3, X2: four services share an inbox while a connection of theirs dies at every tenth message."""
    tenant = postgres_server.new_tenant()
    ledgers = [await PostgresLedger.open(postgres_server.url, tenant, pool_size=2) for _ in range(WORKERS)]
    await ledgers[0].inbox.put(messages())
    done: list[str] = []
    kills: list[asyncio.Task[None]] = []

    def finished(message_id: str) -> None:
        done.append(message_id)
        if len(done) % 10 == 0:
            kills.append(asyncio.create_task(kill_a_connection(postgres_server)))

    workers = [Worker(ledger, f"w{number}") for number, ledger in enumerate(ledgers)]
    async with asyncio.timeout(MOST_S):
        await asyncio.gather(*(worker.run(finished) for worker in workers))
    await asyncio.gather(*kills)
    for ledger in ledgers:
        await ledger.close()
    assert sum(worker.faults for worker in workers) > 0, "no kill hit anybody"
    await check_exactly_once(postgres_server, tenant)


async def started(closing: AsyncExitStack, *arguments: str) -> asyncio.subprocess.Process:
    """Start a worker and wait until it is ready; it is ended whatever happens."""
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(sys.executable, __file__, *arguments, stdin=pipe, stdout=pipe)

    async def end() -> None:
        if process.returncode is None:
            process.kill()
        await process.communicate()

    closing.push_async_callback(end)
    assert await process.stdout.readline() == b"ready\n"
    return process


async def test_processes_that_are_killed_leave_their_messages_to_the_others(postgres_server) -> None:
    """Four processes; one dies by kill -9 with messages in its hand, and connections of the others are killed."""
    tenant = postgres_server.new_tenant()
    async with AsyncExitStack() as closing:
        first, *others = [await started(closing, postgres_server.url, tenant, f"w{n}") for n in range(WORKERS)]
        ledger = await PostgresLedger.open(postgres_server.url, tenant, pool_size=1)
        await ledger.inbox.put(messages())
        await ledger.close()
        for process in (first, *others):
            process.stdin.write(b"go\n")
        for _ in range(BATCH + BATCH // 2):
            assert await first.stdout.readline()
        first.kill()
        for other in others:
            assert await other.stdout.readline()
            await kill_a_connection(postgres_server)
        async with asyncio.timeout(MOST_S):
            await asyncio.gather(*(other.communicate() for other in others))
        assert [other.returncode for other in others] == [0] * len(others)
    await check_exactly_once(postgres_server, tenant)


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


async def main(url: str, tenant: str, name: str) -> None:
    ledger = await PostgresLedger.open(url, tenant, pool_size=2)
    say("ready")
    sys.stdin.readline()
    await Worker(ledger, name).run(say)
    await ledger.close()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
