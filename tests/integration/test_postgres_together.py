"""Several services write one tenant's index at once, and are cut off in the middle."""

from __future__ import annotations

import asyncio
import random

import numpy as np
import psycopg
import pytest

from tercet.adapters.postgres import PostgresEngine
from tercet.adapters.postgres import writing as writing_module
from tercet.errors import EngineUnavailableError, InvalidInputError
from tercet.testing.samples import OTHER_SPACE, SPACE, ids, opened, ours, reembeddable, row, vector

EAST, NEW_EAST = vector(1, 0, 0, 0), vector(1, 0, 0)

_WAITS = "SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted)"


@pytest.fixture
def tenant(postgres_server):
    return postgres_server.new_tenant()


def counts(server, tenant):
    """Return the rows, lexeme rows and vectors of a tenant, as the administrator sees them."""
    with psycopg.connect(server.administrator_url) as connection:
        return tuple(
            connection.execute(f"SELECT count(*) FROM tercet.{table} WHERE tenant = %s", (tenant,)).fetchone()[0]  # noqa: S608 - names of this line
            for table in ("passages", "passage_terms", "vectors")
        )


async def test_writers_of_the_same_rows_wait_for_each_other(postgres_server, tenant):
    """Batches in any order would lock each other's rows in a ring; a new id must not be inserted twice."""
    chance = random.Random(11)
    names = [f"a/{n:02}" for n in range(40)]

    async def write(engine, author):
        for _ in range(12):
            batch = chance.sample(names, 15)
            await engine.upsert([row(name, f"{author} word", vector=EAST) for name in batch])
            await engine.delete(chance.sample(names, 2))

    async with (
        opened(PostgresEngine(postgres_server.url, tenant=tenant)) as one,
        opened(PostgresEngine(postgres_server.url, tenant=tenant)) as other,
    ):
        await asyncio.gather(*(write(engine, f"author{n}") for n, engine in enumerate((one, other, one, other))))
        await one.upsert([row(name, "last word", vector=EAST) for name in names])
        assert ids(await other.text_topk(["last"], 99, ours())) == names
        assert await other.text_topk([f"author{n}" for n in range(4)], 99, ours()) == []
        assert ids(await other.vector_topk(EAST, 99, ours())) == names
    assert counts(postgres_server, tenant) == (40, 40, 40)


async def test_an_upsert_cut_off_in_the_middle_leaves_nothing(postgres_server, tenant, monkeypatch):
    whole = writing_module.insert_vectors

    async def cut_off(connection, *rest):
        with psycopg.connect(postgres_server.administrator_url, autocommit=True) as other:
            other.execute("SELECT pg_terminate_backend(%s)", (connection.pgconn.backend_pid,))
        await whole(connection, *rest)

    rows = [row(f"a/{n}", "new word", vector=EAST) for n in range(700)]
    async with opened(PostgresEngine(postgres_server.url, tenant=tenant)) as engine:
        await engine.upsert([row("a/0", "old word")])
        monkeypatch.setattr(writing_module, "insert_vectors", cut_off)
        with pytest.raises(EngineUnavailableError):
            await engine.upsert(rows)
        assert counts(postgres_server, tenant) == (1, 1, 0)
        assert ids(await engine.text_topk(["old"], 9, ours())) == ["a/0"]
        monkeypatch.undo()
        await engine.upsert(rows)
    assert counts(postgres_server, tenant) == (700, 700, 700)


async def test_a_switch_of_spaces_among_writers_leaves_one_space(postgres_server, tenant):
    """The switch waits for writers that began before it, and those that begin after it write into the new space."""
    switched = asyncio.Event()

    async def write(engine, mine):
        for n in range(30):
            await engine.upsert([row(f"a/{mine}{n}", "word", vector=EAST)])
            if switched.is_set():
                break

    async def switch(engine):
        reembedding = reembeddable(engine)
        await reembedding.begin_reembed(OTHER_SPACE)
        while True:
            while rows := await reembedding.rows_to_reembed(10):
                await reembedding.fill_reembed(ids(rows), np.repeat(NEW_EAST[None], len(rows), axis=0))
            try:
                await reembedding.finish_reembed()
            except InvalidInputError:
                continue
            switched.set()
            return

    async with (
        opened(PostgresEngine(postgres_server.url, tenant=tenant)) as one,
        opened(PostgresEngine(postgres_server.url, tenant=tenant)) as other,
    ):
        await asyncio.gather(write(one, "x"), write(one, "y"), switch(other))
        rows = await other.scan(ours())
        assert ids(await other.vector_topk(NEW_EAST, 99, ours())) == ids(
            each for each in rows if each.vector is not None
        )
        assert all(each.vector is None or each.vector.shape == (3,) for each in rows)
        assert (await other.stats()).rows_without_vector == sum(each.vector is None for each in rows)
    with psycopg.connect(postgres_server.administrator_url) as connection:
        found = connection.execute("SELECT count(DISTINCT space) FROM tercet.vectors WHERE tenant = %s", (tenant,))
        assert found.fetchone() == (1,)


async def test_the_switch_waits_for_a_writer_of_the_old_space(postgres_server, tenant, monkeypatch):
    """A row written meanwhile has no vector in the new space: the switch must see it, and be refused."""
    waiting, may_go_on = asyncio.Event(), asyncio.Event()
    whole = writing_module.insert_vectors

    async def slow(*what):
        waiting.set()
        await may_go_on.wait()
        await whole(*what)

    async with (
        opened(PostgresEngine(postgres_server.url, tenant=tenant)) as one,
        opened(PostgresEngine(postgres_server.url, tenant=tenant)) as other,
    ):
        await reembeddable(other).begin_reembed(OTHER_SPACE)
        monkeypatch.setattr(writing_module, "insert_vectors", slow)
        write = asyncio.create_task(one.upsert([row("a/1", "word", vector=EAST)]))
        await waiting.wait()
        switch = asyncio.create_task(reembeddable(other).finish_reembed())
        async with await psycopg.AsyncConnection.connect(postgres_server.administrator_url, autocommit=True) as look:
            while not (await (await look.execute(_WAITS)).fetchone())[0]:
                assert not switch.done()
        may_go_on.set()
        await write
        with pytest.raises(InvalidInputError, match="1 rows"):
            await switch
        assert ids(await other.vector_topk(EAST, 9, ours())) == ["a/1"]


async def test_an_engine_outlives_its_server(own_postgres_server):
    server = own_postgres_server
    engine = PostgresEngine(server.url)
    await engine.open(SPACE)
    await engine.upsert([row("a/1", "word", vector=EAST)])
    engine._database._wait_s = 0.2
    server.stop("immediate")
    probe = await engine.probe()
    assert not probe
    assert "Check that the server runs" in probe.reason
    assert engine.has_store(), "a server that cannot be asked must not look like a lost index"
    server.resume()
    assert await engine.probe()
    assert ids(await engine.text_topk(["word"], 9, ours())) == ["a/1"]
    await engine.close()
