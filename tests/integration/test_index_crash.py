"""kill -9 at any step of an index run: nothing lost, nothing twice, the next run completes it (X1, X8)."""

from __future__ import annotations

import asyncio
import json
import random
import shutil
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import lancedb
import pytest

from tercet.adapters.executor import BlockingExecutor
from tercet.adapters.sqlite.ledger import SqliteLedger
from tercet.app import build
from tercet.config import load_settings
from tercet.layers.semantic.chunking import rows_of_file
from tercet.model import Reach, Scope, SearchOptions
from tercet.ports import RootRecord
from tercet.testing.embedding_server import EmbeddingServer, hashed_words

WORKER = Path(__file__).with_name("index_worker.py")
WAYS = ("before", "amid", "after")


@pytest.fixture
def server():
    with EmbeddingServer(hashed_words()) as server:
        yield server


@pytest.fixture
def settings(server, home):
    embedding = {"provider": "openai", "url": f"{server.url}/v1", "model": "m"}
    return {"home": str(home), "embedding": embedding, "index": {"batch_chunks": 3, "refresh_files": 0}}


def work(settings, job, folders=(), die_at=None, how="before"):
    order = {"settings": settings, "job": job, "folders": [str(each) for each in folders], "die_at": die_at, "how": how}
    return subprocess.run([sys.executable, WORKER, json.dumps(order)], capture_output=True, text=True, check=False)


def do(settings, job, *folders):
    """Do the same in this process, to the end; return how many steps it took."""
    with pytest.MonkeyPatch.context() as patch:
        run, calls = BlockingExecutor.run, []

        async def counted(self, *arguments, **options):
            calls.append(1)
            return await run(self, *arguments, **options)

        patch.setattr(BlockingExecutor, "run", counted)
        with build(load_settings(settings)) as memory:
            memory.index([str(each) for each in folders], rebuild=job == "rebuild")
        return len(calls)


def expected_rows(notes):
    """Chunk the folder anew: what the index must hold, no more and no less."""
    root = RootRecord(notes.name, str(notes), Scope("main"))
    rows = {}
    for path in sorted(notes.rglob("*.md")):
        name = path.relative_to(notes).as_posix()
        rows.update((row.passage.id, row) for row in rows_of_file(root, name, path.read_text(encoding="utf-8")))
    return rows


async def check_whole(settings, notes):
    """Engine, ledger, counts and files agree, and every passage has its vector."""
    rows = expected_rows(notes)
    home = Path(settings["home"])
    table = lancedb.connect(str(home / "lancedb")).open_table("passages").to_arrow()
    assert sorted(table["id"].to_pylist()) == sorted(rows)
    vectors = [
        table[name] for name in table.schema.names if str(table.schema.field(name).type).startswith("fixed_size")
    ]
    assert [column.null_count for column in vectors] == [0]
    ledger = await SqliteLedger.open(home)
    try:
        assert await ledger.manifest.unfinished(notes.name) == []
        assert await ledger.manifest.counts(notes.name) == (len(list(notes.rglob("*.md"))), len(rows), 0)
        fresh = Counter(term for row in rows.values() for term in set(row.terms))
        kept = await ledger.terms.statistics(Reach("main"), [*fresh, "gone"])
        assert dict(kept.document_frequency) == fresh
        assert (kept.documents, kept.total_length) == (len(rows), sum(len(row.terms) for row in rows.values()))
    finally:
        await ledger.close()


def change(folder, number):
    """Change the folder a little: an edit, a new file, a deleted one."""
    edited = folder / "MEMORY.md"
    edited.write_text(
        f"# Memory\n\nRound {number}: the boat lies at berth {number}.\n\n## Tea\n\nOolong.\n", encoding="utf-8"
    )
    (folder / f"new-{number}.md").write_text(
        f"# Note {number}\n\nThe word of the day is zebra{number}.\n", encoding="utf-8"
    )
    (folder / f"new-{number - 1}.md").unlink(missing_ok=True)


def finish(settings, *folders):
    with build(load_settings(settings)) as memory:
        # Whatever state the kill left, a search answers, and from what was there before.
        assert memory.search("kompas", SearchOptions(mode="keyword"))[0].passage.path == "table.md"
        return memory.index([str(each) for each in folders])


async def test_twenty_kills_at_random_steps_lose_nothing(settings, notes):
    chance = random.Random(20261130)
    do(settings, "index", notes)
    await check_whole(settings, notes)
    change(notes, 1)
    steps = do(settings, "index", notes)
    killed = 0
    for number in range(2, 42, 2):
        change(notes, number)
        # Four of five where engine and ledger are written, the others anywhere.
        low, high = (steps // 3, 3 * steps // 4) if number % 10 else (5, steps)
        ran = work(settings, "index", [notes], die_at=chance.randint(low, high), how=chance.choice(WAYS))
        killed += ran.returncode == -signal.SIGKILL
        assert ran.returncode in {0, -signal.SIGKILL}, ran.stderr
        # What the killed run wrote is out of date already: under these ids nobody would look for it.
        change(notes, number + 1)
        report = await asyncio.to_thread(finish, settings)
        assert report.degraded is None
        await check_whole(settings, notes)
    assert killed >= 15


@pytest.mark.parametrize("where", [0.2, 0.5, 0.8])
async def test_a_killed_rebuild_is_completed_by_the_next_run_whatever_it_is_asked(settings, notes, write_notes, where):
    other = write_notes(notes.parent / "other", {"o.md": "an otter\n"})
    do(settings, "index", notes)
    steps = do(settings, "rebuild")
    (notes / "zh" / "备忘.md").unlink()
    ran = work(settings, "rebuild", die_at=int(steps * where), how="after")
    assert ran.returncode == -signal.SIGKILL
    await asyncio.to_thread(finish, settings, other)
    with build(load_settings(settings)) as memory:
        assert memory.search("otter", SearchOptions(mode="keyword"))[0].passage.path == "o.md"
        memory.remove_folders([str(other)])
    await check_whole(settings, notes)


async def test_killed_while_healing_a_lost_store(settings, notes):
    do(settings, "index", notes)
    steps = do(settings, "index")
    for step in (steps, steps + 4, steps + 9):
        shutil.rmtree(Path(settings["home"]) / "lancedb")
        work(settings, "index", die_at=step, how="after")
        with build(load_settings(settings)) as memory:
            memory.index()
        await check_whole(settings, notes)


async def test_a_killed_reembedding_goes_on_and_serves_meanwhile(settings, notes):
    do(settings, "index", notes)
    with EmbeddingServer(hashed_words(48)) as other:
        moved = {**settings, "embedding": {**settings["embedding"], "url": f"{other.url}/v1", "model": "m2"}}
        probe = {**moved, "home": settings["home"]}
        for step in (8, 12, 16):
            ran = work(probe, "reembed", die_at=step, how="amid")
            assert ran.returncode == -signal.SIGKILL, ran.stderr
            with build(load_settings(settings)) as memory:
                result = memory.search("the boat and its berth")
                assert result.degraded is None
                assert result[0].passage.path == "MEMORY.md"
        with build(load_settings(moved)) as memory:
            assert "reembed" in memory.search("boat").degraded
            report = memory.reembed()
            assert report.space.dimensions == 48
            assert memory.search("the boat and its berth").degraded is None
        await check_whole(moved, notes)
