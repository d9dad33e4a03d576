"""The synchronous face: every method of the core, the settings behind what a call leaves open, a clean close."""

from __future__ import annotations

import inspect

import pytest

from tercet.app import build, build_async
from tercet.config import load_settings
from tercet.errors import ConfigurationError, IdentityError, InvalidInputError
from tercet.memory import AsyncMemory, Memory
from tercet.model import SearchOptions


@pytest.fixture
def settings(home):
    return {"home": str(home), "embedding": {"provider": "none"}}


def test_every_public_method_of_the_core_has_its_synchronous_twin():
    for name, method in vars(AsyncMemory).items():
        if inspect.iscoroutinefunction(method) and not name.startswith("_"):
            twin = getattr(Memory, name)
            assert not inspect.iscoroutinefunction(twin)
            if name != "close":
                assert twin.__wrapped__ is method
                assert twin.__doc__ == method.__doc__


def test_it_indexes_searches_reads_and_closes_twice(settings, notes):
    with build(load_settings(settings)) as memory:
        assert memory.index([str(notes)]).files == 4
        hit = memory.search("kompas")[0]
        assert "kompas" in memory.read(hit.passage.id).text
        assert memory.status().folders[0].chunks == 4
        memory.close()
    with pytest.raises(RuntimeError, match="closed"):
        memory.search("kompas")


async def test_the_asynchronous_face_answers_the_same(settings, notes):
    memory = await build_async(load_settings(settings))
    await memory.index([str(notes)])
    found = await memory.search("kompas")
    await memory.close()
    with build(load_settings(settings)) as twin:
        assert [each.passage for each in twin.search("kompas")] == [each.passage for each in found]


def test_what_a_call_leaves_open_comes_from_the_settings(settings, notes):
    given = {**settings, "retrieval": {"limit": 1, "preset": "classic", "min_score": 0.0}}
    with build(load_settings(given)) as memory:
        memory.index([str(notes)])
        assert memory.default_options.limit == 1
        found = memory.search("kompas roofer boat")
        assert len(found) == 1
        explained = memory.search("kompas", SearchOptions(explain=True))[0].explanation
        assert explained.preset == "classic"
        assert memory.search("kompas", SearchOptions(explain=True, preset="hybrid"))[0].explanation.preset == "hybrid"
        with pytest.raises(InvalidInputError, match="preset"):
            memory.search("x", SearchOptions(preset="nonsense"))


@pytest.mark.parametrize(
    ("changed", "error"),
    [({"agent": "No Good"}, IdentityError), ({"embedding": {"nonsense": "x"}}, ConfigurationError)],
)
def test_a_wrong_setting_creates_nothing(settings, home, changed, error):
    with pytest.raises(error):
        build(load_settings({**settings, **changed}))
    assert not home.exists()


def test_many_callers_may_share_one_memory(settings, notes):
    from concurrent.futures import ThreadPoolExecutor

    with build(load_settings(settings)) as memory:
        memory.index([str(notes)])
        with ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(lambda _: memory.search("kompas"), range(40)))
    assert {answer[0].passage.path for answer in answers} == {"table.md"}
    assert {answer.degraded for answer in answers} == {None}
