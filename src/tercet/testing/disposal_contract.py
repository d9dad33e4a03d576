# ruff: noqa: D102 - the names of the tests say what they ask
"""What every engine whose store can be thrown away must do; used beside ``EngineContract``."""

from __future__ import annotations

import pytest

from tercet.errors import EngineUnavailableError
from tercet.ports.engine import DisposableEngine
from tercet.testing.samples import OTHER_SPACE, EngineFixtures, MakeEngine, both, ids, opened, ours, vector

EAST = vector(1, 0, 0, 0)


def disposable(engine: object) -> DisposableEngine:
    """Return the engine by its other protocol."""
    assert isinstance(engine, DisposableEngine)
    return engine


@pytest.mark.asyncio
class DisposalContract(EngineFixtures):
    """The promises of ``tercet.ports.DisposableEngine``."""

    async def test_a_store_can_be_looked_for_and_thrown_away(self, make_engine: MakeEngine) -> None:
        assert not disposable(make_engine()).has_store()
        async with opened(make_engine()) as engine:
            await engine.upsert(both("1", "word", vector=EAST))
            assert disposable(make_engine()).has_store()
            await disposable(engine).discard()
            assert not disposable(engine).has_store()
            with pytest.raises(EngineUnavailableError):
                await engine.scan(ours())
            await engine.open(OTHER_SPACE)
            assert ids(await engine.scan(ours())) == []
        assert disposable(make_engine()).has_store()
