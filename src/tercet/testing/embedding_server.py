"""A stand-in for Ollama and for OpenAI-compatible embedding services, on loopback."""

from __future__ import annotations

import hashlib
import math
from typing import TYPE_CHECKING

from tercet.testing.model_server import Answer, ModelServer, RecordedRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Embed = Callable[[Sequence[str]], Sequence[Sequence[float]]]

RATE_LIMITED = Answer(429, {"error": {"message": "Rate limit reached"}}, {"Retry-After": "3"})
RATE_LIMITED_FOR_LONG = Answer(429, {"error": {"message": "Rate limit reached"}}, {"Retry-After": "3600"})
QUOTA_EXHAUSTED = Answer(429, {"error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}})
SERVER_ERROR = Answer(500, {"error": "model runner has unexpectedly stopped"})
MODEL_MISSING = Answer(404, {"error": 'model "nomic-embed-text" not found, try pulling it first'})
UNKNOWN_MODEL = Answer(404, {"error": {"message": "The model 'x' does not exist", "code": "model_not_found"}})
UNAUTHORISED = Answer(401, {"error": {"message": "Incorrect API key provided: sk-secret***cret."}})
FORBIDDEN = Answer(403, {"error": {"message": "Country not supported"}})
TOO_LONG = Answer(400, {"error": "the input length exceeds the context length"})
NO_DIMENSIONS = Answer(400, {"error": {"message": "This model does not support specifying dimensions."}})
MOVED = Answer(308, headers={"Location": "https://elsewhere.example/"})
INVALID_JSON = Answer(raw=b'{"data": [')
HTML = Answer(raw=b"<html>Sign in to the network</html>")


def hashed_words(dimensions: int = 32) -> Embed:
    """Return a deterministic stand-in for a model: a hashed bag of words, never all zero."""

    def embed(texts: Sequence[str]) -> list[list[float]]:
        return [_bag(text, dimensions) for text in texts]

    return embed


def builtin_model() -> Embed:
    """Return the real builtin model, loaded at its first use."""
    loaded: list[Callable[[list[str]], Sequence[Sequence[float]]]] = []

    def embed(texts: Sequence[str]) -> Sequence[Sequence[float]]:
        if not loaded:
            import numpy as np  # noqa: PLC0415 - only here

            from tercet.adapters.embedders import builtin  # noqa: PLC0415 - only here

            encode = builtin.load(1).encode
            loaded.append(lambda some: np.asarray(encode(some, False)).tolist())  # noqa: FBT003 - LoadedModel's shape
        return loaded[0](list(texts))

    return embed


class EmbeddingServer(ModelServer):
    """Speaks ``/api/embed``, ``/api/tags`` and ``/v1/embeddings``.

    ``distort`` changes the rows before they are sent (drop one, add one, NaN, another length);
    ``shuffle`` sends OpenAI's items in reverse with their right index; ``context_chars`` refuses
    longer texts as Ollama does.
    """

    def __init__(self, embed: Embed | None = None, *, model: str = "nomic-embed-text", digest: str = "0a109f") -> None:
        self.embed = builtin_model() if embed is None else embed
        self.model = model
        self.digest = digest
        self.distort: Callable[[list[list[float]]], list[list[float]]] | None = None
        self.shuffle = False
        self.context_chars: int | None = None
        super().__init__()

    def texts(self) -> list[str]:
        """Return every text that was sent, in order."""
        return [text for request in self.posted() for text in request.body["input"]]

    def answer(self, request: RecordedRequest) -> Answer:
        """Answer as the service whose path was asked."""
        if request.path == "/api/tags":
            return Answer(json={"models": [{"name": f"{self.model}:latest", "digest": self.digest}]})
        if request.path not in {"/api/embed", "/v1/embeddings"}:
            return Answer(404, raw=b"404 page not found")
        texts: list[str] = request.body["input"]
        if not texts or not all(text.strip() for text in texts):
            return Answer(400, {"error": "input must not be empty"})
        if self.context_chars is not None and any(len(text) > self.context_chars for text in texts):
            return TOO_LONG
        rows = [list(row) for row in self.embed(texts)]
        if self.distort is not None:
            rows = self.distort(rows)
        if request.path == "/api/embed":
            return Answer(json={"model": self.model, "embeddings": rows})
        items = [{"object": "embedding", "index": at, "embedding": row} for at, row in enumerate(rows)]
        if self.shuffle:
            items.reverse()
        return Answer(json={"object": "list", "model": self.model, "data": items})


def half_of(answer: Answer) -> Answer:
    """Return the same answer broken off in the middle of its body."""
    return Answer(answer.status, answer.json, answer.headers, answer.raw, sent_share=0.5)


def _bag(text: str, dimensions: int) -> list[float]:
    row = [1e-3] * dimensions
    for word in text.lower().split():
        digest = hashlib.sha256(word.encode("utf-8", "replace")).digest()
        row[digest[0] % dimensions] += 1.0 if digest[1] % 2 else -1.0
    return row if math.fsum(abs(each) for each in row) else [1.0] * dimensions
