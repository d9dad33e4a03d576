"""A search's two questions to the engine, by vector and by word."""

from __future__ import annotations

import asyncio

from tercet.errors import EngineUnavailableError
from tercet.model import Scope, SearchOptions
from tercet.ports import RootRecord
from tercet.testing.memory_engine import MemoryEngine

PATIENCE_S = 10.0
"""Only how long a test that fails takes to do so."""


async def indexed(world):
    world.files.write("/notes", "a.md", "an albatross\n")
    await world.ledger.manifest.add_root(RootRecord("notes", "/notes", Scope("main")))
    await world.layer().index(())


async def test_neither_leg_waits_for_the_other(world):
    class Meeting(MemoryEngine):
        """Each leg ends when both have begun."""

        both = asyncio.Barrier(2)

        async def vector_topk(self, vector, k, where, *, exact=False):
            await self.both.wait()
            return await super().vector_topk(vector, k, where, exact=exact)

        async def text_topk(self, terms, k, where):
            await self.both.wait()
            return await super().text_topk(terms, k, where)

    await indexed(world)
    async with asyncio.timeout(PATIENCE_S):
        found = await world.layer(engine=Meeting(world.store)).search("albatross", SearchOptions())
    assert [hit.passage.path for hit in found] == ["a.md"]
    assert found.degraded is None


async def test_a_leg_that_fails_leaves_the_other_not_reading_behind_the_answer(world):
    class Failing(MemoryEngine):
        is_reading = False

        async def vector_topk(self, vector, k, where, *, exact=False):
            self.is_reading = True
            for _ in range(5):
                await asyncio.sleep(0)
            self.is_reading = False
            return await super().vector_topk(vector, k, where, exact=exact)

        async def text_topk(self, terms, k, where):
            del terms, k, where
            msg = "the disk is gone."
            raise EngineUnavailableError(msg)

    await indexed(world)
    engine = Failing(world.store)
    found = await world.layer(engine=engine).search("albatross", SearchOptions())
    assert [hit.passage.path for hit in found] == ["a.md"]
    assert "the disk is gone." in found.degraded
    assert not engine.is_reading
