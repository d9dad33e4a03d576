"""Any service with ``POST {url}/rerank``, in the two shapes there are."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Literal

from tercet.adapters.embedders.answers import fields, items, places
from tercet.adapters.embedders.http import JsonService, RefusedRequestError, RetryPolicy
from tercet.adapters.embedders.settings import ModelSettings
from tercet.adapters.embedders.vectors import filled
from tercet.adapters.rerankers.scores import Scale, unit_scores
from tercet.adapters.rerankers.settings import chosen_scale
from tercet.errors import ConfigurationError, EmbedderContractError, RerankerUnavailableError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

Shape = Literal["documents", "texts"]
"""``documents``: Jina, Cohere, Voyage, vLLM, llama.cpp and most others; ``texts``: Text Embeddings Inference."""

_SHAPE_BY_NAME: Mapping[str, Shape] = {
    "documents": "documents",
    "jina": "documents",
    "cohere": "documents",
    "vllm": "documents",
    "texts": "texts",
    "tei": "texts",
}


class HttpReranker:
    """Asks a service once per query; a search does not wait for many tries."""

    def __init__(
        self, service: JsonService, model: str | None, shape: Shape, *, scale: Scale = "auto", timeout_s: float = 8.0
    ) -> None:
        self._service = service
        self._model = model
        self._shape: Shape = shape
        self._scale: Scale = scale
        self._timeout_s = timeout_s

    @property
    def identity(self) -> str:
        """Provider and model in words."""
        return self._service.identity

    async def rerank(self, query: str, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return float32 (n,) in [0, 1]; a blank text scores 0 and is not sent.

        Raises:
            RerankerUnavailableError: transient.
            ConfigurationError, EmbedderContractError: permanent.
        """
        import numpy as np

        scores = np.zeros(len(texts), dtype=np.float32)
        positions, kept = filled(texts)
        _, asked = filled([query])
        if not kept or not asked:
            return scores
        deadline = asyncio.get_running_loop().time() + self._timeout_s
        answer = await self._ask(asked[0], kept, deadline)
        scores[positions] = unit_scores(
            self._in_order(answer, len(kept)), count=len(kept), scale=self._scale, identity=self.identity
        )
        return scores

    async def close(self) -> None:
        """Close the connections."""
        await self._service.close()

    async def _ask(self, query: str, texts: list[str], deadline: float) -> object:
        # raw_scores stays away: TEI then gives probabilities, which need no guess.
        body: dict[str, object] = {"query": query, self._shape: texts}
        if self._model is not None and self._shape == "documents":
            body["model"] = self._model
        try:
            return await self._service.post("/rerank", body, deadline=deadline)
        except RefusedRequestError as refusal:
            other: Shape = "documents" if self._shape == "texts" else "texts"
            if refusal.complains_of(f"`{other}`", f"'{other}'", f'"{other}"', f"missing field {other}"):
                msg = f"{self.identity} at {self._service.shown_url} wants {other!r}: set rerank.shape to {other!r}."
                raise ConfigurationError(msg) from refusal
            raise

    def _in_order(self, answer: object, count: int) -> list[object]:
        who = f"{self.identity} at {self._service.shown_url}"
        found = items(answer)
        if found is None:
            # Voyage says data where the others say results.
            found = items(fields(answer).get("results")) or items(fields(answer).get("data"))
        if found is None:
            msg = f"{who} sent no list of results: check rerank.url and rerank.shape."
            raise EmbedderContractError(msg)
        results = [fields(each) for each in found]
        if len(results) != count:
            msg = f"{who} returned {len(results)} scores for {count} texts: check the service and its version."
            raise EmbedderContractError(msg)
        order = places(results, "index", count)
        if order is None or not all("index" in each for each in results):
            msg = f"{who} left out or repeated an index: check the service and its version."
            raise EmbedderContractError(msg)
        scores: list[object] = [None] * count
        for at, each in zip(order, results, strict=True):
            scores[at] = each.get("relevance_score", each.get("score"))
        return scores


def create(settings: Mapping[str, object], *, wait: Callable[[float], Awaitable[None]] = asyncio.sleep) -> HttpReranker:
    """Build a reranker over a service; nothing is asked before its first use.

    Args:
        settings: url (the address before ``/rerank``), model, api_key, shape (``documents``, or
            ``texts`` for Text Embeddings Inference), scale, query_timeout_s.
        wait: Waits between tries.

    Raises:
        ConfigurationError: no url, or a setting is wrong or not used here (permanent).
    """
    reader = ModelSettings("http", settings, section="rerank")
    reader.allow("url", "model", "api_key", "shape", "scale")
    model = reader.text("model")
    named = (reader.text("shape") or "documents").lower()
    shape = _SHAPE_BY_NAME.get(named)
    if shape is None:
        msg = f"rerank.shape is {named!r}: set documents (Jina, Cohere, vLLM) or texts (Text Embeddings Inference)."
        raise ConfigurationError(msg)
    timeout_s = reader.seconds("query_timeout_s", 8.0)
    service = JsonService(
        f"http reranker {model}" if model else "http reranker",
        reader.url("url").removesuffix("/rerank"),
        api_key=reader.secret("api_key"),
        section="rerank",
        timeout_s=timeout_s,
        unavailable=RerankerUnavailableError,
        retry=RetryPolicy(first_wait_s=0.2),
        wait=wait,
    )
    return HttpReranker(service, model, shape, scale=chosen_scale(reader, "auto"), timeout_s=timeout_s)
