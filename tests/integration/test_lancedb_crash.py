"""Several processes on one store, some of them killed: it stays readable, and no row doubles or is lost."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Self

import pytest

from tercet.adapters.lancedb import LanceEngine
from tercet.errors import SpaceMismatchError
from tercet.testing.samples import OTHER_SPACE, both, ids, opened, ours, vector

WORKER = Path(__file__).with_name("lancedb_worker.py")
BATCH, STEPS, MEETINGS = 20, 15, 25
EAST, NEW_EAST = vector(1, 0, 0, 0), vector(1, 0, 0)


class Worker:
    """One process; killed at the end whatever happens."""

    def __init__(self, folder: Path, name: str, kind: str) -> None:
        self.name = name
        self.log = folder.with_name(f"{name}.log")
        with self.log.open("w", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                [sys.executable, str(WORKER), str(folder), name, kind],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                encoding="utf-8",
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def line(self) -> str:
        """Return its next line; a worker that ended by itself fails the test with what it logged."""
        line = self.process.stdout.readline().strip()
        assert line, f"{self.name} ended: {self.log.read_text(encoding='utf-8')[-2000:]}"
        return line

    def lines_to_the_end(self) -> list[str]:
        return self.process.stdout.read().split()

    def start(self) -> None:
        self.process.stdin.write("go\n")
        self.process.stdin.flush()

    def kill(self) -> list[str]:
        """Kill it without warning and return what it still had said."""
        self.process.kill()
        said = self.process.stdout.read().split("\n")
        self.process.wait()
        self.process.stdout.close()
        self.process.stdin.close()
        self.kill = list
        return [line for line in said if line]


def started(folder: Path, kind: str, *names: str) -> list[Worker]:
    workers = [Worker(folder, name, kind) for name in names]
    assert [worker.line() for worker in workers] == ["ready"] * len(workers)
    for worker in workers:
        worker.start()
    return workers


async def all_ids(engine) -> list[str]:
    found: list[str] = []
    while page := await engine.scan(ours(), after=found[-1] if found else "", limit=1000):
        found += ids(page)
    return found


async def test_writers_killed_in_the_middle_lose_nothing_they_confirmed(tmp_path):
    """Ten kills: after each the store is readable, no confirmed batch is missing, none is half there."""
    folder, confirmed = tmp_path / "store", {}
    for number in range(5):
        workers = started(folder, "write", f"a{number}", f"b{number}")
        lines = {worker.name: [worker.line() for _ in range(2 + 3 * number)] for worker in workers}
        for worker in workers:
            lines[worker.name] += worker.kill()
        confirmed.update({name: int(said[-1]) for name, said in lines.items()})
        async with opened(LanceEngine(str(folder))) as engine:
            found = await all_ids(engine)
            assert len(found) == len(set(found))
            shared = [identifier for identifier in found if identifier.startswith("shared/")]
            assert len(shared) == BATCH
            batches = {name: [i.split("/")[1] for i in found if i.startswith(f"{name}/")] for name in confirmed}
            for name, last in confirmed.items():
                numbers = batches[name]
                assert sorted(set(numbers)) == [f"{n:04}" for n in range(len(set(numbers)))]
                assert len(numbers) == BATCH * len(set(numbers))
                # At most the one batch that was under way is there beyond those confirmed.
                assert last + 1 <= len(set(numbers)) <= last + 2
            assert len(await engine.text_topk(["word"], len(found) + 1, ours())) == len(found)
            assert len(await engine.vector_topk(EAST, len(found) + 1, ours(), exact=True)) == len(found)
            await engine.upsert(both(f"round{number}", "word", vector=EAST))
    async with opened(LanceEngine(str(folder))) as engine:
        await engine.maintain(60)
        assert len(await engine.text_topk(["word"], 100_000, ours())) == len(await all_ids(engine))


async def test_writers_that_meet_on_new_keys_and_a_new_store_double_nothing(tmp_path):
    workers = started(tmp_path / "store", "write once", "a", "b", "c")
    try:
        for number in range(3):
            assert [worker.line() for worker in workers] == ["written"] * 3
            async with opened(LanceEngine(str(tmp_path / f"store{number}"))) as engine:
                assert await all_ids(engine) == [f"shared/{k:02}/{n:02}" for k in range(STEPS) for n in range(BATCH)]
            for worker in workers:
                worker.start()
    finally:
        for worker in workers:
            worker.kill()


async def test_processes_that_make_the_same_new_store_at_once_all_open_it(tmp_path):
    """The library writes a table that two make at once over the first, or fails in one commit of fifty."""
    names = ["a", "b", "c", "d"]
    workers = started(tmp_path / "store", "open new", *names)
    try:
        for number in range(MEETINGS):
            assert [worker.line() for worker in workers] == ["opened"] * 4
            async with opened(LanceEngine(str(tmp_path / f"store{number}"))) as engine:
                assert await all_ids(engine) == names
            for worker in workers:
                worker.start()
    finally:
        for worker in workers:
            worker.kill()


async def test_a_reembedding_killed_anywhere_goes_on(tmp_path):
    folder = tmp_path / "store"
    async with opened(LanceEngine(str(folder))) as engine:
        await engine.upsert([found for n in range(20) for found in both(f"{n:02}", "word", vector=EAST)])
    filled = []
    for stop_at in (1, 2):
        with started(folder, "reembed", "a")[0] as worker:
            said = [worker.line() for _ in range(stop_at)] + worker.kill()
            filled += [int(line) for line in said]
        async with opened(LanceEngine(str(folder))) as engine:
            assert len(await engine.vector_topk(EAST, 50, ours())) == 20
    assert sum(filled) < 40
    with started(folder, "reembed", "a")[0] as worker:
        while worker.line() != "filled":
            pass
        worker.kill()  # at the switch: before, in or after its one commit
    with started(folder, "reembed", "a")[0] as worker:
        lines = worker.lines_to_the_end()
    assert lines[-1] in {"finished", "there"}
    async with opened(LanceEngine(str(folder)), OTHER_SPACE) as engine:
        assert len(await engine.vector_topk(NEW_EAST, 50, ours())) == 20
        assert (await engine.stats()).rows_without_vector == 0
    with pytest.raises(SpaceMismatchError):
        async with opened(LanceEngine(str(folder))):
            pass
