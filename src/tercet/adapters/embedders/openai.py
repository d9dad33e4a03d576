"""Any OpenAI-compatible service (``POST {base}/embeddings``)."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from tercet.adapters.embedders.answers import fields, items, places
from tercet.adapters.embedders.http import JsonService, RefusedRequestError
from tercet.adapters.embedders.prefixes import chosen_prefixes
from tercet.adapters.embedders.remote import RemoteEmbedder, RemoteModel
from tercet.adapters.embedders.settings import ModelSettings
from tercet.errors import ConfigurationError, EmbedderContractError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

DEFAULT_MODEL = "text-embedding-3-small"
DEFAULT_URL = "https://api.openai.com/v1"
_MOST_TEXTS = 2048
_MAX_TOKENS = 8192
_REQUEST_WEIGHT = 250_000
"""Characters of one request: below 300,000 tokens even where every character is a token."""
_UNPROCESSABLE = frozenset({400, 422})
_TOO_LARGE = frozenset({413, 431})


class OpenAiApi:
    """The ``/embeddings`` request as OpenAI, vLLM, LM Studio, llama.cpp and others take it."""

    def __init__(self, service: JsonService, model: str, dimensions: int | None = None) -> None:
        self._service = service
        self._model = model
        self._dimensions = dimensions
        self._sends_dimensions = dimensions is not None

    async def embed(self, texts: list[str], deadline: float | None) -> object:
        """Return the rows for these texts, sorted by the service's ``index``."""
        body: dict[str, object] = {"model": self._model, "input": texts, "encoding_format": "float"}
        if self._sends_dimensions:
            try:
                answer = await self._service.post(
                    "/embeddings", body | {"dimensions": self._dimensions}, deadline=deadline
                )
            except RefusedRequestError as refusal:
                if refusal.status not in _UNPROCESSABLE or not refusal.complains_of("dimension", "matryoshka"):
                    raise
                # The model has one fixed length: ask without; the length that comes back is checked.
                answer = await self._service.post("/embeddings", body, deadline=deadline)
                self._sends_dimensions = False
        else:
            answer = await self._service.post("/embeddings", body, deadline=deadline)
        return self._sorted(answer, len(texts))

    async def revision(self, deadline: float | None) -> str:  # noqa: ARG002 - the protocol tells none
        """Return nothing: these services do not tell their model's version."""
        return ""

    def is_too_long(self, refusal: RefusedRequestError) -> bool:
        """Say whether the service found a text, the batch or the request too long."""
        return refusal.status in _TOO_LARGE or (
            refusal.status in _UNPROCESSABLE
            and refusal.complains_of(
                "context length", "too long", "too large", "too many", "max", "tokens", "batch size"
            )
            and not refusal.complains_of("dimension")
        )

    async def close(self) -> None:
        """Close the connections."""
        await self._service.close()

    def _sorted(self, answer: object, count: int) -> list[object]:
        who = f"{self._service.identity} at {self._service.shown_url}"
        data = items(fields(answer).get("data"))
        if data is None:
            msg = f"{who} sent no list of embeddings: is embedding.url the address that ends in /v1?"
            raise EmbedderContractError(msg)
        if len(data) != count:
            msg = f"{who} returned {len(data)} vectors for {count} texts: check the service and its version."
            raise EmbedderContractError(msg)
        found = [fields(item) for item in data]
        order = places(found, "index", count)
        if order is None:
            msg = f"{who} numbered its vectors wrongly: check the service and its version."
            raise EmbedderContractError(msg)
        rows: list[object] = [None] * count
        for at, item in zip(order, found, strict=True):
            rows[at] = item.get("embedding")
        return rows


def create(
    settings: Mapping[str, object],
    *,
    wait: Callable[[float], Awaitable[None]] = asyncio.sleep,
    monotonic: Callable[[], float] | None = None,
) -> RemoteEmbedder:
    """Build an embedder for one model of an OpenAI-compatible service; nothing is asked before its first use.

    Args:
        settings: model, url, api_key, dimensions, document_prefix, query_prefix, batch_size,
            timeout_s, query_timeout_s.
        wait: Waits between tries.
        monotonic: Seconds, for the age of a probe.

    Raises:
        ConfigurationError: a setting is wrong or not used here, or OpenAI's own service without a
            key (permanent).
    """
    reader = ModelSettings("openai", settings)
    reader.allow("model", "url", "api_key", "dimensions", "document_prefix", "query_prefix", "batch_size")
    model = reader.text("model") or DEFAULT_MODEL
    url = reader.url("url", DEFAULT_URL)
    key = reader.secret("api_key")
    if key is None and url == DEFAULT_URL:
        msg = "OpenAI needs a key: set embedding.api_key, or embedding.url to a service of your own."
        raise ConfigurationError(msg)
    document_prefix, query_prefix = chosen_prefixes(reader, model)
    dimensions = reader.whole("dimensions", None, most=16384)
    service = JsonService(
        f"openai {model}",
        url,
        api_key=key,
        timeout_s=reader.seconds("timeout_s", 60.0),
        wait=wait,
    )
    known = RemoteModel(
        provider="openai",
        model=model,
        document_prefix=document_prefix,
        query_prefix=query_prefix,
        dimensions=dimensions,
        max_tokens=_MAX_TOKENS,
        max_weight=_MAX_TOKENS * 4,
        batch_texts=reader.whole("batch_size", 128, most=_MOST_TEXTS) or 128,
        batch_weight=_REQUEST_WEIGHT,
        query_timeout_s=reader.seconds("query_timeout_s", 8.0),
    )
    return RemoteEmbedder(known, OpenAiApi(service, model, dimensions), monotonic=monotonic)
