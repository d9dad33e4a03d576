"""Inbox, journal and links in PostgreSQL keep the contract, and their counts fit."""

from collections.abc import AsyncIterator, Awaitable, Callable

import pytest

from tercet.adapters.postgres.ledger import PostgresLedger
from tercet.ports.ledger import Ledger
from tercet.testing.capture_contract import CaptureContract
from tercet.testing.postgres_server import PostgresServer


class TestPostgresCapture(CaptureContract):
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
