"""An embedder whose model runs in this process, in one thread of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tercet.adapters.embedders.probing import CachedProbe
from tercet.adapters.embedders.vectors import filled, place, unit_rows
from tercet.adapters.executor import BlockingExecutor

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from tercet.model import Probe, Space


@dataclass(frozen=True, slots=True)
class LoadedModel:
    """A model in memory."""

    space: Space
    encode: Callable[[list[str], bool], object]
    """(texts without blanks, is_query) -> rows of numbers, not yet normalised; blocking."""


class LocalEmbedder:
    """Loads its model at the first call and embeds in pieces, so that a question need not wait for a batch."""

    def __init__(
        self,
        identity: str,
        load: Callable[[], LoadedModel],
        *,
        space: Space | None = None,
        adds_own_prefix: bool = False,
        piece_texts: int = 32,
        piece_chars: int = 24_000,
        monotonic: Callable[[], float] | None = None,
    ) -> None:
        """Take the model's loader, which blocks and runs in the embedder's own thread.

        Args:
            identity: Provider and model in words.
            load: Called once, at first use; again after it raised.
            space: Known without loading; None asks the loaded model.
            adds_own_prefix: True when ``encode`` itself prepends the prefixes the space names.
            piece_texts: Texts a call of ``encode``, at most.
            piece_chars: Characters a call of ``encode``, about; bounds how long a question waits.
            monotonic: Seconds, for the age of a probe.
        """
        self._identity = identity
        self._load = load
        self._space = space
        self._adds_own_prefix = adds_own_prefix
        self._piece_texts = piece_texts
        self._piece_chars = piece_chars
        self._model: LoadedModel | None = None
        self._executor = BlockingExecutor(1, "embedder")
        self._probe = CachedProbe(self.embed_documents, monotonic)

    @property
    def identity(self) -> str:
        """Provider and model in words."""
        return self._identity

    async def space(self) -> Space:
        """Return the space; loads the model when only the model knows it."""
        if self._space is None:
            self._space = (await self._executor.run(self._loaded)).space
        return self._space

    async def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return float32 (n, dimensions) of L2 length 1; zero rows for blank texts."""
        return await self._embed(texts, is_query=False)

    async def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the same for questions."""
        return await self._embed(texts, is_query=True)

    async def probe(self) -> Probe:
        """Embed one short text; cached for a few seconds, never raises."""
        return await self._probe()

    async def close(self) -> None:
        """End the thread and let go of the model."""
        await self._executor.close()
        self._model = None

    async def _embed(self, texts: Sequence[str], *, is_query: bool) -> NDArray[np.float32]:
        import numpy as np

        space = await self.space()
        positions, kept = filled(texts)
        if not kept:
            return np.zeros((len(texts), space.dimensions), dtype=np.float32)
        if not self._adds_own_prefix:
            prefix = space.query_prefix if is_query else space.document_prefix
            kept = [prefix + text for text in kept]
        # By length, so that a padded batch holds texts of about one length.
        order = sorted(range(len(kept)), key=lambda at: len(kept[at]))
        rows = np.empty((len(kept), space.dimensions), dtype=np.float32)
        for piece in self._pieces(order, kept):
            rows[piece] = await self._executor.run(self._encode, [kept[at] for at in piece], is_query)
        return place(rows, positions, len(texts))

    def _pieces(self, order: list[int], texts: list[str]) -> list[list[int]]:
        pieces: list[list[int]] = []
        chars = 0
        for at in order:
            if not pieces or len(pieces[-1]) >= self._piece_texts or chars + len(texts[at]) > self._piece_chars:
                pieces.append([])
                chars = 0
            pieces[-1].append(at)
            chars += len(texts[at])
        return pieces

    def _loaded(self) -> LoadedModel:
        if self._model is None:
            self._model = self._load()
        return self._model

    def _encode(self, texts: list[str], is_query: bool) -> NDArray[np.float32]:  # noqa: FBT001 - run() passes it on
        model = self._loaded()
        values = model.encode(texts, is_query)
        return unit_rows(values, count=len(texts), dimensions=model.space.dimensions, identity=self._identity)
