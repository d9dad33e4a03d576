"""Rerankers over real HTTP on loopback: both shapes, and services that are down or lie."""

from __future__ import annotations

import numpy as np
import pytest

from tercet.adapters.rerankers import http_rerank
from tercet.errors import ConfigurationError, EmbedderContractError, RerankerUnavailableError
from tercet.testing.embedding_server import INVALID_JSON, RATE_LIMITED, SERVER_ERROR, UNAUTHORISED, half_of
from tercet.testing.model_server import Answer
from tercet.testing.rerank_server import RerankServer

TEXTS = ["the garden fence", "the old boiler was serviced", "  ", "boiler"]
QUERY = "old boiler"


@pytest.fixture(params=["documents", "texts"])
def server(request):
    with RerankServer(shape=request.param) as running:
        yield running


@pytest.fixture
async def make(server):
    made, waited = [], []

    async def wait(seconds):
        waited.append(seconds)

    def build(**settings):
        made.append(http_rerank.create({"url": server.url, "shape": server.shape} | settings, wait=wait))
        return made[-1]

    build.waited = waited
    yield build
    for each in made:
        await each.close()


async def test_scores_come_back_in_the_order_of_the_texts(make, server):
    scores = await make(model="some-reranker").rerank(QUERY, TEXTS)
    assert scores.tolist() == [0.0, 1.0, 0.0, 0.5]
    assert scores.dtype == np.float32
    body = server.posted()[0].body
    assert body[server.shape] == ["the garden fence", "the old boiler was serviced", "boiler"]
    assert body.get("model") == ("some-reranker" if server.shape == "documents" else None)


async def test_nothing_to_read_asks_nobody(make, server):
    reranker = make()
    assert (await reranker.rerank(QUERY, [])).shape == (0,)
    assert (await reranker.rerank(QUERY, ["", " "])).tolist() == [0.0, 0.0]
    assert (await reranker.rerank("  ", ["text"])).tolist() == [0.0]
    assert server.requests == []


async def test_logits_are_squashed_and_keep_their_order(make, server):
    server.score = lambda query, text: {"a": 11.0, "b": -0.5, "c": -2000.0}[text]
    scores = await make().rerank("q", ["a", "b", "c"])
    assert scores[0] > scores[1] > scores[2] >= 0
    assert scores[1] == pytest.approx(1 / (1 + np.exp(0.5)))
    with pytest.raises(EmbedderContractError, match=r"rerank\.scale"):
        await make(scale="probabilities").rerank("q", ["a", "b"])


async def test_the_wrong_shape_is_named_with_its_mend(make, server):  # G20
    other = "texts" if server.shape == "documents" else "documents"
    with pytest.raises(ConfigurationError, match=rf"wants '{server.shape}': set rerank\.shape"):
        await make(shape=other).rerank(QUERY, TEXTS)
    assert len(server.posted()) == 1


@pytest.mark.parametrize("name", ["jina", "cohere", "TEI"])
def test_shapes_may_be_named_by_their_provider(name):
    assert http_rerank.create({"url": "http://localhost:1", "shape": name})._shape in {"documents", "texts"}


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({}, r"needs rerank\.url"),
        ({"url": "http://h", "shape": "pairs"}, r"rerank\.shape"),
        ({"url": "http://h", "scale": "percent"}, r"rerank\.scale"),
        ({"url": "http://h", "dimensions": 3}, r"rerank\.dimensions"),
    ],
)
def test_wrong_settings_are_named(settings, said):
    with pytest.raises(ConfigurationError, match=said):
        http_rerank.create(settings)


async def test_the_address_may_end_in_rerank(make, server):
    assert (await make(url=f"{server.url}/rerank/").rerank(QUERY, ["boiler"])).tolist() == [0.5]


@pytest.mark.parametrize(
    ("distort", "said"),
    [
        (lambda results: results[:-1], "2 scores for 3 texts"),
        (lambda results: [results[0], *results[:-1]], "repeated an index"),
        (lambda results: [each | {"index": each["index"] + 1} for each in results], "left out or repeated"),
        (lambda results: [{key: each[key] for key in each if key != "index"} for each in results], "left out"),
        (lambda results: [{"index": each["index"]} for each in results], "NaN|scores for"),
        (lambda results: [each | {"score": float("nan"), "relevance_score": float("nan")} for each in results], "NaN"),
    ],
    ids=["fewer", "twice", "shifted", "no index", "no score", "nan"],
)
async def test_a_lying_service_is_refused(make, server, distort, said):
    server.distort = distort
    with pytest.raises(EmbedderContractError, match=said):
        await make().rerank(QUERY, TEXTS)


@pytest.mark.parametrize("answer", [INVALID_JSON, Answer(json={"ranking": []}), Answer(json=3)])
async def test_an_answer_of_another_kind_is_a_contract_error(make, server, answer):
    server.fail_with(answer, times=None)
    with pytest.raises(EmbedderContractError):
        await make().rerank(QUERY, TEXTS)


@pytest.mark.parametrize("answer", [SERVER_ERROR, RATE_LIMITED, half_of(Answer(json={"results": ["x"] * 50}))])
async def test_a_service_that_fails_is_unavailable_after_a_second_try(make, server, answer):  # G28
    server.fail_with(answer, times=None)
    with pytest.raises(RerankerUnavailableError):
        await make().rerank(QUERY, TEXTS)
    assert len(server.posted()) == 2


async def test_a_silent_service_is_left_in_time(make, server):  # G21, G28
    server.hold()
    with pytest.raises(RerankerUnavailableError, match=r"in the time allowed|no answer within"):
        await make(query_timeout_s=0.2).rerank(QUERY, TEXTS)
    server.release()


async def test_a_dead_service_is_unavailable_and_a_wrong_key_permanent(make, server):
    reranker = make(api_key="sk-mine")
    server.fail_with(UNAUTHORISED)
    with pytest.raises(ConfigurationError, match=r"rerank\.api_key"):
        await reranker.rerank(QUERY, TEXTS)
    assert server.posted()[0].authorization == "Bearer sk-mine"
    server.close()
    with pytest.raises(RerankerUnavailableError, match="refused"):
        await reranker.rerank(QUERY, TEXTS)
