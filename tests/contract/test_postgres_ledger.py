"""The Postgres ledger keeps the contract, also when several services write to it at once."""

import asyncio
import itertools
import random
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace

import psycopg
import pytest

from tercet.adapters.postgres.ledger import PostgresLedger
from tercet.errors import InvalidInputError, LedgerBusyError
from tercet.model import Reach, Scope
from tercet.ports.ledger import FileRecord, Ledger, PassageRecord, RootRecord
from tercet.testing.ledger_contract import MINE, ROOTS, LedgerContract, file_of, vector_of
from tercet.testing.postgres_server import PostgresServer

PATHS = ("a.md", "b.md", "c.md", "d.md")


class TestPostgresLedger(LedgerContract):
    @pytest.fixture
    async def open_ledger(self, postgres_server: PostgresServer) -> AsyncIterator[Callable[[], Awaitable[Ledger]]]:
        opened: list[PostgresLedger] = []

        async def open_one() -> Ledger:
            opened.append(await PostgresLedger.open(postgres_server.url, postgres_server.new_tenant(), pool_size=1))
            return opened[-1]

        yield open_one
        for ledger in opened:
            assert await ledger.terms.faults() == []
            await ledger.close()


@pytest.fixture
async def handles(postgres_server: PostgresServer) -> AsyncIterator[tuple[PostgresLedger, PostgresLedger]]:
    """Two services of one tenant that has the three roots."""
    tenant = postgres_server.new_tenant()
    one, two = [await PostgresLedger.open(postgres_server.url, tenant, pool_size=4) for _ in range(2)]
    for root in ROOTS:
        await one.manifest.add_root(root)
    yield one, two
    await one.close()
    await two.close()
