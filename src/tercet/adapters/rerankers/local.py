"""A cross-encoder that runs in this process, in one thread of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tercet.adapters.embedders.vectors import clean, filled
from tercet.adapters.executor import BlockingExecutor
from tercet.adapters.rerankers.scores import Scale, unit_scores

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    Score = Callable[[str, list[str]], object]
    """(query, texts) -> one raw number per text; blocking."""


class LocalReranker:
    """Loads its model at the first call and scores in pieces, so that a caller who gave up stops the work."""

    def __init__(self, identity: str, load: Callable[[], Score], *, scale: Scale = "logits", piece: int = 16) -> None:
        self._identity = identity
        self._load = load
        self._scale: Scale = scale
        self._piece = piece
        self._score: Score | None = None
        self._executor = BlockingExecutor(1, "reranker")

    @property
    def identity(self) -> str:
        """Provider and model in words."""
        return self._identity

    async def rerank(self, query: str, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return float32 (n,) in [0, 1]; a blank text scores 0 and is not read.

        A blank query scores every text 0.

        Raises:
            ConfigurationError, EmbedderContractError: permanent.
        """
        import numpy as np

        scores = np.zeros(len(texts), dtype=np.float32)
        asked = clean(query)
        positions, kept = filled(texts) if asked else ([], [])
        order = sorted(range(len(kept)), key=lambda at: len(kept[at]))
        for start in range(0, len(order), self._piece):
            piece = order[start : start + self._piece]
            found = await self._executor.run(self._scored, asked, [kept[at] for at in piece])
            scores[[positions[at] for at in piece]] = found
        return scores

    async def close(self) -> None:
        """End the thread and let go of the model."""
        await self._executor.close()
        self._score = None

    def _scored(self, query: str, texts: list[str]) -> NDArray[np.float32]:
        if self._score is None:
            self._score = self._load()
        return unit_scores(self._score(query, texts), count=len(texts), scale=self._scale, identity=self._identity)
