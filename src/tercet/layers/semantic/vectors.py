"""Gives rows their vectors: from the cache, else from the embedder, and says when it cannot."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tercet.errors import PermanentError, TransientError
from tercet.text.indexed_text import embedded_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tercet.model import Row, Space, Vector
    from tercet.ports import Embedder, EmbeddingCache


def space_key(space: Space) -> str:
    """Return what tells one embedding space from every other, in 16 hex digits."""
    return hashlib.sha256(repr(space).encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Vectorised:
    """Rows, those that got one with their vector."""

    rows: list[Row]
    embedded: int
    """Texts that were sent to the embedder (not from the cache)."""
    degraded: str | None
    """Why some rows have no vector; None when all have."""


class Vectoriser:
    """One embedder with its cache, for one run; after a failure it stops asking.

    Trigger: the embedder is down or wrong. Why: each further batch would wait for the same time-out.
    Outcome: the rest of the run is indexed for words alone, and the vectors are filled in later.
    """

    def __init__(self, embedder: Embedder, cache: EmbeddingCache) -> None:
        """Use ``embedder`` for what ``cache`` does not hold."""
        self._embedder = embedder
        self._cache = cache
        self._failure: str | None = None

    @property
    def failure(self) -> str | None:
        """Why the embedder is no longer asked, or None."""
        return self._failure

    async def vectorise(self, rows: Sequence[Row]) -> Vectorised:
        """Return the rows in order, with vectors as far as they can be had."""
        if self._failure is not None:
            return Vectorised(list(rows), 0, self._failure)
        try:
            return await self._vectorise(rows)
        except (TransientError, PermanentError) as error:
            self._failure = str(error)
            return Vectorised(list(rows), 0, self._failure)

    async def _vectorise(self, rows: Sequence[Row]) -> Vectorised:
        space = space_key(await self._embedder.space())
        texts = [embedded_text(row.passage) for row in rows]
        keys = [hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest() for text in texts]
        known = await self._cache.get(space, list(dict.fromkeys(keys)))
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known and text.strip()}
        if missing:
            vectors = await self._embedder.embed_documents(list(missing.values()))
            made: dict[str, Vector] = dict(zip(missing, vectors, strict=True))
            await self._cache.put(space, made)
            known = {**known, **made}
        # A text without a single piece the model knows comes back as zeros: it has no direction, so
        # it is kept without a vector for good.
        done = [replace(row, vector=_directed(known.get(key))) for row, key in zip(rows, keys, strict=True)]
        return Vectorised(done, len(missing), None)


def _directed(vector: Vector | None) -> Vector | None:
    return vector if vector is not None and vector.any() else None
