"""The SQLite ledger keeps the contract."""

import itertools
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from tercet.adapters.sqlite.ledger import SqliteLedger
from tercet.ports.ledger import Ledger
from tercet.testing.ledger_contract import LedgerContract

pytestmark = pytest.mark.engines


class TestSqliteLedger(LedgerContract):
    @pytest.fixture
    async def open_ledger(self, tmp_path: Path) -> AsyncIterator[Callable[[], Awaitable[Ledger]]]:
        opened: list[SqliteLedger] = []
        numbers = itertools.count()

        async def open_one() -> Ledger:
            ledger = await SqliteLedger.open(tmp_path / f"home{next(numbers)}")
            opened.append(ledger)
            return ledger

        yield open_one
        for ledger in opened:
            assert await ledger.terms.faults() == []
            await ledger.close()
