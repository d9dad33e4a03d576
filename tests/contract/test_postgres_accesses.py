"""The access log of Postgres keeps the contract."""

from collections.abc import AsyncIterator, Awaitable, Callable

import pytest

from tercet.adapters.postgres.ledger import PostgresLedger
from tercet.ports.ledger import Ledger
from tercet.testing.access_contract import AccessContract
from tercet.testing.postgres_server import PostgresServer


class TestPostgresAccessLog(AccessContract):
    @pytest.fixture
    async def open_ledger(self, postgres_server: PostgresServer) -> AsyncIterator[Callable[[], Awaitable[Ledger]]]:
        opened: list[PostgresLedger] = []

        async def open_one() -> Ledger:
            opened.append(await PostgresLedger.open(postgres_server.url, postgres_server.new_tenant(), pool_size=1))
            return opened[-1]

        yield open_one
        for ledger in opened:
            await ledger.close()
