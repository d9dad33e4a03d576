"""Embeddings from Ollama's HTTP API (``POST /api/embed``)."""

from __future__ import annotations

import json
import math
import os
import urllib.error
import urllib.request
from array import array
from dataclasses import dataclass
from http.client import HTTPException
from typing import Any

PREFIXES = {
    "nomic-embed-text": ("search_document: ", "search_query: "),
    "embeddinggemma": ("title: none | text: ", "task: search result | query: "),
    "mxbai-embed-large": ("", "Represent this sentence for searching relevant passages: "),
}
"""What a model's card wants before a document and before a question; others want nothing (G29)."""

EVERYWHERE = frozenset({"", "0.0.0.0", "::", "[::]"})  # noqa: S104 - read, not bound
"""Addresses that a server listens on, and nobody can call."""

_CLIENT_ERROR = range(400, 500)
_NOT_FOUND = 404


class OllamaError(Exception):
    """The service did not give what was asked; the message says why, and the mend."""


class RefusedTextError(OllamaError):
    """The service refused these texts; smaller ones may be taken."""


@dataclass(frozen=True)
class Ollama:
    """One model of one service."""

    model: str
    port: int
    timeout_s: float = 60.0

    @property
    def url(self) -> str:
        """The service's address; ``OLLAMA_HOST``, which Ollama reads itself, overrides the port."""
        host = os.environ.get("OLLAMA_HOST", "").strip().rstrip("/")
        if not host:
            return f"http://127.0.0.1:{self.port}"
        if "://" in host:
            return host
        name, colon, port = host.rpartition(":")
        name, port = (name, port) if colon else (host, str(self.port))
        return f"http://{'127.0.0.1' if name in EVERYWHERE else name}:{port}"

    @property
    def prefixes(self) -> tuple[str, str]:
        """What stands before a document, and before a question."""
        return PREFIXES.get(self.model.rpartition("/")[2].partition(":")[0], ("", ""))

    def embed_documents(self, texts: list[str]) -> list[array[float]]:
        """Return a unit vector for each text, in their order.

        Raises:
            RefusedTextError: the service will not take these texts.
            OllamaError: it cannot be reached, has no such model, or answers nonsense.
        """
        return self._embed([self.prefixes[0] + text for text in texts])

    def embed_query(self, text: str) -> array[float]:
        """Return a question's unit vector.

        Raises:
            OllamaError: as for ``embed_documents``.
        """
        return self._embed([self.prefixes[1] + text])[0]

    def digest(self) -> str:
        """Return which build of the model is pulled; empty when the service does not list it.

        Raises:
            OllamaError: it cannot be reached.
        """
        listed = self._ask("/api/tags", None).get("models") or []
        names = {self.model, f"{self.model}:latest"}
        return next((str(each.get("digest", "")) for each in listed if each.get("name") in names), "")

    def _embed(self, texts: list[str]) -> list[array[float]]:
        answer = self._ask("/api/embed", {"model": self.model, "input": texts, "truncate": True})
        rows = answer.get("embeddings")
        if not isinstance(rows, list) or len(rows) != len(texts):
            msg = f"Ollama at {self.url} sent no vector for each text: is it version 0.3 or newer?"
            raise OllamaError(msg)
        vectors = [_unit(row) for row in rows]
        if any(vector is None or len(vector) != len(rows[0]) for vector in vectors):
            msg = f"Model {self.model!r} sent vectors that are empty, not finite, or of different lengths."
            raise OllamaError(msg)
        return [vector for vector in vectors if vector is not None]

    def _ask(self, path: str, body: dict[str, object] | None) -> dict[str, Any]:
        data = None if body is None else json.dumps(body).encode()
        url = self.url + path
        request = urllib.request.Request(url, data, {"Content-Type": "application/json"})  # noqa: S310 - the user's own
        # A proxy of the environment has no business between two programs of one machine.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=self.timeout_s) as response:
                answer = json.load(response)
        except urllib.error.HTTPError as error:
            raise self._refusal(error) from error
        except (OSError, HTTPException, ValueError) as error:
            reason = getattr(error, "reason", error)
            msg = f"Ollama at {self.url} does not answer ({reason}): start it with 'ollama serve'."
            raise OllamaError(msg) from error
        if not isinstance(answer, dict):
            msg = f"Ollama at {self.url} sent something that is no JSON object."
            raise OllamaError(msg)
        return answer

    def _refusal(self, error: urllib.error.HTTPError) -> OllamaError:
        said = error.read(500).decode("utf-8", "replace").strip()
        if error.code == _NOT_FOUND and "model" in said:
            return OllamaError(f"Ollama has no model {self.model!r}: run 'ollama pull {self.model}'.")
        kind = RefusedTextError if error.code in _CLIENT_ERROR else OllamaError
        return kind(f"Ollama at {self.url} answered {error.code}: {said[:200]}")


def _unit(row: Any) -> array[float] | None:
    """Return a row of numbers as float32 of length 1; None when it is none or cannot be scaled."""
    try:
        numbers = [float(number) for number in row]
    except (TypeError, ValueError):
        return None
    length = math.sqrt(math.fsum(number * number for number in numbers))
    if not numbers or not math.isfinite(length) or length == 0.0:
        return None
    return array("f", (number / length for number in numbers))
