"""An embedder that is left alone for a few seconds after it failed.

Trigger: the service is down or hangs. Why: one search asks it several times (what changed, what
waits, the question), and each would wait for the same time limit. Outcome: the first failure is
repeated without asking until the rest is over; then it is asked again.
"""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, TypeVar

from tercet.errors import ConfigurationError, EmbedderContractError, EmbedderUnavailableError, TercetError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from tercet.model import Probe, Space
    from tercet.ports import Embedder

T = TypeVar("T")

REST_S = 5.0


class RestingEmbedder:
    """An ``Embedder`` around another one."""

    def __init__(
        self, embedder: Embedder, *, rest_s: float = REST_S, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        """Wrap ``embedder``; ``monotonic`` counts seconds."""
        self._embedder = embedder
        self._rest_s = rest_s
        self._monotonic = monotonic
        self._failed: tuple[float, TercetError] | None = None

    @property
    def identity(self) -> str:
        """Provider and model in words."""
        return self._embedder.identity

    async def space(self) -> Space:
        """See ``Embedder.space``."""
        return await self._asked(self._embedder.space)

    async def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """See ``Embedder.embed_documents``."""
        return await self._asked(lambda: self._embedder.embed_documents(texts))

    async def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """See ``Embedder.embed_queries``."""
        return await self._asked(lambda: self._embedder.embed_queries(texts))

    async def probe(self) -> Probe:
        """Ask the embedder itself; a good answer ends its rest."""
        probe = await self._embedder.probe()
        if probe:
            self._failed = None
        return probe

    async def close(self) -> None:
        """Close the embedder."""
        await self._embedder.close()

    def until(self, give_up_at: float) -> ImpatientEmbedder:
        """Return the same embedder for a caller that cannot wait beyond a time of the event loop."""
        return ImpatientEmbedder(self, give_up_at)

    def rest(self, failure: TercetError) -> None:
        """Leave it alone for a while; who asks meanwhile is told this."""
        self._failed = (self._monotonic(), failure)

    async def _asked(self, ask: Callable[[], Awaitable[T]]) -> T:
        if self._failed is not None:
            since, failure = self._failed
            if self._monotonic() - since < self._rest_s:
                raise type(failure)(str(failure)) from failure
        try:
            answer = await ask()
        except (EmbedderUnavailableError, ConfigurationError, EmbedderContractError) as error:
            self.rest(error)
            raise
        self._failed = None
        return answer


class ImpatientEmbedder:
    """A ``RestingEmbedder`` that fails, and rests, when its answer is late."""

    def __init__(self, embedder: RestingEmbedder, give_up_at: float) -> None:
        """Hold the time of the event loop after which no answer is waited for."""
        self._embedder = embedder
        self._give_up_at = give_up_at

    @property
    def identity(self) -> str:
        """Provider and model in words."""
        return self._embedder.identity

    async def space(self) -> Space:
        """See ``Embedder.space``."""
        return await self._in_time(self._embedder.space())

    async def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """See ``Embedder.embed_documents``."""
        return await self._in_time(self._embedder.embed_documents(texts))

    async def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """See ``Embedder.embed_queries``."""
        return await self._in_time(self._embedder.embed_queries(texts))

    async def probe(self) -> Probe:
        """See ``Embedder.probe``."""
        return await self._embedder.probe()

    async def close(self) -> None:
        """Leave it open: it is the other's."""

    async def _in_time(self, answer: Awaitable[T]) -> T:
        try:
            async with asyncio.timeout_at(self._give_up_at):
                return await answer
        except TimeoutError as error:
            failure = EmbedderUnavailableError(f"{self.identity} did not answer in time.")
            self._embedder.rest(failure)
            raise failure from error
