"""Upkeep: what it makes, what it leaves, and that the vector index changes no answer."""

from __future__ import annotations

import numpy as np
import pytest

from tercet.adapters.lancedb import LanceEngine, maintenance
from tercet.adapters.lancedb.library import RETRIES, is_conflict, reason_of, retried
from tercet.errors import InvalidInputError
from tercet.filters import Eq
from tercet.model import Space
from tercet.testing.samples import both, ids, opened, ours, row

SPACE = Space("upkeep", "model", 16)


def unit_vectors(count: int) -> np.ndarray:
    vectors = np.random.default_rng(7).normal(size=(count, 16)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


async def test_commits_are_counted_until_maintenance(tmp_path):
    async with opened(LanceEngine(str(tmp_path)), SPACE) as engine:
        for number in range(3):
            await engine.upsert(both(str(number), f"word w{number}"))
        await engine.delete(["a/0"])
        assert (await engine.stats()).unindexed_rows == 5
        assert "4 commits" in await engine.maintain(60)
        assert "0 commits" in await engine.maintain(60)
        stats = await engine.stats()
        assert (stats.rows, stats.unindexed_rows) == (5, 0)
        assert stats.bytes_on_disk > 0
        assert stats.versions > 1


async def test_indexes_come_when_they_help(tmp_path, monkeypatch):
    async with opened(LanceEngine(str(tmp_path)), SPACE) as engine:
        await engine.upsert([row(f"a/{n:04}") for n in range(50)])
        assert "index" not in await engine.maintain(60)
        monkeypatch.setattr(maintenance, "SCALAR_INDEX_ROWS", 50)
        line = await engine.maintain(60)
        assert all(f"index on {column}" in line for column in ("id", "agent", "anchor", "kind"))
        assert "index" not in await engine.maintain(60)
        await engine.upsert([row("a/0007", "changed"), row("a/9999", "new")])
        assert ids(await engine.get(["a/0007", "a/9999"])) == ["a/0007", "a/9999"]
        assert (await engine.stats()).rows == 51


async def test_no_step_begins_after_the_budget(tmp_path, monkeypatch):
    monkeypatch.setattr(maintenance, "SCALAR_INDEX_ROWS", 1)
    async with opened(LanceEngine(str(tmp_path)), SPACE) as engine:
        await engine.upsert(both("1"))
        assert "next time" in await engine.maintain(0)
        assert "made an index on kind" in await engine.maintain(60)


async def test_the_vector_index_finds_what_the_exact_search_finds(tmp_path):
    vectors = unit_vectors(600)
    async with opened(LanceEngine(str(tmp_path), vector_index_rows=500), SPACE) as engine:
        await engine.upsert(
            [row(f"a/{n:04}", f"w{n % 5}", category=f"c{n % 9}", vector=vectors[n]) for n in range(590)]
        )
        assert "index on vector_" in await engine.maintain(120)
        # Rows after the index was made, with and without a vector, and one taken away.
        await engine.upsert([row(f"a/{n:04}", category=f"c{n % 9}", vector=vectors[n]) for n in range(590, 600)])
        await engine.upsert([row("a/0003", category="c3")])
        await engine.delete(["a/0012"])
        for where in (ours(), ours(Eq("category", "c3"))):
            for number in (0, 3, 12, 595):
                exact = await engine.vector_topk(vectors[number], 10, where, exact=True)
                assert ids(await engine.vector_topk(vectors[number], 10, where)) == ids(exact)
                assert {"a/0003", "a/0012"}.isdisjoint(ids(exact))
        await engine.begin_reembed(Space("upkeep", "next", 16))
        while rows := await engine.rows_to_reembed(300):
            await engine.fill_reembed(ids(rows), vectors[: len(rows)])
        await engine.finish_reembed()
        assert len(await engine.vector_topk(vectors[0], 10, ours())) == 10


def test_only_conflicts_are_tried_again_and_not_for_ever(monkeypatch):
    monkeypatch.setattr("tercet.adapters.lancedb.library.time.sleep", lambda seconds: None)
    attempts = []

    def lose(times: int, message: str) -> str:
        attempts.append(1)
        if len(attempts) <= times:
            raise RuntimeError(message)
        return "done"

    conflict = "lance error: Retryable commit conflict for version 5: preempted"
    assert retried(lambda: lose(3, conflict)) == "done"
    assert len(attempts) == 4
    attempts.clear()
    with pytest.raises(RuntimeError, match="conflict"):
        retried(lambda: lose(99, conflict))
    assert len(attempts) == RETRIES
    attempts.clear()
    with pytest.raises(RuntimeError, match="no space"):
        retried(lambda: lose(99, "no space left on device"))
    assert len(attempts) == 1
    attempts.clear()
    with pytest.raises(RuntimeError, match="conflict"):
        retried(lambda: lose(99, conflict), deadline=0.0)
    assert len(attempts) == 1


def test_reasons_are_one_line_without_source_places():
    error = RuntimeError(
        "lance error: Not found: a/_versions, /root/.cargo/registry/src/index/lance-table-13.0.0/src/io/commit.rs:653:26\nmore"
    )
    assert reason_of(error) == "Not found: a/_versions"
    assert reason_of(ValueError()) == "ValueError"
    assert not is_conflict(error)


async def test_a_naive_time_or_an_importance_that_is_no_number_is_refused(tmp_path):
    from datetime import datetime

    async with opened(LanceEngine(str(tmp_path)), SPACE) as engine:
        for bad in (row("a/1", timestamp=datetime(2026, 1, 1)), row("a/1", importance=float("nan"))):  # noqa: DTZ001 - naive is the case
            with pytest.raises(InvalidInputError):
                await engine.upsert([row("a/0"), bad])
        assert (await engine.stats()).rows == 0
