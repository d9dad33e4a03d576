"""An embedder behind HTTP: batches, time limits, the space learned from the first answer."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from tercet.adapters.embedders.http import RefusedRequestError
from tercet.adapters.embedders.lengths import cut, weight
from tercet.adapters.embedders.probing import PROBE_TEXT, CachedProbe
from tercet.adapters.embedders.vectors import filled, place, unit_rows
from tercet.errors import EmbedderContractError
from tercet.model import Space

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from tercet.model import Probe

logger = logging.getLogger(__name__)

_HALVINGS = 7
"""Of one text; 6000 characters come down to 47, and a service that refuses those refuses everything."""


class EmbeddingApi(Protocol):
    """What differs between services."""

    async def embed(self, texts: list[str], deadline: float | None) -> object:
        """Return the service's rows of numbers in the order of the texts, as they came."""
        ...

    async def revision(self, deadline: float | None) -> str:
        """Return what the service says of its model's version; empty when it tells none."""
        ...

    def is_too_long(self, refusal: RefusedRequestError) -> bool:
        """Say whether a smaller request may be taken."""
        ...

    async def close(self) -> None:
        """Close the connections."""
        ...


@dataclass(frozen=True, slots=True)
class RemoteModel:
    """What is known of a service's model before it is asked."""

    provider: str
    model: str
    document_prefix: str
    query_prefix: str
    dimensions: int | None
    """Asked for in the settings; None takes what the model gives."""
    max_tokens: int
    max_weight: int
    """Weighted characters of one text; the rest is not sent."""
    batch_texts: int
    batch_weight: int
    """Weighted characters of one request, about."""
    query_timeout_s: float


class RemoteEmbedder:
    """Asks a service in batches, one request after another."""

    def __init__(self, model: RemoteModel, api: EmbeddingApi, *, monotonic: Callable[[], float] | None = None) -> None:
        self._model = model
        self._api = api
        self._space: Space | None = None
        self._asking = asyncio.Lock()
        self._probe = CachedProbe(self.embed_queries, monotonic)

    @property
    def identity(self) -> str:
        """Provider and model in words."""
        return f"{self._model.provider} {self._model.model}"

    async def space(self) -> Space:
        """Return the space; the first call embeds one word to learn its dimensions.

        Raises:
            EmbedderUnavailableError: transient.
            ConfigurationError, EmbedderContractError: permanent.
        """
        return await self._known_space(self._question_deadline())

    async def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return float32 (n, dimensions) of L2 length 1; zero rows for blank texts.

        A text over the model's context is cut for its vector alone, and that is logged.
        """
        return await self._embed(texts, self._model.document_prefix, None)

    async def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the same for questions, within the time that a search can wait."""
        return await self._embed(texts, self._model.query_prefix, self._question_deadline())

    async def probe(self) -> Probe:
        """Embed one short text; cached for a few seconds, never raises."""
        return await self._probe()

    async def close(self) -> None:
        """Close the connections."""
        await self._api.close()

    def _question_deadline(self) -> float:
        return asyncio.get_running_loop().time() + self._model.query_timeout_s

    async def _known_space(self, deadline: float | None) -> Space:
        if self._space is None:
            async with self._asking:
                if self._space is None:
                    self._space = await self._ask_space(deadline)
        return self._space

    async def _ask_space(self, deadline: float | None) -> Space:
        model = self._model
        answer = await self._api.embed([model.document_prefix + PROBE_TEXT], deadline)
        rows = unit_rows(answer, count=1, dimensions=model.dimensions, identity=self.identity)
        return Space(
            provider=model.provider,
            model=model.model,
            dimensions=int(rows.shape[1]),
            revision=await self._api.revision(deadline),
            document_prefix=model.document_prefix,
            query_prefix=model.query_prefix,
            pooling="service",
            max_tokens=model.max_tokens,
        )

    async def _embed(self, texts: Sequence[str], prefix: str, deadline: float | None) -> NDArray[np.float32]:
        import numpy as np

        space = await self._known_space(self._question_deadline() if deadline is None else deadline)
        positions, kept = filled(texts)
        if not kept:
            return np.zeros((len(texts), space.dimensions), dtype=np.float32)
        sent = [cut(prefix + text, self._model.max_weight) for text in kept]
        shortened = sum(len(short) < len(prefix) + len(text) for short, text in zip(sent, kept, strict=True))
        if shortened:
            logger.info(
                "%s: %d of %d texts are longer than the model reads; their vectors stand for the first part.",
                self.identity,
                shortened,
                len(kept),
            )
        rows = [await self._rows(batch, space.dimensions, deadline) for batch in self._batches(sent)]
        return place(np.concatenate(rows), positions, len(texts))

    def _batches(self, texts: list[str]) -> Iterator[list[str]]:
        batch: list[str] = []
        total = 0
        for text in texts:
            heavy = weight(text)
            if batch and (len(batch) >= self._model.batch_texts or total + heavy > self._model.batch_weight):
                yield batch
                batch, total = [], 0
            batch.append(text)
            total += heavy
        yield batch

    async def _rows(self, batch: list[str], dimensions: int, deadline: float | None) -> NDArray[np.float32]:
        """Return checked rows of one batch; a batch refused as too long is split, a single text cut."""
        import numpy as np

        try:
            answer = await self._api.embed(batch, deadline)
        except RefusedRequestError as refusal:
            if not self._api.is_too_long(refusal):
                raise
            if len(batch) == 1:
                return await self._shrunk(batch[0], dimensions, deadline, refusal)
            middle = len(batch) // 2
            halves = (batch[:middle], batch[middle:])
            return np.concatenate([await self._rows(half, dimensions, deadline) for half in halves])
        return unit_rows(answer, count=len(batch), dimensions=dimensions, identity=self.identity)

    async def _shrunk(
        self, text: str, dimensions: int, deadline: float | None, refusal: RefusedRequestError
    ) -> NDArray[np.float32]:
        """Halve one text, strictly, until the service takes it."""
        for _ in range(_HALVINGS):
            shorter = text[: len(text) // 2]
            if not shorter.strip():
                break
            text = shorter
            try:
                answer = await self._api.embed([text], deadline)
            except RefusedRequestError as again:
                if not self._api.is_too_long(again):
                    raise
                refusal = again
                continue
            logger.info("%s: one text was cut to %d characters for its vector.", self.identity, len(text))
            return unit_rows(answer, count=1, dimensions=dimensions, identity=self.identity)
        msg = f"{self.identity} finds even {len(text)} characters too long: choose another embedding.model."
        raise EmbedderContractError(msg) from refusal
