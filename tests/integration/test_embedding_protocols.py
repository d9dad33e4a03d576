"""What is sent to Ollama and to OpenAI-compatible services, and what is made of their answers."""

from __future__ import annotations

import numpy as np
import pytest

from tercet.adapters.embedders import ollama, openai
from tercet.errors import ConfigurationError, EmbedderContractError, EmbedderUnavailableError
from tercet.testing import embedding_server as played
from tercet.testing.embedding_server import EmbeddingServer, hashed_words
from tercet.testing.model_server import Answer


@pytest.fixture
def server():
    with EmbeddingServer(hashed_words()) as running:
        yield running


@pytest.fixture
async def make(server):
    made = []

    def build(module, **settings):
        made.append(module.create({"url": server.url + ("/v1" if module is openai else "")} | settings))
        return made[-1]

    yield build
    for each in made:
        await each.close()


async def test_ollama_gets_the_prefixes_of_the_model_and_the_space_keeps_them(make, server):  # G29
    embedder = make(ollama)
    await embedder.embed_documents(["a document"])
    await embedder.embed_queries(["a question"])
    assert server.texts()[-2:] == ["search_document: a document", "search_query: a question"]
    body = server.posted()[-1].body
    assert (server.posted()[-1].path, body["model"], body["truncate"]) == ("/api/embed", "nomic-embed-text", True)
    space = await embedder.space()
    assert (space.document_prefix, space.query_prefix) == ("search_document: ", "search_query: ")
    assert (space.provider, space.model, space.dimensions, space.revision) == (
        "ollama",
        "nomic-embed-text",
        32,
        "0a109f",
    )


async def test_own_prefixes_win_even_when_they_are_empty(make, server):  # G29
    embedder = make(ollama, document_prefix="", query_prefix="ask: ")
    await embedder.embed_documents(["a document"])
    await embedder.embed_queries(["a question"])
    assert server.texts()[-2:] == ["a document", "ask: a question"]


async def test_ollama_goes_in_batches_of_twenty(make, server):  # G13
    rows = await make(ollama).embed_documents([f"text {number}" for number in range(45)])
    assert [len(request.body["input"]) for request in server.posted()[1:]] == [20, 20, 5]
    assert np.allclose(rows[44], (await make(ollama).embed_documents(["text 44"]))[0], atol=1e-6)


async def test_a_model_that_is_not_pulled_is_named_with_the_command(make, server):
    server.fail_with(played.MODEL_MISSING, times=None)
    embedder = make(ollama)
    with pytest.raises(EmbedderUnavailableError, match="ollama pull nomic-embed-text"):
        await embedder.embed_queries(["x"])
    assert not (await embedder.probe()).permanent


async def test_an_address_without_ollama_is_a_wrong_configuration(make, server):
    with pytest.raises(ConfigurationError, match=r"embedding\.url"):
        await make(ollama, url=f"{server.url}/nothing").embed_queries(["x"])


async def test_the_old_empty_answer_of_ollama_is_refused(make, server):
    server.fail_with(Answer(json={"embedding": []}), times=None)
    with pytest.raises(EmbedderContractError, match="no embeddings"):
        await make(ollama).embed_queries(["x"])


async def test_a_text_over_the_context_is_cut_for_its_vector_alone_and_said(make, server, caplog):  # T1
    caplog.set_level("INFO", logger="tercet")
    await make(ollama).embed_documents(["short", "word " * 4000, "字" * 4000])
    short, latin, wide = server.texts()[-3:]
    assert short == "search_document: short"
    assert len(latin) == 6000
    assert 1500 <= len(wide) <= 1520
    assert "2 of 3 texts" in caplog.text
    assert "word" not in caplog.text


async def test_a_text_the_service_finds_too_long_is_halved_and_its_neighbours_stay_whole(make, server):  # T1
    server.context_chars = 1000
    texts = [f"text {number}" for number in range(7)]
    texts[3] = "long " * 900
    embedder = make(ollama)
    rows = await embedder.embed_documents(texts)
    assert rows.shape == (7, 32)
    assert np.allclose(rows[4], (await embedder.embed_documents(["text 4"]))[0], atol=1e-6)
    tried = [len(text) for text in server.texts() if "long" in text]
    alone = tried[-3:]
    assert alone[1:] == [before // 2 for before in alone[:-1]]
    assert tried[-1] <= 1000
    assert len(server.posted()) < 20


async def test_a_service_that_finds_everything_too_long_is_given_up(make, server):  # T1
    embedder = make(ollama)
    await embedder.space()
    server.context_chars = 0
    before = len(server.posted())
    with pytest.raises(EmbedderContractError, match="too long"):
        await embedder.embed_documents(["word " * 1000])
    assert len(server.posted()) - before <= 8


async def test_another_refusal_is_not_taken_for_a_text_too_long(make, server):
    embedder = make(ollama)
    await embedder.space()
    server.fail_with(Answer(400, {"error": "invalid options"}), times=None)
    before = len(server.posted())
    with pytest.raises(ConfigurationError, match="invalid options"):
        await embedder.embed_documents(["a", "b"])
    assert len(server.posted()) - before == 1


async def test_openai_sends_the_key_only_when_there_is_one_and_no_empty_fields(make, server):
    await make(openai, api_key="sk-mine").embed_queries(["x"])
    await make(openai).embed_queries(["x"])
    with_key, without = server.posted()[0], server.posted()[-1]
    assert (with_key.authorization, without.authorization) == ("Bearer sk-mine", None)
    assert set(without.body) == {"model", "input", "encoding_format"}
    assert without.body["encoding_format"] == "float"


async def test_items_out_of_order_are_sorted_by_their_index(make, server):
    texts = [f"text {number}" for number in range(9)]
    right = await make(openai).embed_documents(texts)
    server.shuffle = True
    assert np.array_equal(await make(openai).embed_documents(texts), right)


@pytest.mark.parametrize("indexes", [(0, 0, 1), (0, 1, 3), (1, 2, 3), (None, 1, 2)])
async def test_a_wrong_index_is_refused(make, server, indexes):
    embedder = make(openai)
    await embedder.space()
    row = hashed_words()(["x"])[0]
    server.fail_with(Answer(json={"data": [{"index": at, "embedding": row} for at in indexes]}), times=None)
    with pytest.raises(EmbedderContractError, match="numbered its vectors wrongly"):
        await embedder.embed_documents(["a", "b", "c"])


async def test_services_without_an_index_are_taken_in_order(make, server):
    embedder = make(openai)
    await embedder.space()
    rows = hashed_words()(["a", "b"])
    server.fail_with(Answer(json={"data": [{"embedding": row} for row in rows]}), times=None)
    found = await embedder.embed_documents(["a", "b"])
    assert np.argmax(found @ np.array(rows).T, axis=1).tolist() == [0, 1]


async def test_dimensions_are_sent_only_when_set_and_the_answer_is_checked(make, server):  # G8
    await make(openai, dimensions=32).space()
    assert server.posted()[0].body["dimensions"] == 32
    with pytest.raises(EmbedderContractError, match="32 numbers a vector, 64 were expected"):
        await make(openai, dimensions=64).space()


async def test_a_model_of_fixed_length_is_asked_again_without_dimensions(make, server):  # G8
    embedder = make(openai, dimensions=32)
    server.fail_with(played.NO_DIMENSIONS)
    assert (await embedder.space()).dimensions == 32
    await embedder.embed_documents(["x"])
    assert ["dimensions" in request.body for request in server.posted()] == [True, False, False]


async def test_a_request_too_large_for_the_service_is_split(make, server):  # G13
    embedder = make(openai)
    await embedder.space()
    server.fail_with(Answer(431))
    texts = [f"text {number}" for number in range(100)]
    assert (await embedder.embed_documents(texts)).shape == (100, 32)
    assert [len(request.body["input"]) for request in server.posted()[1:]] == [100, 50, 50]


async def test_a_request_stays_below_the_services_limit_of_tokens(make, server):
    await make(openai, batch_size=2048).embed_documents(["x" * 30_000] * 20)
    assert all(sum(map(len, request.body["input"])) <= 300_000 for request in server.posted())
    assert sum(len(request.body["input"]) for request in server.posted()[1:]) == 20


async def test_known_prefixes_are_used_with_openai_services_too(make, server):  # G29
    await make(openai, model="intfloat/multilingual-e5-small").embed_queries(["wo"])
    assert server.texts()[-1] == "query: wo"
