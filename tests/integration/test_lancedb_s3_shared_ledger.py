"""Vectors in a bucket and everything else in PostgreSQL: two services of one tenant are one memory."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack

import pytest

from tercet.app import build_async
from tercet.app.stores import make_locks
from tercet.config import load_settings

FACT = "The boat Albatros was sold by Joris."
PATIENCE_S = 60


@pytest.fixture
def settings_of(postgres_server, s3_server, tmp_path):
    """Settings of a service with a home of its own, over one bucket and one database."""
    store = {
        **s3_server.settings(s3_server.new_uri()),
        "ledger_url": postgres_server.url,
        "tenant": postgres_server.new_tenant(),
        "consistency_s": 0.2,
    }

    def made(service):
        return load_settings({"home": str(tmp_path / service), "store": store, "embedding": {"provider": "none"}})

    return made


@pytest.fixture
async def services(settings_of):
    async with AsyncExitStack() as closing:
        opened = [await build_async(settings_of(name)) for name in ("one", "two")]
        for each in opened:
            closing.push_async_callback(each.close)
        yield opened


async def texts(memory, query):
    found = await memory.search(query)
    assert found.degraded is None
    return [hit.passage.text for hit in found]


async def until(memory, query, wanted):
    """Search until the answer is as wanted: another service's write shows after the interval."""
    async with asyncio.timeout(PATIENCE_S):
        while not wanted(await texts(memory, query)):
            pass


async def test_two_services_share_one_memory(services, notes, write_notes):
    one, two = services
    indexed, again = await asyncio.gather(one.index([str(notes)]), two.index([str(notes)]))
    assert indexed.chunks == again.chunks > 0
    entry = await two.remember(FACT)
    for memory in services:
        await until(memory, "boat Albatros", lambda found: any("berth 47" in text for text in found))
        await until(memory, "Joris boat", lambda found: FACT in found)
    write_notes(notes, {"new.md": "A second boat Albatros lies at berth 12.\n"})
    await asyncio.gather(one.index([]), two.index([]))
    await one.forget([entry.id])
    for memory in services:
        await until(memory, "boat Albatros berth 12", lambda found: sum("berth 12" in text for text in found) == 1)
        assert FACT not in await texts(memory, "Joris boat"), "forgotten by one is forgotten by both at once"
        findings = {found.check: found.verdict for found in await memory.diagnose()}
        assert {findings[check] for check in ("vector store", "index", "round trip")} == {"ok"}


async def test_the_lease_of_the_upkeep_lies_in_the_database(settings_of):
    here, there = (make_locks(settings_of(name).settings).upkeep() for name in ("one", "two"))
    assert here.try_acquire()
    assert not there.try_acquire()
    here.release()
    assert there.try_acquire()
    there.release()
