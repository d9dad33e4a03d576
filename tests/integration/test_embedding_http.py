"""How a model service that is dead, slow, lying or over-eager is met, over real HTTP on loopback."""

from __future__ import annotations

import asyncio
import gc
import socket

import numpy as np
import pytest

from tercet.adapters.embedders import ollama, openai
from tercet.adapters.embedders.http import retry_after_s
from tercet.errors import ConfigurationError, EmbedderContractError, EmbedderUnavailableError
from tercet.testing import embedding_server as played
from tercet.testing.embedding_server import EmbeddingServer, half_of, hashed_words
from tercet.testing.model_server import Answer

KEY = "sk-secret-key-of-mine"


class Waits:
    """Stands in for sleeping and keeps what was asked."""

    def __init__(self):
        self.seconds = []

    async def __call__(self, seconds):
        self.seconds.append(seconds)


@pytest.fixture
def server():
    with EmbeddingServer(hashed_words()) as running:
        yield running


@pytest.fixture
def waits():
    return Waits()


@pytest.fixture
async def make(server, waits):
    made = []

    def build(module=openai, **settings):
        settings = {"url": server.url + ("/v1" if module is openai else "")} | settings
        if module is openai:
            settings = {"api_key": KEY} | settings
        made.append(module.create(settings, wait=waits))
        return made[-1]

    yield build
    for each in made:
        await each.close()


async def reason(work, kind):
    with pytest.raises(kind) as caught:
        await work
    said = str(caught.value)
    assert KEY not in said
    assert "secret" not in said
    assert "\n" not in said
    return said


async def test_a_rate_limit_waits_as_long_as_the_service_asks(make, server, waits):  # G10
    embedder = make()
    await embedder.space()
    server.fail_with(played.RATE_LIMITED, times=4)
    assert (await embedder.embed_documents(["x"])).shape == (1, 32)
    assert waits.seconds == [3, 3, 3, 3]


async def test_a_rate_limit_that_never_ends_is_given_up_after_five_tries(make, server, waits):  # G10
    embedder = make()
    await embedder.space()
    server.fail_with(played.RATE_LIMITED, times=None)
    before = len(server.posted())
    said = await reason(embedder.embed_documents(["x"]), EmbedderUnavailableError)
    assert "429" in said
    assert len(server.posted()) - before == 5
    assert sum(waits.seconds) <= 60


async def test_a_service_that_asks_for_an_hour_is_given_up_at_once(make, server, waits):
    embedder = make()
    await embedder.space()
    server.fail_with(played.RATE_LIMITED_FOR_LONG, times=None)
    assert "3600 s" in await reason(embedder.embed_documents(["x"]), EmbedderUnavailableError)
    assert (len(server.posted()), waits.seconds) == (2, [])


@pytest.mark.parametrize(
    ("asked", "seconds"),
    [
        ("7", 7.0),
        ("Mon, 05 Jan 2026 10:00:09 GMT", 9.0),
        ("Mon, 05 Jan 2026 09:00:00 GMT", None),
        ("-1", None),
        ("nan", None),
        ("in a while", None),
        ("", None),
    ],
)
def test_a_date_to_wait_for_is_read_against_the_services_own_clock(asked, seconds):
    assert retry_after_s({"date": "Mon, 05 Jan 2026 10:00:00 GMT", "retry-after": asked}) == seconds


async def test_a_question_never_waits_longer_than_a_search_can(make, server, waits):  # G22
    embedder = make(query_timeout_s=20)
    await embedder.space()
    server.fail_with(Answer(429, headers={"Retry-After": "30"}), times=None)
    await reason(embedder.embed_queries(["x"]), EmbedderUnavailableError)
    assert waits.seconds == []


async def test_an_exhausted_quota_is_not_tried_again(make, server, waits):  # G11
    server.fail_with(played.QUOTA_EXHAUSTED, times=None)
    assert "quota" in await reason(make().embed_documents(["x"]), EmbedderUnavailableError)
    assert (len(server.posted()), waits.seconds) == (1, [])


async def test_a_server_error_is_tried_again_with_growing_pauses(make, server, waits):
    embedder = make()
    await embedder.space()
    server.fail_with(played.SERVER_ERROR, times=4)
    assert (await embedder.embed_documents(["x"])).shape == (1, 32)
    assert waits.seconds == [0.5, 1.0, 2.0, 4.0]


async def test_a_connection_that_breaks_in_the_answer_is_tried_again(make, server, waits):
    embedder = make()
    await embedder.space()
    server.fail_with(half_of(Answer(json={"data": [{"index": 0, "embedding": [0.5] * 32}]})))
    rows = await embedder.embed_documents(["the whole answer"])
    assert np.allclose(rows, _unit(hashed_words()(["the whole answer"])), atol=1e-5)
    assert len(waits.seconds) == 1


async def test_a_dead_service_is_unavailable_with_its_address_and_a_question_does_not_wait(make, server, waits):  # G1
    embedder = make()
    await embedder.space()
    server.close()
    with pytest.raises(EmbedderUnavailableError, match="connection refused"):
        await embedder.embed_documents(["x"])
    assert waits.seconds == [0.5, 1.0, 2.0, 4.0]
    waits.seconds.clear()
    said = await reason(embedder.embed_queries(["x"]), EmbedderUnavailableError)
    assert "connection refused" in said
    assert server.url in said
    probe = await embedder.probe()
    assert (probe.ok, probe.permanent) == (False, False)
    assert waits.seconds == []


async def test_a_service_that_comes_back_is_used_again(make, server):  # G23
    embedder = make()
    server.fail_with(played.SERVER_ERROR, times=2)
    await reason(embedder.space(), EmbedderUnavailableError)
    assert (await embedder.embed_queries(["x"])).shape == (1, 32)


async def test_a_question_to_a_silent_service_ends_in_time(make, server):  # G1, G22
    embedder = make(query_timeout_s=0.2)
    server.hold()
    said = await reason(embedder.embed_queries(["x"]), EmbedderUnavailableError)
    assert "in the time allowed" in said
    server.release()


async def test_a_batch_to_a_silent_service_ends_after_its_own_time(make, server, waits):
    embedder = make()
    await embedder.space()
    # Only now: a busy machine may need longer than this for the healthy answer above.
    embedder._api._service._timeout_s = 0.1
    server.hold()
    said = await reason(embedder.embed_documents(["x"]), EmbedderUnavailableError)
    assert "no answer within 0.1 s" in said
    assert len(waits.seconds) == 1
    server.release()


async def test_a_cancelled_caller_leaves_and_the_next_one_is_served(make, server):  # G12
    embedder = make()
    await embedder.space()
    for _ in range(len(server.requests)):
        server.arrived.acquire()
    server.hold()
    asked = asyncio.create_task(embedder.embed_documents(["x"]))
    await asyncio.to_thread(server.arrived.acquire, timeout=10)
    asked.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asked
    server.release()
    assert (await embedder.embed_documents(["y"])).shape == (1, 32)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (played.UNAUTHORISED, "refused the key (401): set embedding.api_key"),
        (played.FORBIDDEN, "403: Country not supported"),  # G6
        (played.UNKNOWN_MODEL, "404: The model 'x' does not exist): check embedding.model"),
        (played.MOVED, "has moved (308)"),
        (Answer(400, {"error": {"message": f"bad key {KEY} in request"}}), "bad key ***"),
    ],
    ids=["401", "403", "404", "308", "400"],
)
async def test_a_wrong_configuration_is_said_in_plain_words_at_once(make, server, waits, answer, said):
    server.fail_with(answer, times=None)
    embedder = make()
    assert said in await reason(embedder.embed_documents(["x"]), ConfigurationError)
    assert (len(server.posted()), waits.seconds) == (1, [])
    probe = await embedder.probe()
    assert (probe.ok, probe.permanent) == (False, True)


@pytest.mark.parametrize("answer", [played.INVALID_JSON, played.HTML, Answer(json=[]), Answer(json={"data": "no"})])
async def test_an_answer_of_another_kind_is_a_contract_error(make, server, waits, answer):
    server.fail_with(answer, times=None)
    said = await reason(make().embed_documents(["x"]), EmbedderContractError)
    assert "embedding.url" in said
    assert waits.seconds == []


@pytest.mark.parametrize("module", [openai, ollama])
@pytest.mark.parametrize(
    ("distort", "said"),
    [
        (lambda rows: rows[:-1], "2 vectors for 3 texts"),
        (lambda rows: [*rows, rows[0]], "4 vectors for 3 texts"),
        (lambda rows: [[float("nan"), *row[1:]] for row in rows], "NaN"),
        (lambda rows: [row[:30] for row in rows], "30 numbers a vector, 32 were expected"),  # G4
        (lambda rows: [rows[0], rows[1][:3], rows[2]], "uneven"),
        (lambda rows: [rows[0], None, rows[2]], "uneven or no numbers"),
    ],
    ids=["fewer", "more", "nan", "other length", "uneven", "null"],
)
async def test_a_lying_service_is_refused_by_name(make, server, module, distort, said):
    embedder = make(module, model="some-model")
    await embedder.space()
    server.distort = distort
    message = await reason(embedder.embed_documents(["a", "b", "c"]), EmbedderContractError)
    assert said in message
    assert "some-model" in message


async def test_a_password_in_the_address_is_sent_but_never_shown(make, server):
    embedder = make(url=server.url.replace("http://", "http://user:pass-word@") + "/v1", api_key=None)
    await embedder.space()
    assert server.requests[0].authorization.startswith("Basic ")
    server.close()
    said = await reason(embedder.embed_documents(["x"]), EmbedderUnavailableError)
    assert "127.0.0.1" in said
    assert "pass-word" not in said
    assert "user:" not in said


async def test_the_environments_proxy_does_not_see_what_goes_to_this_machine(make, monkeypatch):
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{closed.getsockname()[1]}")
        monkeypatch.delenv("NO_PROXY", raising=False)
        monkeypatch.delenv("no_proxy", raising=False)
        assert (await make().embed_queries(["x"])).shape == (1, 32)


# The first loop ends with its connection open, as a caller's asyncio.run() would leave it.
@pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_one_embedder_works_in_one_loop_after_another(server):
    embedder = openai.create({"url": f"{server.url}/v1"})
    first = asyncio.run(embedder.embed_queries(["x"]))

    async def again():
        rows = await embedder.embed_queries(["x"])
        await embedder.close()
        return rows

    assert np.array_equal(asyncio.run(again()), first)
    gc.collect()


def _unit(rows):
    rows = np.asarray(rows)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)
