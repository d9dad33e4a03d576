"""Models behind ports: text to vectors, and pairs of texts to relevance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from tercet.model import Probe, Space


class Embedder(Protocol):
    """Text to unit vectors, with the prefixes its model wants."""

    @property
    def identity(self) -> str:
        """Provider and model in words, known without any call (``"ollama nomic-embed-text"``)."""
        ...

    async def space(self) -> Space:
        """Return the space of the vectors; may have to ask a service for its dimensions once.

        Raises:
            EmbedderUnavailableError: transient.
            ConfigurationError, EmbedderContractError: permanent.
        """
        ...

    async def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return float32 (n, dimensions), L2-normalised, in the order of ``texts``.

        Blank texts are never sent to a model; they come back as a zero row. No text is cut
        silently below what the model itself reads.

        Raises:
            EmbedderUnavailableError: transient; nothing of the batch is returned.
            ConfigurationError, EmbedderContractError: permanent.
        """
        ...

    async def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the same for questions, which may carry another prefix."""
        ...

    async def probe(self) -> Probe:
        """Embed one short text; never raises."""
        ...

    async def close(self) -> None:
        """Give back threads and connections."""
        ...


class Reranker(Protocol):
    """Reads query and passage together and gives each passage a better number."""

    @property
    def identity(self) -> str:
        """Provider and model in words."""
        ...

    async def rerank(self, query: str, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one number in [0, 1] per text, higher is better, in the order of ``texts``.

        Logits are squashed by the adapter; a service's own probabilities pass through.

        Raises:
            RerankerUnavailableError: transient.
            ConfigurationError, EmbedderContractError: permanent.
        """
        ...

    async def close(self) -> None:
        """Give back threads and connections."""
        ...
