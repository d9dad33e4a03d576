"""Moves the index to another embedding space, from stored text, while the old one serves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tercet.errors import ConfigurationError, EmbedderUnavailableError
from tercet.layers.semantic.vectors import Vectoriser
from tercet.ports import ReembeddableEngine

if TYPE_CHECKING:
    from collections.abc import Callable

    from tercet.layers.semantic.engine_access import EngineAccess
    from tercet.model import Space
    from tercet.ports import Embedder, Ledger


@dataclass(frozen=True, slots=True)
class ReembedReport:
    """What a move did."""

    rows: int
    """Rows that have a vector of the new space now."""
    embedded: int
    """Texts that were sent to the embedder (not from the cache)."""
    space: Space


async def reembed(
    access: EngineAccess,
    embedder: Embedder | None,
    ledger: Ledger,
    *,
    batch: int,
    progress: Callable[[int, int], None] | None = None,
) -> ReembedReport:
    """Fill the embedder's space for every row, then switch to it.

    Killed at any point, the old space still serves and the next call goes on where this one was.

    Raises:
        ConfigurationError: no embedder is set, or the engine cannot do it (permanent).
        EngineUnavailableError: the engine has no store that could be moved (transient).
        EmbedderUnavailableError: it went away half way; what is done is kept (transient).
    """
    if embedder is None:
        msg = "There is no embedder to move to: set embedding.provider first."
        raise ConfigurationError(msg)
    # A mismatch is the very state this command mends; the engine is then open for text.
    engine = await access.ready()
    if not isinstance(engine, ReembeddableEngine):
        msg = "This engine cannot re-embed in place: run 'tercet index --rebuild' instead."
        raise ConfigurationError(msg)
    space = await embedder.space()
    await engine.begin_reembed(space)
    total = (await engine.stats()).rows
    vectoriser = Vectoriser(embedder, ledger.cache)
    done = embedded = 0
    while rows := await engine.rows_to_reembed(batch):
        result = await vectoriser.vectorise(rows)
        if result.degraded:
            msg = (
                f"Stopped after {done} of {total} rows, nothing is lost: {result.degraded} Run 'tercet reembed' again."
            )
            raise EmbedderUnavailableError(msg)
        vectors = np.stack([_vector(row.vector, space) for row in result.rows])
        ids = [row.passage.id for row in rows]
        await engine.fill_reembed(ids, vectors)
        await ledger.manifest.mark_embedded(ids)
        done += len(rows)
        embedded += result.embedded
        if progress is not None:
            progress(min(done, total), total)
    await engine.finish_reembed()
    access.look_again()
    return ReembedReport(done, embedded, space)


def _vector(vector: np.ndarray[tuple[int], np.dtype[np.float32]] | None, space: Space) -> np.ndarray:
    if vector is not None:
        return vector
    # A text without direction in this space: a fixed unit vector keeps the row out of the queue.
    fixed = np.zeros(space.dimensions, dtype=np.float32)
    fixed[0] = 1.0
    return fixed
