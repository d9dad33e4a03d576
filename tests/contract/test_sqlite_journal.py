"""Inbox, journal and links in SQLite keep the contract, and their counts fit."""

import asyncio
import hashlib
import itertools
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tercet.adapters.sqlite.connection import Database
from tercet.adapters.sqlite.ledger import SqliteLedger
from tercet.adapters.sqlite.manifest import SqliteManifest
from tercet.adapters.sqlite.schema import LEDGER
from tercet.ports.ledger import FileRecord, Ledger, PassageRecord, RootRecord
from tercet.testing.capture_contract import ANN, AT, LATER, OF_ANN, CaptureContract, entry, item, stored

pytestmark = pytest.mark.engines


class TestSqliteCapture(CaptureContract):
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


def files_with(home: Path, words: bytes) -> list[str]:
    return [path.name for path in home.iterdir() if words in path.read_bytes()]


async def test_forgotten_words_leave_the_files_when_they_are_due(tmp_path: Path) -> None:
    """P5: no file of the home holds them any more, write-ahead log and vector cache included."""
    ledger = await SqliteLedger.open(tmp_path)
    await ledger.inbox.put([item("a", "the zanzibar plan"), item("b", "more of zanzibar")])
    await ledger.journal.apply([stored(entry("1", "the zanzibar plan", message="a"))], at=AT, done=["a"])
    key = hashlib.sha256(b"the zanzibar plan").hexdigest()
    await ledger.cache.put("space", {key: np.ones(4, dtype=np.float32)})
    await ledger.journal.forget(at=AT, purge_at=LATER, anchors=[ANN])
    assert await ledger.cache.get("space", [key]) == {}
    assert await ledger.journal.undo(["1"], at=AT) == ["1"]
    await ledger.journal.forget(at=AT, purge_at=LATER, ids=["1"])
    assert files_with(tmp_path, b"zanzibar") != []
    await ledger.journal.purge(LATER)
    assert files_with(tmp_path, b"zanzibar") == []
    await ledger.close()


async def test_a_ledger_of_version_1_is_brought_up_with_what_it_holds(tmp_path: Path) -> None:
    """L18: files, counts and queries stay; entries are counted beside them."""
    first = replace(LEDGER, migrations=LEDGER.migrations[:1])
    database = Database(tmp_path, first, durable=True, busy_timeout_s=1.0, readers=1)
    await database.open()
    manifest = SqliteManifest(database)
    await manifest.add_root(RootRecord("notes", "/notes", ANN))
    record = FileRecord("notes", "a.md", 1, 1, "ab" * 32, 1)
    passages = [PassageRecord("p", ("two", "cats"), False)]
    await manifest.commit_files(ANN, {"a.md": (record, passages)}, (), "notes")
    await database.close()

    ledger = await SqliteLedger.open(tmp_path)
    assert await ledger.manifest.files("notes") == {"a.md": record}
    await ledger.journal.apply([stored(entry("1", "two dogs"))], at=AT)
    assert await ledger.manifest.passage_count() == 1
    counts = await ledger.terms.statistics(OF_ANN, ["two", "cats"])
    assert (counts.documents, dict(counts.document_frequency)) == (2, {"two": 2, "cats": 1})
    assert await ledger.terms.faults() == []
    await ledger.close()


async def test_two_processes_that_tell_the_same_store_it_once(tmp_path: Path) -> None:
    """U6, X2: each has the file open for itself."""
    one, other = await SqliteLedger.open(tmp_path), await SqliteLedger.open(tmp_path)
    texts = [f"fact {number}" for number in range(40)]
    told = [
        ledger.journal.apply([stored(entry(f"{name}{text}", text))], at=AT)
        for text in texts
        for name, ledger in (("x", one), ("y", other))
    ]
    assert sum(map(len, await asyncio.gather(*told))) == len(texts)
    live = await one.journal.live(OF_ANN)
    assert sorted(each.text for each in live) == sorted(texts)
    assert {each.seen for each in live} == {2}
    assert await other.terms.faults() == []
    await one.close()
    await other.close()
