"""A failed embedder is left alone for a while, then asked again (G1, G22, G23)."""

from __future__ import annotations

import asyncio

import pytest

from tercet.errors import ConfigurationError, EmbedderContractError, EmbedderUnavailableError, InvalidInputError
from tercet.layers.semantic.resting_embedder import REST_S, RestingEmbedder


@pytest.fixture
def resting(world):
    return RestingEmbedder(world.embedder, monotonic=lambda: world.seconds)


@pytest.mark.parametrize("kind", [EmbedderUnavailableError, ConfigurationError, EmbedderContractError])
async def test_a_failure_is_repeated_without_asking_until_the_rest_is_over(world, resting, kind):
    world.embedder.failure = kind("down.")
    for ask in (resting.embed_documents, resting.embed_queries):
        with pytest.raises(kind, match="down"):
            await ask(["a"])
    with pytest.raises(kind):
        await resting.space()
    assert world.embedder.calls == 1
    world.embedder.failure = None
    world.seconds = REST_S - 0.1
    with pytest.raises(kind):
        await resting.space()
    world.seconds = REST_S
    assert (await resting.space()).dimensions == 64
    assert (await resting.embed_queries(["a"])).shape == (1, 64)


async def test_a_good_probe_ends_the_rest(world, resting):
    world.embedder.failure = EmbedderUnavailableError("down.")
    with pytest.raises(EmbedderUnavailableError):
        await resting.space()
    assert not await resting.probe()
    world.embedder.failure = None
    assert await resting.probe()
    assert await resting.space()


async def test_a_mistake_of_the_caller_is_no_reason_to_rest(world, resting):
    world.embedder.failure = InvalidInputError("no text")
    with pytest.raises(InvalidInputError):
        await resting.embed_queries(["a"])
    world.embedder.failure = None
    assert (await resting.embed_queries(["a"])).shape == (1, 64)


async def test_one_that_cannot_wait_gives_up_and_the_others_are_spared(world, resting):
    async def never(texts):
        await asyncio.Event().wait()

    world.embedder.embed_documents = never
    impatient = resting.until(asyncio.get_running_loop().time() + 0.01)
    with pytest.raises(EmbedderUnavailableError, match="did not answer in time"):
        await impatient.embed_documents(["a"])
    with pytest.raises(EmbedderUnavailableError, match="did not answer in time"):
        await resting.embed_queries(["a"])
    assert world.embedder.calls == 0
    world.seconds = REST_S
    assert (await resting.until(asyncio.get_running_loop().time() + 60).embed_queries(["a"])).shape == (1, 64)
