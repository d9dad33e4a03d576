# ruff: noqa: D102 - the names of the tests say what they ask
"""What every engine that can change its space must do; used beside ``EngineContract``."""

from __future__ import annotations

import numpy as np
import pytest

from tercet.errors import InvalidInputError, SpaceMismatchError
from tercet.filters import HasVector
from tercet.model import Space
from tercet.testing.samples import (
    OTHER_SPACE,
    EngineFixtures,
    MakeEngine,
    both,
    ids,
    opened,
    ours,
    reembeddable,
    row,
    vector,
)

EAST, NORTH = vector(1, 0, 0, 0), vector(0, 1, 0, 0)
NEW_EAST = vector(1, 0, 0)


@pytest.mark.asyncio
class ReembedContract(EngineFixtures):
    """The promises of ``tercet.ports.ReembeddableEngine``."""

    async def test_the_old_space_serves_until_the_switch(self, make_engine: MakeEngine) -> None:
        async with opened(make_engine()) as engine:
            await engine.upsert([*both("1", "one", vector=EAST), *both("2", "two", vector=NORTH)])
            await self._begin_and_fill(engine)
            assert ids(await engine.vector_topk(EAST, 1, ours())) == ["a/1"]
            await reembeddable(engine).finish_reembed()
            assert ids(await engine.vector_topk(NEW_EAST, 5, ours())) == ["a/1", "a/2"]
            assert [found.vector.tolist() for found in await engine.get(["a/2"]) if found.vector is not None] == [
                [1, 0, 0]
            ]
            with pytest.raises(InvalidInputError):
                await engine.vector_topk(EAST, 5, ours())
        async with opened(make_engine(), OTHER_SPACE) as engine:
            assert (await engine.stats()).rows_without_vector == 0
        with pytest.raises(SpaceMismatchError):
            async with opened(make_engine()):
                pass

    async def test_rows_come_in_id_order_and_leave_once_filled(self, make_engine: MakeEngine) -> None:
        async with opened(make_engine()) as engine:
            await engine.upsert([*both("2", vector=EAST), *both("1"), *both("3", vector=EAST)])
            reembedding = reembeddable(engine)
            await reembedding.begin_reembed(OTHER_SPACE)
            assert ids(await reembedding.rows_to_reembed(2)) == ["a/1", "a/2"]
            assert ids(await reembedding.rows_to_reembed(9)) == ["a/1", "a/2", "a/3", "b/1", "b/2", "b/3"]
            await reembedding.fill_reembed(["a/3", "a/1"], np.stack([NEW_EAST, NEW_EAST]))
            assert ids(await reembedding.rows_to_reembed(2)) == ["a/2", "b/1"]
            assert await reembedding.rows_to_reembed(0) == []

    async def test_the_switch_is_refused_while_rows_are_missing(self, make_engine: MakeEngine) -> None:
        async with opened(make_engine()) as engine:
            await engine.upsert(both("1", vector=EAST))
            reembedding = reembeddable(engine)
            await reembedding.begin_reembed(OTHER_SPACE)
            await reembedding.fill_reembed(["a/1"], NEW_EAST[None])
            with pytest.raises(InvalidInputError, match="1 rows"):
                await reembedding.finish_reembed()
            assert ids(await engine.vector_topk(EAST, 5, ours())) == ["a/1"]

    async def test_it_goes_on_after_a_stop(self, make_engine: MakeEngine) -> None:
        async with opened(make_engine()) as engine:
            await engine.upsert([*both("1", vector=EAST), *both("2", vector=EAST)])
            await reembeddable(engine).begin_reembed(OTHER_SPACE)
            await reembeddable(engine).fill_reembed(["a/1"], NEW_EAST[None])
        async with opened(make_engine()) as engine:
            await reembeddable(engine).begin_reembed(OTHER_SPACE)
            assert ids(await reembeddable(engine).rows_to_reembed(9)) == ["a/2", "b/1", "b/2"]
            await self._begin_and_fill(engine)
            await reembeddable(engine).finish_reembed()
            assert len(await engine.vector_topk(NEW_EAST, 5, ours())) == 2

    async def test_rows_changed_meanwhile_wait_and_deleted_ones_stay_deleted(self, make_engine: MakeEngine) -> None:
        async with opened(make_engine()) as engine:
            await engine.upsert([*both("1", "one", vector=EAST), *both("2", "two", vector=EAST)])
            reembedding = reembeddable(engine)
            await reembedding.begin_reembed(OTHER_SPACE)
            listed = ids(await reembedding.rows_to_reembed(9))
            await engine.delete(["a/1"])
            await engine.upsert([row("a/2", "changed", vector=NORTH), row("a/3", "new", vector=NORTH)])
            await reembedding.fill_reembed(listed, np.stack([NEW_EAST] * len(listed)))
            assert ids(await engine.get(["a/1"])) == []
            assert ids(await reembedding.rows_to_reembed(9)) == ["a/2", "a/3"]
            assert ids(await engine.vector_topk(NORTH, 2, ours())) == ["a/2", "a/3"]

    async def test_a_filled_row_that_changes_waits_again(self, make_engine: MakeEngine) -> None:
        async with opened(make_engine()) as engine:
            await engine.upsert(both("1", "one", vector=EAST))
            await self._begin_and_fill(engine)
            await engine.upsert([row("a/1", "changed", vector=NORTH)])
            assert ids(await reembeddable(engine).rows_to_reembed(9)) == ["a/1"]

    async def test_an_engine_that_waits_for_the_new_space_writes_into_it(self, make_engine: MakeEngine) -> None:
        async with opened(make_engine()) as engine:
            await engine.upsert(both("1", "one", vector=EAST))
            waiting = make_engine()
            try:
                with pytest.raises(SpaceMismatchError):
                    await waiting.open(OTHER_SPACE)
                await reembeddable(waiting).begin_reembed(OTHER_SPACE)
                await waiting.upsert([row("a/2", "two", vector=NEW_EAST)])
                assert ids(await reembeddable(waiting).rows_to_reembed(9)) == ["a/1", "b/1"]
                assert ids(await waiting.scan(ours(HasVector()))) == ["a/2"]
                await self._begin_and_fill(waiting)
                await reembeddable(waiting).finish_reembed()
                assert ids(await waiting.vector_topk(NEW_EAST, 5, ours())) == ["a/1", "a/2"]
            finally:
                await waiting.close()
            with pytest.raises(SpaceMismatchError):
                await engine.vector_topk(EAST, 5, ours())
            await engine.upsert([row("a/4", "four", vector=EAST)])
            assert ids(await engine.scan(ours())) == ["a/1", "a/2", "a/4"]

    async def test_a_third_space_replaces_the_half_filled_one(self, make_engine: MakeEngine) -> None:
        third = Space("contract", "third", 2)
        async with opened(make_engine()) as engine:
            await engine.upsert(both("1", vector=EAST))
            await self._begin_and_fill(engine)
            await self._begin_and_fill(engine, third)
            await reembeddable(engine).finish_reembed()
            assert ids(await engine.vector_topk(vector(1, 0), 5, ours())) == ["a/1"]
            with pytest.raises(InvalidInputError):
                await reembeddable(engine).rows_to_reembed(9)

    async def test_bad_vectors_and_steps_out_of_order_are_refused(self, make_engine: MakeEngine) -> None:
        async with opened(make_engine()) as engine:
            await engine.upsert(both("1", vector=EAST))
            reembedding = reembeddable(engine)
            with pytest.raises(InvalidInputError):
                await reembedding.rows_to_reembed(9)
            with pytest.raises(InvalidInputError):
                await reembedding.finish_reembed()
            await reembedding.begin_reembed(OTHER_SPACE)
            for bad in (
                EAST[None],
                np.stack([NEW_EAST, NEW_EAST]),
                vector(0, 0, 0)[None],
                vector(1, 0, float("nan"))[None],
            ):
                with pytest.raises(InvalidInputError):
                    await reembedding.fill_reembed(["a/1"], bad)
            assert ids(await reembedding.rows_to_reembed(9)) == ["a/1", "b/1"]

    @staticmethod
    async def _begin_and_fill(engine: object, space: Space = OTHER_SPACE) -> None:
        reembedding = reembeddable(engine)
        await reembedding.begin_reembed(space)
        new = np.zeros(space.dimensions, dtype=np.float32)
        new[0] = 1
        while rows := await reembedding.rows_to_reembed(2):
            await reembedding.fill_reembed(ids(rows), np.stack([new] * len(rows)))
