"""Access logs, in SQLite and in memory."""

import itertools
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tercet.adapters.sqlite.connection import Database
from tercet.adapters.sqlite.ledger import SqliteLedger
from tercet.adapters.sqlite.schema import LEDGER
from tercet.ports.accesses import Accesses
from tercet.ports.ledger import Ledger
from tercet.testing.access_contract import AccessContract
from tercet.testing.capture_contract import AT, OF_ANN
from tercet.testing.memory_ledger import MemoryLedger

pytestmark = pytest.mark.engines


class TestMemoryAccessLog(AccessContract):
    @pytest.fixture
    def open_ledger(self) -> Callable[[], Awaitable[Ledger]]:
        async def open_one() -> Ledger:
            return MemoryLedger()

        return open_one


class TestSqliteAccessLog(AccessContract):
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


async def test_a_ledger_of_version_3_is_brought_up_with_its_queries(tmp_path: Path) -> None:
    """L18: what was asked before stays logged; who asked is not known, so it is in nobody's salience."""
    third = replace(LEDGER, migrations=LEDGER.migrations[:3])
    database = Database(tmp_path, third, durable=True, busy_timeout_s=1.0, readers=1)
    await database.open()
    await database.write(
        lambda connection: (
            connection.execute("INSERT INTO query_log (query, hit_ids, at_ms) VALUES ('before', '[\"1\"]', 0)").rowcount
        )
    )
    await database.close()
    ledger = await SqliteLedger.open(tmp_path)
    await ledger.log_query("after", [], AT, best=0.1, reach=OF_ANN)
    assert await ledger.logged_queries(9) == [("after", []), ("before", ["1"])]
    assert [each.query for each in await ledger.accesses.weak_queries(OF_ANN, AT, 1.0)] == ["after"]
    await ledger.accesses.note(["1"], "read", AT)
    assert await ledger.accesses.counts(AT) == {"1": Accesses(1, AT)}
    await ledger.close()
