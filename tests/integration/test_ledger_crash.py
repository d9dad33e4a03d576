"""Processes that die or write at once: whatever was acknowledged is there, and counts fit the files.

Run as a script this file is the writer: ``HOME MODE NAME COMMITS``.
"""

import asyncio
import random
import subprocess
import sys
from pathlib import Path

import pytest

from tercet.adapters.sqlite import manifest
from tercet.adapters.sqlite.ledger import SqliteLedger
from tercet.adapters.sqlite.term_counts import CountDelta
from tercet.errors import InvalidInputError
from tercet.model import Reach, Scope
from tercet.ports.ledger import FileRecord, PassageRecord, RootRecord

MINE = Scope("main")
FILES, PASSAGES = 4, 40


def files_of(name: str, number: int) -> dict[str, tuple[FileRecord, list[PassageRecord]]]:
    """Return what commit ``number`` of a writer writes: the same few files again, with other words."""
    rng = random.Random(f"{name}{number}")
    files = {}
    for path in (f"{name}/{n}.md" for n in range(FILES)):
        ids = [f"{path}#{ordinal}" for ordinal in range(rng.randrange(1, PASSAGES))]
        passages = [PassageRecord(i, tuple(f"t{rng.randrange(500)}" for _ in range(60)), False) for i in ids]
        files[path] = (FileRecord("notes", path, number, number, "", number), passages)
    return files


def say(line: object) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def stop_in_transaction() -> None:
    """Say that the kill may come, and wait for it."""
    say("in transaction")
    sys.stdin.read()


def stop_before(mode: str) -> None:
    """Make the next commit stop at a point inside its transaction."""
    commit = manifest.commit
    if mode == "before-counts":
        CountDelta.apply = lambda *_: stop_in_transaction()  # type: ignore[method-assign] # the kill comes here
    elif mode == "before-commit":
        manifest.commit = lambda *args: (commit(*args), stop_in_transaction())  # type: ignore[attr-defined] # as above


async def write(home: Path, mode: str, name: str, commits: int) -> None:
    ledger = await SqliteLedger.open(home)
    await ledger.manifest.add_root(RootRecord("notes", "/notes", MINE))
    start = max((file.size for file in (await ledger.manifest.files("notes")).values()), default=0) + 1
    for number in range(start, start + commits):
        if number == start + commits - 1:
            stop_before(mode)
        await ledger.manifest.commit_files(MINE, files_of(name, number), (), "notes")
        say(number)
    await ledger.close()


def start_writer(home: Path, mode: str, name: str, commits: int) -> "subprocess.Popen[str]":
    command = [sys.executable, __file__, str(home), mode, name, str(commits)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


@pytest.mark.parametrize("mode", ["before-counts", "before-commit", "running"])
async def test_a_kill_leaves_counts_and_files_consistent(tmp_path: Path, mode: str) -> None:
    """L6: ``kill -9`` in the middle of a commit, ten rounds over the three modes."""
    rounds = {"before-counts": 3, "before-commit": 3, "running": 4}[mode]
    for turn in range(1, rounds + 1):
        acknowledged = 0
        with start_writer(tmp_path, mode, "w", 2 if mode != "running" else 1000) as writer:
            assert writer.stdout is not None
            for line in writer.stdout:
                if line == "in transaction\n":
                    break
                acknowledged = int(line)
                if mode == "running" and acknowledged % 7 == turn:
                    break
            writer.kill()
            acknowledged = max([acknowledged, *map(int, writer.stdout.read().split())])
        ledger = await SqliteLedger.open(tmp_path)
        files = await ledger.manifest.files("notes")
        committed = {file.size for file in files.values()}
        assert len(files) == FILES
        assert len(committed) == 1, "one commit wrote some of its files only"
        assert committed <= ({acknowledged} if mode != "running" else {acknowledged, acknowledged + 1})
        expected = {path: [p.id for p in passages] for path, (_, passages) in files_of("w", committed.pop()).items()}
        assert await ledger.manifest.passages("notes", list(files)) == expected
        assert await ledger.terms.faults() == []
        assert await ledger.manifest.passage_count() == sum(map(len, expected.values()))
        await ledger.close()


async def test_processes_that_write_at_once_lose_nothing(tmp_path: Path) -> None:
    """X2, X7, X9: three processes make the same new home and write to it together."""
    names, commits = ["a", "b", "c"], 12
    writers = [start_writer(tmp_path / "home", "running", name, commits) for name in names]
    for writer in writers:
        out, _ = await asyncio.to_thread(writer.communicate)
        assert writer.returncode == 0
        assert len(out.split()) == commits
    ledger = await SqliteLedger.open(tmp_path / "home")
    files = await ledger.manifest.files("notes")
    assert sorted(files) == [f"{name}/{n}.md" for name in names for n in range(FILES)]
    for name in names:
        (last,) = {files[f"{name}/{n}.md"].size for n in range(FILES)}
        for path, (_, passages) in files_of(name, last).items():
            assert await ledger.manifest.passages("notes", [path]) == {path: [p.id for p in passages]}
    assert await ledger.terms.faults() == []
    assert (await ledger.terms.statistics(Reach("main"), [])).documents == await ledger.manifest.passage_count()
    with pytest.raises(InvalidInputError):
        await ledger.manifest.add_root(RootRecord("notes", "/other", MINE))
    await ledger.close()


if __name__ == "__main__":
    asyncio.run(write(Path(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4])))
