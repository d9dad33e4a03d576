"""PostgreSQL keeps the promises of the engine port, searched exactly and by its index over vectors."""

from __future__ import annotations

import math
import random
from collections import Counter
from dataclasses import replace

import numpy as np
import psycopg
import pytest

from tercet.adapters.postgres import PostgresEngine, matching, term_picking
from tercet.adapters.postgres.database import Database
from tercet.adapters.postgres.lexemes import MOST_COUNTED
from tercet.errors import ConfigurationError, MissingExtraError
from tercet.filters import Eq
from tercet.model import Space
from tercet.testing.disposal_contract import DisposalContract
from tercet.testing.engine_contract import EngineContract
from tercet.testing.reembed_contract import ReembedContract
from tercet.testing.samples import OTHER_SPACE, OURS, SPACE, both, ids, opened, ours, reembeddable, row, theirs, vector

EAST = vector(1, 0, 0, 0)
WIDE = Space("contract", "wide", 16)


@pytest.fixture
def tenant(postgres_server):
    return postgres_server.new_tenant()


class TestPostgresEngine(EngineContract, ReembedContract, DisposalContract):
    @pytest.fixture
    def make_engine(self, postgres_server, tenant):
        return lambda: PostgresEngine(postgres_server.url, tenant=tenant)


# -- by the index over vectors ----------------------------------------------------------------


class TestIndexedPostgresEngine(EngineContract, ReembedContract):
    """Every tenant counts as big: whatever maintenance sees first is indexed."""

    @pytest.fixture
    def make_engine(self, postgres_server, tenant):
        return lambda: IndexingEngine(postgres_server.url, tenant=tenant, exact_rows=0)


class IndexingEngine(PostgresEngine):
    """Indexes its vectors after the first rows that have some."""

    async def upsert(self, rows):
        await super().upsert(rows)
        if any(each.vector is not None for each in rows):
            await self.maintain(60)


def directions(count, dimensions=16, seed=5):
    made = np.random.default_rng(seed).standard_normal((count, dimensions)).astype(np.float32)
    return made / np.linalg.norm(made, axis=1, keepdims=True)


def indexes(server, like="nearest_%"):
    with psycopg.connect(server.administrator_url) as connection:
        found = connection.execute("SELECT indexname FROM pg_indexes WHERE indexname LIKE %s", (like,)).fetchall()
    return {name for (name,) in found}


async def index_scans(engine, server, names):
    """Return how often the engine's one session so far used these indexes."""
    async with engine._store.reading("tell its counts") as session:
        await session.execute("SELECT pg_stat_force_next_flush()")
    with psycopg.connect(server.administrator_url) as connection:
        found = connection.execute(
            "SELECT coalesce(sum(idx_scan), 0) FROM pg_stat_all_indexes WHERE indexrelname = ANY(%s)", (list(names),)
        )
        return found.fetchone()[0]


async def test_a_big_tenant_is_searched_by_its_index_behind_any_filter(postgres_server, tenant):
    before = indexes(postgres_server)
    vectors = directions(3000)
    async with opened(PostgresEngine(postgres_server.url, tenant=tenant, exact_rows=500, pool_size=1), WIDE) as engine:
        await engine.upsert(
            [
                row(f"a/{n:04}", scope=replace(OURS, anchor="" if n % 10 else "telegram:1"), vector=found)
                for n, found in enumerate(vectors)
            ]
        )
        assert "indexed the vectors of wide" in await engine.maintain(60)
        made = indexes(postgres_server) - before
        assert len(made) == 1
        assert "indexed" not in await engine.maintain(60)
        hits = 0
        for query in directions(20, seed=6):
            exact = await engine.vector_topk(query, 50, ours(), exact=True)
            found = await engine.vector_topk(query, 50, ours())
            assert len(found) == 50
            assert [match.raw for match in found] == sorted(match.raw for match in found)
            hits += len(set(ids(exact)) & set(ids(found)))
        assert hits / (20 * 50) >= 0.98
        assert await index_scans(engine, postgres_server, made) == 20
        # A narrow reach or filter is read whole, though it lies in a big tenant.
        narrow = await engine.vector_topk(vectors[0], 9, ours(Eq("id", "a/2999")))
        assert ids(narrow) == ["a/2999"]


async def test_the_walk_goes_on_until_enough_rows_are_in_reach(postgres_server, tenant):
    """Without iterative scans the index gives its nearest 200, of which an eighth is in reach."""
    before = indexes(postgres_server)
    vectors = directions(6000)
    async with opened(PostgresEngine(postgres_server.url, tenant=tenant, exact_rows=300, pool_size=1), WIDE) as engine:
        await engine.upsert(
            [row(f"a/{n:04}", category="rare" if n % 8 == 0 else "", vector=found) for n, found in enumerate(vectors)]
        )
        await engine.maintain(60)
        hits = 0
        for query in directions(5, seed=7):
            exact = await engine.vector_topk(query, 50, ours(Eq("category", "rare")), exact=True)
            found = await engine.vector_topk(query, 50, ours(Eq("category", "rare")))
            assert len(found) == 50
            hits += len(set(ids(exact)) & set(ids(found)))
        assert hits >= 0.98 * 250
        assert await index_scans(engine, postgres_server, indexes(postgres_server) - before) == 5


async def test_an_index_goes_with_its_space(postgres_server, tenant):
    before = indexes(postgres_server)
    async with opened(PostgresEngine(postgres_server.url, tenant=tenant, exact_rows=1)) as engine:
        await engine.upsert([*both("1", vector=EAST), *both("2", vector=EAST)])
        await engine.maintain(60)
        (old,) = indexes(postgres_server) - before
        await reembeddable(engine).begin_reembed(OTHER_SPACE)
        rows = await reembeddable(engine).rows_to_reembed(9)
        await reembeddable(engine).fill_reembed(ids(rows), np.repeat(vector(0, 1, 0)[None], len(rows), axis=0))
        await reembeddable(engine).finish_reembed()
        done = await engine.maintain(60)
        assert "dropped 1 indexes" in done
        assert "indexed the vectors of second" in done
        (new,) = indexes(postgres_server) - before
        assert new != old
        assert ids(await engine.vector_topk(vector(0, 1, 0), 9, theirs())) == ["b/1", "b/2"]


async def test_vectors_longer_than_the_index_takes_are_searched_all_the_same(postgres_server, tenant):
    for dimensions, said in ((3000, "indexed the vectors of long"), (5000, "took")):
        space = Space("contract", "long", dimensions)
        async with opened(
            PostgresEngine(postgres_server.url, tenant=f"{tenant}{dimensions}", exact_rows=1), space
        ) as engine:
            vectors = directions(3, dimensions)
            await engine.upsert([row(f"a/{n}", vector=found) for n, found in enumerate(vectors)])
            assert said in await engine.maintain(60)
            found = await engine.vector_topk(vectors[1], 3, ours())
            assert found[0].row.passage.id == "a/1"
            assert found[0].raw == pytest.approx(0, abs=1e-6)
            assert found[0].row.vector.tolist() == vectors[1].tolist()


async def test_many_small_scopes_get_no_index(postgres_server, tenant):
    before = indexes(postgres_server)
    async with opened(PostgresEngine(postgres_server.url, tenant=tenant, exact_rows=5)) as engine:
        scopes = [("", 2), *((f"telegram:{n}", 3) for n in range(4))]
        await engine.upsert(
            [
                row(f"a/{anchor}{n}", scope=replace(OURS, anchor=anchor), vector=EAST)
                for anchor, count in scopes
                for n in range(count)
            ]
        )
        await engine.maintain(60)
        assert indexes(postgres_server) == before
        await engine.upsert([row("a/more", vector=EAST)])
        await engine.maintain(60)
        assert len(indexes(postgres_server) - before) == 1


async def test_one_service_maintains_a_tenant_at_a_time(postgres_server, tenant):
    async with (
        opened(PostgresEngine(postgres_server.url, tenant=tenant)) as engine,
        opened(PostgresEngine(postgres_server.url, tenant=tenant)) as other,
        engine._store.upkeep("be held") as connection,
    ):
        await connection.execute("SELECT pg_advisory_lock(%s, hashtext(%s))", (0x7E2C03, tenant))
        assert "Another service" in await other.maintain(10)


# -- by term ----------------------------------------------------------------------------------


def bm25(documents, terms):
    """The formula as it is written, over the documents in reach."""
    mean = sum(map(len, documents.values())) / len(documents)
    scores = Counter()
    for term in set(terms):
        holders = sum(term in words for words in documents.values())
        idf = math.log(1 + (len(documents) - holders + 0.5) / (holders + 0.5))
        for identifier, words in documents.items():
            count = words.count(term)
            if count:
                scores[identifier] += idf * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * len(words) / mean))
    return scores


async def test_the_score_is_bm25_over_what_may_be_seen(postgres_server, tenant):
    """R6: other scopes' rows move no score; a term counts as often as it stands."""
    chance = random.Random(3)
    words = [f"w{n}" for n in range(30)]
    documents = {f"a/{n:03}": chance.choices(words, range(30, 0, -1), k=chance.randrange(1, 60)) for n in range(200)}
    documents["a/most"] = ["w0"] * (MOST_COUNTED - 1) + ["w1"]
    async with opened(PostgresEngine(postgres_server.url, tenant=tenant)) as engine:
        await engine.upsert([row(identifier, terms=tuple(found)) for identifier, found in documents.items()])
        asked = [chance.sample([*words, "absent"], k) for k in (1, 2, 5, 9)]
        before = [await engine.text_topk(terms, 200, ours()) for terms in asked]
        for terms, found in zip(asked, before, strict=True):
            wanted = bm25(documents, terms)
            assert {match.row.passage.id: pytest.approx(match.raw, rel=1e-9) for match in found} == wanted
            assert ids(found) == sorted(wanted, key=lambda key: (-round(wanted[key], 9), key))
        await engine.upsert([row(f"b/{n}", "w0 w1 w2", scope=replace(OURS, anchor="other")) for n in range(300)])
        for terms, found in zip(asked, before, strict=True):
            again = await engine.text_topk(terms, 200, ours())
            assert [(m.row.passage.id, m.raw) for m in again] == [(m.row.passage.id, m.raw) for m in found]


async def test_a_big_reach_is_read_from_its_rarest_words_on(postgres_server, tenant, monkeypatch):
    """A word that half of a big reach holds must not make every row be read, nor hide the rows beside it."""
    monkeypatch.setattr(matching, "COUNTED_ROWS", 50)
    monkeypatch.setattr(term_picking, "COUNTED_HOLDERS", 10)
    monkeypatch.setattr(term_picking, "MOST_READ", 40)
    async with opened(PostgresEngine(postgres_server.url, tenant=tenant)) as engine:
        await engine.upsert([row(f"a/{n:03}", "common other" if n % 2 else "common") for n in range(200)])
        await engine.upsert([row("a/rare", "common rare"), row("a/last", "rare rare", category="kept")])
        found = await engine.text_topk(["common", "rare"], 2, ours())
        assert ids(found) == ["a/rare", "a/last"]
        # More are wanted than hold the rare word, or the rare ones are filtered out: common words fill up.
        found = await engine.text_topk(["common", "rare"], 20, ours())
        assert ids(found)[:2] == ["a/rare", "a/last"]
        assert len(found) == 20
        assert [match.raw for match in found] == sorted((match.raw for match in found), reverse=True)
        assert ids(await engine.text_topk(["other", "rare"], 5, ours(Eq("id", "a/007")))) == ["a/007"]
        # Without a rare word, rows that hold them all come first, and some are still found.
        found = await engine.text_topk(["common", "other"], 30, ours())
        assert {match.row.passage.text for match in found} == {"common other"}
        assert len(await engine.text_topk(["common"], 300, ours())) == 40
        assert ids(await engine.text_topk(["rare", "absent"], 9, ours(Eq("category", "kept")))) == ["a/last"]


async def test_the_index_over_terms_is_used_under_row_level_security(postgres_server, tenant):
    """An operator that is not LEAKPROOF may use no index behind a policy, unless the policy itself asks it."""
    async with opened(PostgresEngine(postgres_server.url, tenant=tenant)) as engine:
        await engine.upsert([row(f"a/{n}", f"word{n} other") for n in range(500)])
        async with engine._store.reading("explain") as connection:
            await connection.execute("SET LOCAL enable_seqscan = off")
            found = await connection.execute("EXPLAIN SELECT id FROM passage_terms")
            plan = "\n".join(line for (line,) in await found.fetchall())
    assert "Bitmap Index Scan on passage_terms_lexemes" in plan


async def test_a_passage_of_very_many_and_very_long_terms(postgres_server, tenant):
    long = "长" * 3000
    async with opened(PostgresEngine(postgres_server.url, tenant=tenant)) as engine:
        terms = (long, *(f"term{n}" for n in range(60_000)))
        await engine.upsert([row("a/1", terms=terms), row("a/2", terms=("长" * 2999,))])
        for term in (long, "term0", "term9999"):
            assert ids(await engine.text_topk([term], 9, ours())) == ["a/1"]
        (read,) = await engine.get(["a/1"])
        assert read.terms == terms


# -- the library and the address --------------------------------------------------------------


async def test_a_missing_library_is_named_with_the_mend(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "psycopg_pool", None)
    with pytest.raises(MissingExtraError, match=r"tercet\[postgres\]"):
        await PostgresEngine("postgresql://u@127.0.0.1:1/x").open(SPACE)


def test_another_address_is_refused_at_once():
    with pytest.raises(ConfigurationError, match=r"store\.url"):
        PostgresEngine("/var/lib/lance")


async def test_a_shared_database_outlives_its_engine(postgres_server, tenant):
    database = await Database.open(postgres_server.url, tenant)
    async with opened(PostgresEngine(database)) as engine:
        await engine.upsert(both("1"))
    assert not await engine.probe()
    async with opened(PostgresEngine(database)) as engine:
        assert (await engine.stats()).rows == 2
    await database.close()
