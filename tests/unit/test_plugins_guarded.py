"""A layer of somebody else may leak, lie and raise; what comes out of the guard does not."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from tercet.errors import ConfigurationError, InvalidInputError, NotFoundError, TransientError
from tercet.model import BackendStatus, Hit, Passage, Probe, Reach, Scope, SearchOptions, SearchResult
from tercet.plugins.guarded import GuardedLayer

TITLE = "Plug-in 'jotter' of tercet-jotter 2.1"


def hit(name, score=0.5, *, agent="ada", anchor="", relevance=0.5):
    return Hit(Passage(name, "note", Scope(agent, anchor), name), score, relevance, "semantic", name)


class Stranger:
    """Answers what it was told to, or raises it."""

    def __init__(self, answer):
        self.answer = answer
        self.closed = 0

    async def search(self, query, options):
        return self._said()

    async def read_file(self, ref, start=None, lines=None, *, reach=None):
        return self._said()

    async def status(self):
        return self._said()

    async def probe_embedding_availability(self):
        return self._said()

    def probe_vector_availability(self):
        return self._said()

    async def close(self):
        self.closed += 1
        return self._said()

    def _said(self):
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def guarded(answer):
    return GuardedLayer(Stranger(answer), TITLE, "wiki", "ada")


async def search(answer, **options):
    return await guarded(answer).search("boat", SearchOptions(**options))


async def test_what_is_right_passes_whole_and_stands_for_its_slot():
    given = SearchResult([hit("a", 0.9), hit("b", 0.2)], degraded="slow today", took_ms=3.0, is_calibrated=False)
    found = await search(given)
    assert list(found) == [replace(each, layer="wiki") for each in given]
    assert (found.degraded, found.took_ms, found.is_calibrated) == ("slow today", 3.0, False)


@pytest.mark.parametrize(
    ("reach", "seen"),
    [
        (None, ["shared", "owner"]),
        (Reach("ada"), ["shared"]),
        (Reach("ada", ("telegram:1",)), ["private"]),
        (Reach("ada", ()), []),
        (Reach("bob"), ["theirs"]),
    ],
)
async def test_a_leak_is_stopped_and_said(reach, seen):
    given = [
        hit("shared"),
        hit("owner", anchor="agent:ada:main"),
        hit("private", anchor="telegram:1"),
        hit("theirs", agent="bob"),
    ]
    found = await search(SearchResult(given), reach=reach)
    assert [each.passage.id for each in found] == seen
    assert found.degraded.startswith(f"{TITLE} gave {4 - len(seen)} hit")


@pytest.mark.parametrize("number", [math.nan, math.inf, -0.1, 1.1])
async def test_what_is_no_score_is_left_out(number):
    found = await search(SearchResult([hit("a", number), hit("b", 0.4), hit("c", relevance=number)]))
    assert [each.passage.id for each in found] == ["b"]
    assert "2 hits" in found.degraded


async def test_order_limit_and_bar_are_kept_for_it():
    given = SearchResult([hit("low", 0.1), hit("high", 0.9), hit("mid", 0.5), hit("same", 0.5)])
    assert [each.passage.id for each in await search(given, limit=3)] == ["high", "mid", "same"]
    assert [each.passage.id for each in await search(given, min_score=0.6)] == ["high"]
    assert (await search(given)).degraded is None


@pytest.mark.parametrize(
    "answer",
    [KeyError("folder"), ConfigurationError("wrong\nkey"), TimeoutError(), None, [hit("a")], SearchResult(["x"])],
)
async def test_whatever_goes_wrong_in_a_search_is_one_line_that_lets_the_others_answer(answer):
    with pytest.raises(TransientError) as caught:
        await search(answer)
    assert str(caught.value).startswith(f"{TITLE} failed (")
    assert "\n" not in str(caught.value)


async def test_a_query_that_it_refuses_is_refused():
    with pytest.raises(InvalidInputError, match="blank"):
        await search(InvalidInputError("blank"))


async def test_reading_keeps_our_errors_and_names_the_others():
    with pytest.raises(NotFoundError, match="nowhere"):
        await guarded(NotFoundError("nowhere")).read_file("x")
    with pytest.raises(TransientError, match="tercet-jotter"):
        await guarded(OSError("disk")).read_file("x")


async def test_status_and_probes_never_raise():
    layer = guarded(OSError("disk"))
    status = await layer.status()
    assert (status.layer, status.healthy) == ("wiki", False)
    assert "tercet-jotter" in status.notes[0]
    for probe in (await layer.probe_embedding_availability(), await layer.probe_vector_availability()):
        assert not probe
        assert "OSError: disk" in probe.reason
    assert (await guarded(BackendStatus("semantic", True, 3, 4)).status()).layer == "wiki"
    assert await guarded(Probe(ok=True)).probe_embedding_availability()


async def test_closing_reaches_the_layer_that_can_be_closed():
    stranger = Stranger(None)
    await GuardedLayer(stranger, TITLE, "wiki", "ada").close()
    assert stranger.closed == 1
    await GuardedLayer(object(), TITLE, "wiki", "ada").close()
