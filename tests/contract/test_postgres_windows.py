"""Windows of sessions, in PostgreSQL."""

from collections.abc import AsyncIterator, Awaitable, Callable

import pytest

from tercet.adapters.postgres.ledger import PostgresLedger
from tercet.ports.ledger import Ledger
from tercet.testing.postgres_server import PostgresServer
from tercet.testing.windows_contract import WindowsContract


class TestPostgresWindows(WindowsContract):
    @pytest.fixture
    async def open_ledger(self, postgres_server: PostgresServer) -> AsyncIterator[Callable[[], Awaitable[Ledger]]]:
        opened: list[PostgresLedger] = []

        async def open_one() -> Ledger:
            ledger = await PostgresLedger.open(postgres_server.url, postgres_server.new_tenant(), pool_size=2)
            opened.append(ledger)
            return ledger

        yield open_one
        for ledger in opened:
            assert await ledger.terms.faults() == []
            await ledger.close()
