"""Windows of sessions, in SQLite and in memory."""

import itertools
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tercet.adapters.sqlite.connection import Database
from tercet.adapters.sqlite.inbox import SqliteInbox
from tercet.adapters.sqlite.ledger import SqliteLedger
from tercet.adapters.sqlite.schema import LEDGER
from tercet.ports.ledger import Ledger
from tercet.testing.capture_contract import OF_ANN, item
from tercet.testing.memory_ledger import MemoryLedger
from tercet.testing.windows_contract import ANN, AT, LATER, WindowsContract, claimed, fact_of, message, status_of, turn

pytestmark = pytest.mark.engines


class TestMemoryWindows(WindowsContract):
    @pytest.fixture
    def open_ledger(self) -> Callable[[], Awaitable[Ledger]]:
        async def open_one() -> Ledger:
            return MemoryLedger()

        return open_one


class TestSqliteWindows(WindowsContract):
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


async def test_a_window_survives_a_restart_and_a_claim_of_a_dead_process_runs_out(tmp_path: Path) -> None:
    first = await SqliteLedger.open(tmp_path)
    await first.windows.put(ANN, turn("a"), keep_tokens=1000)
    await first.windows.end(ANN)
    await claimed(first)
    other = await SqliteLedger.open(tmp_path)
    assert await other.windows.claim(ANN, now=AT, lease_s=60, most_tokens=99) is None
    await first.close()
    assert [each.text for each in await other.windows.window(ANN, 1000)] == ["text of a", "text of aa"]
    assert (await status_of(other)).ended
    assert (await claimed(other, now=LATER)).claim == 2
    await other.close()


def files_with(home: Path, words: bytes) -> list[str]:
    return [path.name for path in home.iterdir() if words in path.read_bytes().lower()]


async def test_forgotten_words_leave_the_files_at_once(tmp_path: Path) -> None:
    """P5: a window has no undo; its bytes are gone with the forget, write-ahead log included."""
    ledger = await SqliteLedger.open(tmp_path)
    await ledger.windows.put(ANN, [message("a", "the zanzibar plan")], keep_tokens=1000)
    stretch = await claimed(ledger)
    await ledger.windows.finish(
        stretch, [fact_of(stretch, "1", "an island", topic="Zanzibar")], at=AT, keep_tokens=1000
    )
    assert files_with(tmp_path, b"zanzibar") != []
    await ledger.journal.forget(at=AT, purge_at=LATER, anchors=[ANN.scope])
    assert files_with(tmp_path, b"zanzibar") == []
    await ledger.close()


async def test_a_ledger_of_version_2_is_brought_up_with_what_it_holds(tmp_path: Path) -> None:
    second = replace(LEDGER, migrations=LEDGER.migrations[:2])
    database = Database(tmp_path, second, durable=True, busy_timeout_s=1.0, readers=1)
    await database.open()
    await SqliteInbox(database).put([item("a")])
    await database.close()
    ledger = await SqliteLedger.open(tmp_path)
    assert [each.id for each in await ledger.inbox.waiting(OF_ANN, 9)] == ["a"]
    assert await ledger.windows.put(ANN, turn("a"), keep_tokens=1000) == 4
    await ledger.close()
