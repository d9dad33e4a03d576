"""How alike passages are that have nothing to do with each other, measured in the store and kept in the ledger."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tercet.ranking.calibration import BackgroundCosines, measure_background

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tercet.filters import Filter
    from tercet.model import Vector
    from tercet.ports import Engine, Ledger

BACKGROUND_SAMPLE: Final = 500
"""Passages that are looked at of one part of the store, at most."""
_KEY: Final = "background_cosines"


async def sample_background(engine: Engine, ledger: Ledger, parts: Sequence[Filter], each: int) -> None:
    """Measure it over ``each`` rows of every part, and keep it; nothing is kept of too few vectors."""
    vectors: list[Vector] = []
    for where in parts:
        # Ids are hashes: the first of them are a random sample.
        rows = await engine.scan(where, limit=each)
        vectors.extend(row.vector for row in rows if row.vector is not None)
    measured = measure_background(np.stack(vectors)) if vectors else None
    await ledger.set_value(_KEY, measured.as_text() if measured else None)


async def kept_background(ledger: Ledger) -> BackgroundCosines | None:
    """Return what was measured last, None without any."""
    text = await ledger.get_value(_KEY)
    return BackgroundCosines.from_text(text) if text else None
