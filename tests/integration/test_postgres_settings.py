"""Where a home's memories lie in PostgreSQL, whose they are, and over how many connections."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager

import psycopg
import pytest

from tercet.app import build_async
from tercet.config import load_settings

FACT = "The boat Albatros was sold by Joris."


@asynccontextmanager
async def opened(home, **store):
    memory = await build_async(load_settings({"home": str(home), "embedding": {"provider": "none"}, "store": store}))
    try:
        yield memory
    finally:
        await memory.close()


async def facts(memory):
    return [entry.text for entry in await memory.list_entries()]


async def test_a_tenant_is_one_memory_for_every_home_and_no_other_tenant_sees_it(postgres_server, tmp_path):
    place = {"url": postgres_server.url, "tenant": postgres_server.new_tenant()}
    async with opened(tmp_path / "one", **place) as memory:
        await memory.remember(FACT)
    async with opened(tmp_path / "two", **place) as memory:
        assert await facts(memory) == [FACT]
    async with opened(tmp_path / "one", **{**place, "tenant": postgres_server.new_tenant()}) as memory:
        assert await facts(memory) == []


async def test_the_ledger_alone_may_lie_in_the_database(postgres_server, tmp_path):
    place = {"ledger_url": postgres_server.url, "tenant": postgres_server.new_tenant()}
    async with opened(tmp_path / "one", **place) as memory:
        await memory.remember(FACT)
    assert (tmp_path / "one" / "lancedb").is_dir()
    assert list((tmp_path / "one").glob("*.db")) == []
    async with opened(tmp_path / "two", **place) as memory:
        assert await facts(memory) == [FACT]


@pytest.mark.parametrize(("pool_size", "wanted"), [(2, {2}), (6, {3, 4, 5, 6})])
async def test_a_process_holds_no_more_connections_than_its_pool(postgres_server, tmp_path, pool_size, wanted):
    name = postgres_server.new_tenant()
    url = f"{postgres_server.url}?application_name={name}"
    async with opened(tmp_path, url=url, tenant=name, pool_size=pool_size) as memory:
        await asyncio.gather(*(memory.list_entries() for _ in range(60)))
        with psycopg.connect(postgres_server.administrator_url) as connection:
            asked = connection.execute("SELECT count(*) FROM pg_stat_activity WHERE application_name = %s", (name,))
            assert asked.fetchone()[0] in wanted
