"""The lookups of who looks into a memory: in memory and in SQLite alike."""

import itertools
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from tercet.adapters.sqlite.ledger import SqliteLedger
from tercet.ports.ledger import Ledger
from tercet.testing.browsing_contract import BrowsingContract
from tercet.testing.memory_ledger import MemoryLedger


class TestMemoryBrowsing(BrowsingContract):
    @pytest.fixture
    def open_ledger(self) -> Callable[[], Awaitable[Ledger]]:
        async def open_one() -> Ledger:
            return MemoryLedger()

        return open_one


class TestSqliteBrowsing(BrowsingContract):
    @pytest.fixture
    async def open_ledger(self, tmp_path: Path) -> AsyncIterator[Callable[[], Awaitable[Ledger]]]:
        opened: list[SqliteLedger] = []
        numbers = itertools.count()

        async def open_one() -> Ledger:
            opened.append(await SqliteLedger.open(tmp_path / f"home{next(numbers)}"))
            return opened[-1]

        yield open_one
        for ledger in opened:
            await ledger.close()
