"""Rebuild, sweep and tidy: what keeps the derived index equal to files and ledger."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tercet.errors import EngineUnavailableError
from tercet.filters import Eq, Filter
from tercet.layers.semantic.retrieval import BACKGROUND_KEY
from tercet.model import Reach
from tercet.ranking.calibration import measure_background

if TYPE_CHECKING:
    from tercet.layers.semantic.engine_access import EngineAccess
    from tercet.ports import Engine, Ledger

SWEEP_KEY = "sweep_pending"
BACKGROUND_SAMPLE = 500
MAINTENANCE_BUDGET_S = 20.0
_PAGE = 2000


class Upkeep:
    """Brings engine and ledger together again; the caller holds the writer lock."""

    def __init__(self, ledger: Ledger, access: EngineAccess) -> None:
        """Hold the parts."""
        self._ledger = ledger
        self._access = access

    async def must_heal(self) -> bool:
        """Say whether the store is gone although the ledger knows of passages."""
        return bool(await self._ledger.manifest.passage_count()) and not self._access.has_store()

    async def begin_rebuild(self) -> None:
        """Forget what is indexed, so that every file is done again.

        Rows of a sound store stay until the new ones have replaced them: a reader never finds it
        empty. A store that cannot be opened is thrown away.
        """
        try:
            await self._access.ready(even_if_empty=True)
        except EngineUnavailableError:
            await self._access.discard()
        await self._ledger.set_value(SWEEP_KEY, "1")
        await self._ledger.manifest.reset()

    async def finish_rebuild(self) -> int:
        """After a rebuild, also one that was killed, delete rows that no file has any more.

        Returns:
            How many rows were deleted; 0 when no rebuild is pending.
        """
        if await self._ledger.get_value(SWEEP_KEY) is None:
            return 0
        engine = await self._access.ready(even_if_empty=True)
        manifest = self._ledger.manifest
        swept = 0
        for root in await manifest.roots(None):
            paths = sorted(await manifest.files(root.label))
            known = {each for ids in (await manifest.passages(root.label, paths)).values() for each in ids}
            reach = Reach(root.scope.agent, (root.scope.anchor,))
            swept += await _sweep(engine, Filter(reach, (Eq("root", root.label),)), known)
        await self._ledger.set_value(SWEEP_KEY, None)
        return swept

    async def after_writing(self) -> None:
        """Measure how alike unrelated passages are, and let the engine tidy itself."""
        engine = await self._access.ready(even_if_empty=True)
        vectors: list[np.ndarray[tuple[int], np.dtype[np.float32]]] = []
        for root in await self._ledger.manifest.roots(None):
            reach = Reach(root.scope.agent, (root.scope.anchor,))
            # Ids are hashes: the first of them are a random sample.
            rows = await engine.scan(Filter(reach, (Eq("root", root.label),)), limit=BACKGROUND_SAMPLE)
            vectors.extend(row.vector for row in rows if row.vector is not None)
        background = measure_background(np.stack(vectors)) if vectors else None
        await self._ledger.set_value(BACKGROUND_KEY, background.as_text() if background else None)
        await engine.maintain(MAINTENANCE_BUDGET_S)


async def _sweep(engine: Engine, where: Filter, known: set[str]) -> int:
    after, swept = "", 0
    while rows := await engine.scan(where, after=after, limit=_PAGE):
        after = rows[-1].passage.id
        orphans = [row.passage.id for row in rows if row.passage.id not in known]
        if orphans:
            await engine.delete(orphans)
            swept += len(orphans)
    return swept
