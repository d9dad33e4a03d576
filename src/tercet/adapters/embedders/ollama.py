"""Models served by Ollama (``POST /api/embed``)."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from tercet.adapters.embedders.answers import fields, items
from tercet.adapters.embedders.http import JsonService, RefusedRequestError
from tercet.adapters.embedders.prefixes import chosen_prefixes
from tercet.adapters.embedders.remote import RemoteEmbedder, RemoteModel
from tercet.adapters.embedders.settings import ModelSettings
from tercet.errors import EmbedderContractError, EmbedderUnavailableError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

DEFAULT_MODEL = "nomic-embed-text"
DEFAULT_URL = "http://localhost:11434"
_NOT_FOUND, _BAD_REQUEST = 404, 400
_CONTEXT_TOKENS = 1500
"""Nomic's effective context is 2048 (ollama#7741); since 0.13.5 ``truncate`` may fail (ollama#14186)."""


class OllamaApi:
    """Ollama's own protocol; its vectors come normalised, unlike those of the older ``/api/embeddings``."""

    def __init__(self, service: JsonService, model: str, dimensions: int | None = None) -> None:
        self._service = service
        self._model = model
        self._dimensions = dimensions

    async def embed(self, texts: list[str], deadline: float | None) -> object:
        """Return the rows for these texts."""
        body: dict[str, object] = {"model": self._model, "input": texts, "truncate": True}
        if self._dimensions is not None:
            body["dimensions"] = self._dimensions
        try:
            answer = await self._service.post("/api/embed", body, deadline=deadline)
        except RefusedRequestError as refusal:
            if refusal.status == _NOT_FOUND and refusal.complains_of("model"):
                msg = (
                    f"Ollama at {self._service.shown_url} has no model {self._model!r}: "
                    f"run 'ollama pull {self._model}'."
                )
                raise EmbedderUnavailableError(msg) from refusal
            raise
        rows = items(fields(answer).get("embeddings"))
        if rows is None:
            msg = (
                f"{self._service.identity} at {self._service.shown_url} sent no embeddings: is it Ollama 0.3 or newer?"
            )
            raise EmbedderContractError(msg)
        return rows

    async def revision(self, deadline: float | None) -> str:
        """Return the digest of the pulled model; empty when the service lists none."""
        try:
            answer = await self._service.get("/api/tags", deadline=deadline)
        except RefusedRequestError:
            return ""
        wanted = (self._model, f"{self._model}:latest")
        for entry in map(fields, items(fields(answer).get("models")) or []):
            if entry.get("name") in wanted or entry.get("model") in wanted:
                return str(entry.get("digest") or "")
        return ""

    def is_too_long(self, refusal: RefusedRequestError) -> bool:
        """Say whether Ollama found the input longer than the model's context."""
        return refusal.status == _BAD_REQUEST and refusal.complains_of("context length", "input length", "too long")

    async def close(self) -> None:
        """Close the connections."""
        await self._service.close()


def create(
    settings: Mapping[str, object],
    *,
    wait: Callable[[float], Awaitable[None]] = asyncio.sleep,
    monotonic: Callable[[], float] | None = None,
) -> RemoteEmbedder:
    """Build an embedder for one model of an Ollama service; nothing is asked before its first use.

    Args:
        settings: model, url, dimensions, document_prefix, query_prefix, batch_size, timeout_s,
            query_timeout_s.
        wait: Waits between tries.
        monotonic: Seconds, for the age of a probe.

    Raises:
        ConfigurationError: a setting is wrong or not used here (permanent).
    """
    reader = ModelSettings("ollama", settings)
    reader.allow("model", "url", "dimensions", "document_prefix", "query_prefix", "batch_size")
    model = reader.text("model") or DEFAULT_MODEL
    document_prefix, query_prefix = chosen_prefixes(reader, model)
    dimensions = reader.whole("dimensions", None, most=16384)
    service = JsonService(
        f"ollama {model}",
        reader.url("url", host_url(os.environ.get("OLLAMA_HOST", ""))),
        timeout_s=reader.seconds("timeout_s", 60.0),
        wait=wait,
    )
    known = RemoteModel(
        provider="ollama",
        model=model,
        document_prefix=document_prefix,
        query_prefix=query_prefix,
        dimensions=dimensions,
        max_tokens=_CONTEXT_TOKENS,
        max_weight=_CONTEXT_TOKENS * 4,
        batch_texts=reader.whole("batch_size", 20, most=4096) or 20,
        batch_weight=_CONTEXT_TOKENS * 4 * 20,
        query_timeout_s=reader.seconds("query_timeout_s", 8.0),
    )
    return RemoteEmbedder(known, OllamaApi(service, model, dimensions), monotonic=monotonic)


def host_url(host: str) -> str:
    """Return the address that a value of ``OLLAMA_HOST`` means.

    As Ollama reads it: ``host``, ``host:port``, ``:port`` or a URL; port 11434 unless a scheme is
    given. The "any address" that a server binds is reached through loopback.
    """
    host = host.strip().rstrip("/")
    if not host:
        return DEFAULT_URL
    has_scheme = "://" in host
    parts = urlsplit(host if has_scheme else f"http://{host}")
    name = parts.hostname or "localhost"
    if name in {"0.0.0.0", "::"}:  # noqa: S104 - read, not bound
        name = "localhost"
    if ":" in name:
        name = f"[{name}]"
    try:
        port = parts.port
    except ValueError:
        # Left as it is: the settings' own check names the value in its message.
        return host
    if port is None and not has_scheme:
        port = 11434
    return f"{parts.scheme}://{name}{'' if port is None else f':{port}'}{parts.path}"
