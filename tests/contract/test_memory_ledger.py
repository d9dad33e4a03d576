"""The in-memory ledger keeps the contract, so that tests over it mean something."""

from collections.abc import Awaitable, Callable

import pytest

from tercet.ports.ledger import Ledger
from tercet.testing.ledger_contract import LedgerContract
from tercet.testing.memory_ledger import MemoryLedger


class TestMemoryLedger(LedgerContract):
    @pytest.fixture
    def open_ledger(self) -> Callable[[], Awaitable[Ledger]]:
        async def open_one() -> Ledger:
            return MemoryLedger()

        return open_one
