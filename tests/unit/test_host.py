"""The host asks every layer within its deadline, merges by score, and says once what was down."""

from __future__ import annotations

import asyncio
import contextlib
from datetime import datetime

import pytest

from tercet.errors import EngineUnavailableError, InvalidInputError, NotFoundError
from tercet.host import Host
from tercet.model import BackendStatus, Hit, Passage, Probe, Scope, SearchOptions, SearchResult


def hit(name, score):
    return Hit(Passage(name, "entry", Scope("main"), name), score, score, "semantic", name)


class Layer:
    def __init__(self, *hits, degraded=None, failure=None, hangs=False, probe=None):
        self.hits, self.degraded, self.failure, self.hangs = hits, degraded, failure, hangs
        self.probe = Probe(ok=True) if probe is None else probe
        self.asked = []

    async def search(self, query, options):
        self.asked.append(options)
        if self.hangs:
            await asyncio.Event().wait()
        if self.failure:
            raise self.failure
        return SearchResult(list(self.hits), degraded=self.degraded)

    async def read_file(self, ref, start=None, lines=None, *, reach=None):
        if self.failure:
            raise self.failure
        return (ref, start, lines)

    async def status(self):
        if self.failure:
            raise self.failure
        return BackendStatus("semantic", healthy=True, rows=1, bytes_on_disk=1)

    async def probe_embedding_availability(self):
        return self.probe

    async def probe_vector_availability(self):
        return self.probe


def names(result):
    return [each.passage.id for each in result]


async def test_layers_are_merged_by_score_and_cut_to_the_limit():
    host = Host({"semantic": Layer(hit("a", 0.9), hit("c", 0.3)), "wiki": Layer(hit("b", 0.5))})
    assert names(await host.search("q", SearchOptions())) == ["a", "b", "c"]
    assert names(await host.search("q", SearchOptions(limit=2))) == ["a", "b"]


async def test_equal_scores_keep_the_order_of_the_layers():
    host = Host({"semantic": Layer(hit("a", 0.5)), "wiki": Layer(hit("b", 0.5))})
    assert names(await host.search("q", SearchOptions())) == ["a", "b"]


async def test_only_the_layers_asked_for_are_asked_and_an_absent_one_is_said():
    semantic = Layer(hit("a", 0.9))
    host = Host({"semantic": semantic, "wiki": Layer(hit("b", 0.5))})
    assert names(await host.search("q", SearchOptions(layers=("wiki",)))) == ["b"]
    assert semantic.asked == []
    result = await host.search("q", SearchOptions(layers=("semantic", "active")))
    assert names(result) == ["a"]
    assert "active layer is not enabled" in result.degraded


async def test_a_layer_that_hangs_costs_its_deadline_and_no_more():
    host = Host({"semantic": Layer(hangs=True), "wiki": Layer(hit("b", 0.5))})
    result = await host.search("q", SearchOptions(deadline_s=0.01))
    assert names(result) == ["b"]
    assert "semantic layer did not answer within 0.01 s" in result.degraded


async def test_a_layer_that_is_down_is_said_and_a_permanent_error_is_raised():
    host = Host(
        {"semantic": Layer(failure=EngineUnavailableError("gone.")), "wiki": Layer(hit("b", 0.5), degraded="old")}
    )
    result = await host.search("q", SearchOptions())
    assert (names(result), result.degraded) == (["b"], "the semantic layer is down: gone.; old")
    with pytest.raises(InvalidInputError):
        await Host({"semantic": Layer(failure=InvalidInputError("no"))}).search("q", SearchOptions())


async def test_a_layer_that_hung_twice_is_left_alone_for_half_a_minute_and_then_asked_again():
    now = [0.0]
    wiki = Layer(hit("b", 0.5), hangs=True)
    host = Host({"semantic": Layer(hit("a", 0.9)), "wiki": wiki}, monotonic=lambda: now[0])
    for _ in range(2):
        assert "did not answer" in (await host.search("q", SearchOptions(deadline_s=0.01))).degraded
    result = await host.search("q", SearchOptions(deadline_s=0.01))
    assert (names(result), len(wiki.asked)) == (["a"], 2)
    assert "left alone for now" in result.degraded
    wiki.hangs, now[0] = False, 30.0
    result = await host.search("q", SearchOptions(deadline_s=0.5))
    assert (names(result), result.degraded) == (["a", "b"], None)


async def test_a_hanging_layer_that_ignores_its_cancellation_holds_nobody_up():
    class Deaf(Layer):
        async def search(self, query, options):
            ends = asyncio.get_running_loop().time() + 0.3
            while (left := ends - asyncio.get_running_loop().time()) > 0:
                with contextlib.suppress(asyncio.CancelledError):
                    await asyncio.wait({asyncio.ensure_future(asyncio.Event().wait())}, timeout=left)
            return SearchResult([hit("late", 1.0)])

    host = Host({"semantic": Deaf(), "wiki": Layer(hit("b", 0.5))})
    async with asyncio.timeout(0.25):
        assert names(await host.search("q", SearchOptions(deadline_s=0.01))) == ["b"]


async def test_a_layer_with_a_fault_of_its_own_takes_no_other_along_and_its_status_says_so():
    host = Host({"semantic": Layer(failure=ZeroDivisionError("x")), "wiki": Layer(hit("b", 0.5))})
    result = await host.search("q", SearchOptions())
    assert (names(result), result.degraded) == (["b"], "the semantic layer failed (ZeroDivisionError: x)")
    assert [(status.layer, status.healthy) for status in await host.status()] == [
        ("semantic", False),
        ("semantic", True),
    ]


async def test_a_ref_is_read_from_the_layer_that_knows_it_and_one_that_is_down_is_said():
    unknown, down = NotFoundError("no such thing"), EngineUnavailableError("gone.")
    assert await Host({"semantic": Layer(failure=unknown), "wiki": Layer()}).read_file("x", 2) == ("x", 2, None)
    with pytest.raises(EngineUnavailableError):
        await Host({"semantic": Layer(failure=down), "wiki": Layer(failure=unknown)}).read_file("x")
    with pytest.raises(NotFoundError):
        await Host({"semantic": Layer(failure=unknown)}).read_file("x")


async def test_without_layers_the_answer_is_empty():
    result = await Host({}).search("q", SearchOptions())
    assert (list(result), result.degraded) == ([], None)
    assert not await Host({}).probe_vector_availability()
    with pytest.raises(InvalidInputError):
        await Host({}).read_file("x")


@pytest.mark.parametrize(
    ("query", "options"),
    [
        (" \n", SearchOptions()),
        ("q", SearchOptions(limit=0)),
        ("q", SearchOptions(limit=1001)),
        ("q", SearchOptions(min_score=-0.1)),
        ("q", SearchOptions(min_score=float("nan"))),
        ("q", SearchOptions(deadline_s=0)),
        ("q", SearchOptions(deadline_s=-1)),
        ("q", SearchOptions(now=datetime(2026, 1, 1))),  # noqa: DTZ001 - the fault under test
    ],
)
async def test_what_is_out_of_range_is_refused_before_any_layer_is_asked(query, options):
    layer = Layer()
    with pytest.raises(InvalidInputError):
        await Host({"semantic": layer}).search(query, options)
    assert layer.asked == []


async def test_a_probe_is_good_when_any_layer_is():
    bad = Probe(ok=False, reason="down")
    assert await Host({"semantic": Layer(probe=bad), "wiki": Layer()}).probe_embedding_availability()
    assert (await Host({"semantic": Layer(probe=bad)}).probe_vector_availability()).reason == "down"
