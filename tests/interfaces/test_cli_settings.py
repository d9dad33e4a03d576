"""R4: each setting changes something a user can see, through the command line."""

from __future__ import annotations

import pytest

from tercet.config import leaves
from tercet.settings import Settings
from tercet.testing.embedding_server import EmbeddingServer, hashed_words

SECRET = "sk-very-secret-123"  # noqa: S105 - no secret of anybody
HERE = {
    "home",
    "agent",
    "store.url",
    "index.max_file_bytes",
    "index.refresh_files",
    "index.batch_chunks",
    "retrieval.preset",
    "retrieval.mode",
    "retrieval.limit",
    "retrieval.min_score",
    "retrieval.vector_weight",
    "retrieval.keyword_weight",
    "retrieval.constants",
    "embedding.provider",
    "embedding.model",
    "embedding.url",
    "embedding.api_key",
    "embedding.dimensions",
    "embedding.document_prefix",
    "embedding.query_prefix",
    "embedding.batch_size",
    "embedding.query_timeout_s",
    "embedding.timeout_s",
}
LOOP_SETTINGS = "tests/integration/test_loop_settings.py"
LAYER_SETTINGS = "tests/integration/test_layer_settings.py"
BUCKET_SETTINGS = "tests/unit/test_store_settings.py"
POSTGRES_SETTINGS = "tests/integration/test_postgres_settings.py"
ELSEWHERE = {
    "store.ledger_url": POSTGRES_SETTINGS,
    "store.tenant": POSTGRES_SETTINGS,
    "store.pool_size": POSTGRES_SETTINGS,
    "store.endpoint": BUCKET_SETTINGS,
    "store.region": BUCKET_SETTINGS,
    "store.access_key": BUCKET_SETTINGS,
    "store.secret_key": BUCKET_SETTINGS,
    "store.options": BUCKET_SETTINGS,
    "store.consistency_s": BUCKET_SETTINGS,
    "embedding.threads": "tests/unit/adapters/test_embedder_settings.py",
    "embedding.path": "tests/integration/test_embedding_onnx_folder.py",
    "capture.enabled": LOOP_SETTINGS,
    "capture.select": LOOP_SETTINGS,
    "capture.max_per_turn": LOOP_SETTINGS,
    "recall.budget_tokens": LOOP_SETTINGS,
    "recall.placement": LOOP_SETTINGS,
    "recall.deadline_s": LOOP_SETTINGS,
    "recall.min_score": LOOP_SETTINGS,
    "recall.shared_in_groups": "tests/integration/test_memory_loop.py",
    "identity.links": LOOP_SETTINGS,
    "capture.extractor": LAYER_SETTINGS,
    "extraction.provider": LAYER_SETTINGS,
    "extraction.url": LAYER_SETTINGS,
    "extraction.model": LAYER_SETTINGS,
    "extraction.api_key": LAYER_SETTINGS,
    "extraction.timeout_s": LAYER_SETTINGS,
    "extraction.max_input_tokens": LAYER_SETTINGS,
    "extraction.max_output_tokens": LAYER_SETTINGS,
    "extraction.max_requests": LAYER_SETTINGS,
    "wiki.vault": LAYER_SETTINGS,
    "active.window_tokens": LAYER_SETTINGS,
    "active.min_tokens": LAYER_SETTINGS,
    "active.min_tool_calls": LAYER_SETTINGS,
    "active.min_turns": LAYER_SETTINGS,
    "recall.window": LAYER_SETTINGS,
    "crossref.threshold": "tests/integration/test_crossref_scopes.py",
    "plugins": "tests/integration/test_plugin_layer.py",
}
RERANKING = "rerank."
"""Tested with the rerankers."""


@pytest.fixture
def server():
    with EmbeddingServer(hashed_words()) as server:
        yield server


@pytest.fixture
def remote(tercet, server):
    tercet.environment = {
        "TERCET_EMBEDDING__PROVIDER": "openai",
        "TERCET_EMBEDDING__URL": f"{server.url}/v1",
        "TERCET_EMBEDDING__MODEL": "m",
    }
    return tercet


@pytest.fixture
def indexed(remote, notes):
    assert remote("index", str(notes)).code == 0
    return remote


QUERY = "boat berth kompas roofer oolong"


def scores(ran):
    assert ran.code == 0, ran.err
    return [(hit["path"], hit["score"]) for hit in ran.json["results"]]


def test_every_setting_has_its_test():
    names = {name for name, _ in leaves(Settings()) if not name.startswith(RERANKING)}
    assert names == HERE | set(ELSEWHERE)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("RETRIEVAL__PRESET", "classic"),
        ("RETRIEVAL__MODE", "keyword"),
        ("RETRIEVAL__MODE", "vector"),
        ("RETRIEVAL__LIMIT", "1"),
        ("RETRIEVAL__MIN_SCORE", "0.99"),
        ("RETRIEVAL__VECTOR_WEIGHT", "0.05"),
        ("RETRIEVAL__KEYWORD_WEIGHT", "0.9"),
        ("RETRIEVAL__CONSTANTS", '{"vector": 0.1}'),
    ],
)
def test_retrieval_settings_change_the_answer(indexed, name, value):
    indexed.environment["TERCET_RETRIEVAL__PRESET"] = (
        "hybrid"  # its score is its sum; that of tuned is calibrated apart
    )
    before = scores(indexed("search", QUERY, "--json"))
    after = scores(indexed("search", QUERY, "--json", **{f"TERCET_{name}": value}))
    assert before != after
    if name == "RETRIEVAL__LIMIT":
        assert len(after) == 1
    if name == "RETRIEVAL__MIN_SCORE":
        assert after == []


@pytest.mark.parametrize(
    ("name", "value", "signal", "weight"),
    [
        ("RETRIEVAL__VECTOR_WEIGHT", "0.05", "vector", 0.05),
        ("RETRIEVAL__KEYWORD_WEIGHT", "0.9", "keyword", 0.9),
        ("RETRIEVAL__CONSTANTS", '{"chunk.coverage": 0.3}', "coverage", 0.3),
    ],
)
def test_weights_act_in_the_default_preset_too(indexed, name, value, signal, weight):
    hit = indexed("search", QUERY, "--json", "--explain", **{f"TERCET_{name}": value}).json["results"][0]
    assert hit["signals"][signal]["weight"] == pytest.approx(weight)


def test_an_option_beats_the_setting(indexed):
    assert len(scores(indexed("search", QUERY, "-n", "2", "--json", TERCET_RETRIEVAL__LIMIT="1"))) == 2
    by_option = scores(indexed("search", QUERY, "--mode", "keyword", "--json", TERCET_RETRIEVAL__MODE="vector"))
    assert by_option == scores(indexed("search", QUERY, "--mode", "keyword", "--json"))


def test_home_and_agent_choose_whose_memory_is_asked(indexed, tmp_path):
    assert scores(indexed("search", QUERY, "--json", TERCET_AGENT="other")) == []
    assert indexed("status", "--json", TERCET_AGENT="other").json["agent"] == "other"
    indexed.home = tmp_path / "another"
    assert scores(indexed("search", QUERY, "--json")) == []


def test_store_url_moves_the_index(remote, notes, tmp_path):
    assert remote("index", str(notes), TERCET_STORE__URL=str(tmp_path / "elsewhere")).code == 0
    assert (tmp_path / "elsewhere").is_dir()
    assert not (remote.home / "lancedb").exists()
    assert scores(remote("search", QUERY, "--json", TERCET_STORE__URL=str(tmp_path / "elsewhere")))


def test_max_file_bytes_skips_larger_files(remote, notes):
    report = remote("index", str(notes), "--json", TERCET_INDEX__MAX_FILE_BYTES="70").json
    assert report["files"] < 4
    assert "larger than the limit" in report["skipped"][0]["reason"]


def test_refresh_files_bounds_what_a_search_takes_in(indexed, notes, write_notes):
    write_notes(notes, {"a.md": "aardvark\n", "b.md": "buffalo\n"})
    stale = scores(indexed("search", "aardvark", "--json", TERCET_INDEX__REFRESH_FILES="0"))
    assert "a.md" not in [path for path, _ in stale]
    one = indexed("search", "aardvark", "--json", TERCET_INDEX__REFRESH_FILES="1").json
    assert one["results"][0]["path"] == "a.md"
    assert "1 changed file is not indexed yet" in one["degraded"]
    assert indexed("search", "buffalo", "--json").json["results"][0]["path"] == "b.md"


def test_batches_follow_their_settings(remote, notes, server):
    remote("index", str(notes))
    together = len(server.posted())
    for name in ("TERCET_INDEX__BATCH_CHUNKS", "TERCET_EMBEDDING__BATCH_SIZE"):
        server.requests.clear()
        remote.home = remote.home.with_name(name.lower())
        assert remote("index", str(notes), **{name: "1"}).code == 0
        assert len(server.posted()) == together + 3


def test_what_the_service_is_sent_follows_the_settings(remote, notes, server):
    changed = {
        "TERCET_EMBEDDING__MODEL": "other-model",
        "TERCET_EMBEDDING__API_KEY": SECRET,
        "TERCET_EMBEDDING__DIMENSIONS": "32",
        "TERCET_EMBEDDING__DOCUMENT_PREFIX": "passage: ",
        "TERCET_EMBEDDING__QUERY_PREFIX": "query: ",
    }
    assert remote("index", str(notes), **changed).code == 0
    assert remote("search", "roofer", **changed).code == 0
    last = server.posted()[-1]
    assert last.body["model"] == "other-model"
    assert last.body["dimensions"] == 32
    assert last.body["input"][0] == "query: roofer"
    assert last.authorization == f"Bearer {SECRET}"
    assert any(text.startswith("passage: ") and "# Friday" in text for text in server.texts())


def test_the_provider_and_its_address_choose_the_service(indexed, server):
    assert indexed("status", "--json").json["embedder"]["identity"] == "openai m"
    status = indexed("status", "--json", TERCET_EMBEDDING__PROVIDER="ollama", TERCET_EMBEDDING__URL=server.url).json
    assert status["embedder"]["identity"] == "ollama m"
    assert any(request.path == "/api/embed" for request in server.posted())
    ran = indexed("search", "x", TERCET_EMBEDDING__PROVIDER="nobody")
    assert ran.code == 0, "words need no embedder"
    assert "nobody" in ran.err
    assert "builtin" in ran.err


def test_time_limits_end_the_waiting(indexed, server, notes, write_notes):
    server.hold()
    answer = indexed("search", QUERY, "--json", TERCET_EMBEDDING__QUERY_TIMEOUT_S="0.2").json
    assert "time allowed" in answer["degraded"], "a held service is only ever left by the limit"
    server.release()
    write_notes(notes, {"new.md": "a new animal: okapi\n"})
    real = server.embed

    def stuck(texts):
        if any("okapi" in text for text in texts):
            server.hold()
            server._open.wait()
        return real(texts)

    server.embed = stuck
    report = indexed("index", "--json", TERCET_EMBEDDING__TIMEOUT_S="0.3").json
    assert report["waiting"] == 1
    server.release()


def test_a_setting_of_another_provider_is_named(tercet, notes):
    ran = tercet("index", str(notes), TERCET_EMBEDDING__PROVIDER="builtin", TERCET_EMBEDDING__MODEL="m")
    assert "embedding.model" in ran.err


def test_status_shows_where_values_come_from_and_masks_secrets(indexed):
    indexed.home.joinpath("tercet.toml").write_text(f"[embedding]\napi_key = '{SECRET}'\n[retrieval]\nlimit = 7\n")
    for arguments in (("status",), ("status", "--json"), ("doctor",), ("search", "x", "--preset", "no")):
        ran = indexed(*arguments)
        assert SECRET not in ran.out + ran.err
    shown = {each["name"]: each for each in indexed("status", "--json").json["settings"]}
    assert shown["retrieval.limit"] == {"name": "retrieval.limit", "value": "7", "origin": "tercet.toml"}
    assert shown["embedding.api_key"]["value"] == "********"
    assert shown["embedding.model"]["origin"] == "environment"
    assert shown["home"]["origin"] == "option"
    assert shown["index.batch_chunks"]["origin"] == "default"
    assert "retrieval.limit" in indexed("status").out
