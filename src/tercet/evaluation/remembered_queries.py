"""An embedder that embeds a question once, however many systems are compared on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from tercet.model import Probe, Space, Vector
    from tercet.ports import Embedder


class RememberingEmbedder:
    """Passes everything on and keeps the vectors of questions in memory."""

    def __init__(self, inner: Embedder) -> None:
        """Wrap an embedder; it is closed with this one."""
        self._inner = inner
        self._known: dict[str, Vector] = {}

    @property
    def identity(self) -> str:
        """Provider and model in words."""
        return self._inner.identity

    async def space(self) -> Space:
        """Return the space of the vectors; raises as the embedder does."""
        return await self._inner.space()

    async def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return float32 (n, dimensions); not remembered, there is a cache for these."""
        return await self._inner.embed_documents(texts)

    async def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return float32 (n, dimensions), asking for new texts alone."""
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            self._known.update(zip(new, await self._inner.embed_queries(new), strict=True))
        if not texts:
            return await self._inner.embed_queries(texts)
        return np.stack([self._known[text] for text in texts])

    async def probe(self) -> Probe:
        """Embed one short text; never raises."""
        return await self._inner.probe()

    async def close(self) -> None:
        """Close the embedder."""
        await self._inner.close()
