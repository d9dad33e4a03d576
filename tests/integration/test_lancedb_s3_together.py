"""Several processes on one bucket: no row doubles or is lost, each sees the others, one does the upkeep."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from contextlib import ExitStack, contextmanager
from pathlib import Path

import numpy as np
import pytest

from tercet.app.stores import Databases, make_engine, make_locks
from tercet.config import load_settings
from tercet.testing.samples import OTHER_SPACE, both, ids, opened, ours, reembeddable, row, vector

WORKER = Path(__file__).with_name("lancedb_s3_worker.py")
BATCH, BATCHES, MEETINGS = 10, 6, 4
"""As in the worker."""
EAST, NEW_EAST = vector(1, 0, 0, 0), vector(1, 0, 0)
NEVER_S = 600
PATIENCE_S = 60


@pytest.fixture
def uri(s3_server):
    return s3_server.new_uri()


@pytest.fixture
def settings_with(s3_server, uri, tmp_path):
    """Settings of one home over one place in the bucket."""

    def made(**store):
        return load_settings({"home": str(tmp_path), "store": {**s3_server.settings(uri), **store}}).settings

    return made


@pytest.fixture
def engine_with(settings_with):
    return lambda **store: make_engine(settings_with(**store), Databases())


@contextmanager
def workers(s3_server, uri, home, kind, *names):
    """Processes that have been started and told to begin; killed at the end whatever happens."""
    store = {f"TERCET_STORE__{name.upper()}": value for name, value in s3_server.settings(uri).items()}
    with ExitStack() as stack:
        begun = []
        for name in names:
            process = stack.enter_context(
                subprocess.Popen(
                    [sys.executable, str(WORKER), str(home), name, kind],
                    env={**os.environ, **store},
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    encoding="utf-8",
                )
            )
            stack.callback(process.kill)
            begun.append(process)
        say_all(begun, "ready")
        yield begun


def say_all(processes, line):
    """Wait until each has said the line, then let all go on."""
    assert [process.stdout.readline().strip() for process in processes] == [line] * len(processes)
    for process in processes:
        process.stdin.write("go\n")
        process.stdin.flush()


async def all_ids(engine):
    found = []
    while page := await engine.scan(ours(), after=found[-1] if found else ""):
        found += ids(page)
    return found


async def test_writers_that_meet_double_and_lose_nothing_while_one_of_them_tidies_up(
    s3_server, uri, tmp_path, engine_with
):
    async with opened(engine_with(consistency_s=0)) as reader:
        with workers(s3_server, uri, tmp_path, "write", "a", "b") as begun:
            seen = 0
            while any(process.poll() is None for process in begun):
                found = await all_ids(reader)
                assert len(found) == len(set(found))
                assert len(found) >= seen
                seen = len([each for each in found if not each.endswith("gone")])
            assert [process.stdout.read().strip() for process in begun] == ["written"] * 2
        wanted = [
            f"{name}/{number:02}/{n:02}"
            for name in ("a", "b", "shared")
            for number in range(BATCHES)
            for n in range(BATCH)
        ]
        assert await all_ids(reader) == wanted
        assert sorted(ids(await reader.text_topk(["word"], 1000, ours()))) == wanted
        assert sorted(ids(await reader.vector_topk(EAST, 1000, ours()))) == wanted
        assert "compacted" in await reader.maintain(60)
        assert await all_ids(reader) == wanted


async def test_processes_that_make_the_same_new_store_at_once_all_open_it(s3_server, uri, tmp_path, engine_with):
    names = ["a", "b", "c"]
    with workers(s3_server, uri, tmp_path, "open new", *names) as begun:
        for number in range(MEETINGS):
            say_all(begun, "opened")
            async with opened(engine_with(url=f"{uri}-{number}")) as engine:
                assert await all_ids(engine) == names


async def test_a_reader_sees_anothers_write_within_the_interval_and_its_own_at_once(engine_with):
    async with (
        opened(engine_with()) as writer,
        opened(engine_with(consistency_s=0.2)) as current,
        opened(engine_with(consistency_s=NEVER_S)) as patient,
    ):
        await patient.upsert(both("own", "word"))
        assert ids(await patient.scan(ours())) == ["a/own"]
        await writer.upsert(both("other", "word"))
        async with asyncio.timeout(PATIENCE_S):
            while "a/other" not in ids(await current.scan(ours())):
                pass
        assert ids(await patient.scan(ours())) == ["a/own"], "the interval had not passed"
        # Sizes are compared with the ledger's, which is always current: they are too.
        assert (await patient.stats()).rows == 4
        assert ids(await patient.text_topk(["word"], 9, ours())) == ["a/other", "a/own"]


async def test_a_writer_that_has_not_seen_a_reembedding_yet_keeps_its_rows(engine_with):
    async with opened(engine_with(consistency_s=NEVER_S)) as late:
        await late.upsert(both("1", "one", vector=EAST))
        async with opened(engine_with(), None) as mover:
            await reembeddable(mover).begin_reembed(OTHER_SPACE)
            await late.upsert(both("2", "two", vector=EAST))
            while rows := await reembeddable(mover).rows_to_reembed(9):
                await reembeddable(mover).fill_reembed(ids(rows), np.stack([NEW_EAST] * len(rows)))
            await reembeddable(mover).finish_reembed()
        await late.upsert([row("a/3", "three", vector=EAST)])
    async with opened(engine_with(), OTHER_SPACE) as after:
        assert await all_ids(after) == ["a/1", "a/2", "a/3"]
        assert ids(await after.vector_topk(NEW_EAST, 9, ours())) == ["a/1", "a/2"]


async def test_one_process_maintains_a_bucket_at_a_time(settings_with, engine_with):
    lease = make_locks(settings_with()).upkeep()
    async with opened(engine_with()) as engine:
        await engine.upsert(both("1", "word"))
        assert lease.try_acquire()
        assert "Another process maintains" in await engine.maintain(60)
        lease.release()
        assert "compacted after 1 commits" in await engine.maintain(60)
        assert lease.try_acquire(), "the engine gave its lease back"
        lease.release()
