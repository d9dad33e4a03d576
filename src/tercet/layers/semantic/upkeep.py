"""Rebuild, sweep and tidy: what keeps the derived index equal to files and ledger."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tercet.errors import EngineUnavailableError, StoreFormatError
from tercet.filters import Eq, Filter
from tercet.layers.semantic.background import BACKGROUND_SAMPLE, sample_background
from tercet.layers.semantic.recorded import recorded_count
from tercet.model import Reach

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from tercet.layers.semantic.engine_access import EngineAccess
    from tercet.ports import Engine, Ledger, RootRecord

SWEEP_KEY = "sweep_pending"
"""Names a JSON list of folder labels in the ledger."""
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
        return bool(await recorded_count(self._ledger)) and not await self._access.has_store()

    async def is_forgotten(self) -> bool:
        """Say whether there is a store that a ledger without passages knows nothing of."""
        return not await recorded_count(self._ledger) and await self._access.has_store()

    async def begin_rebuild(self) -> None:
        """Note durably that every folder is to be done again, from its files, and every entry from the journal.

        Rows, records and counts of a sound store stay until the new ones replace them, file by
        file: a reader never finds them gone, and a folder that is away keeps its own. A store that
        is gone, or cannot be opened and is thrown away, leaves nothing worth keeping.
        """
        manifest = self._ledger.manifest
        await self.mark([root.label for root in await manifest.roots(None)])
        # Entries come from the journal, as chunks come from the files.
        await self._ledger.journal.reset_sync()
        if not await self._access.has_store():
            await manifest.reset()
        try:
            await self._access.ready(even_if_empty=True)
        except (EngineUnavailableError, StoreFormatError):
            await self._access.discard()
            await manifest.reset()

    async def mark(self, labels: Sequence[str]) -> None:
        """Note durably that these folders must be read whole and swept."""
        await self._set_pending({*await self.pending(), *labels})

    async def pending(self) -> frozenset[str]:
        """Return the labels of folders whose rebuild has begun and not ended."""
        text = await self._ledger.get_value(SWEEP_KEY)
        return frozenset(json.loads(text)) if text else frozenset()

    async def sweep(self, done: Sequence[RootRecord]) -> int:
        """Delete rows of rebuilt folders that no file has any more, and end their rebuild.

        Args:
            done: Folders whose run has just ended well; those without a rebuild are passed over.

        Returns:
            How many rows were deleted.
        """
        pending = await self.pending()
        manifest = self._ledger.manifest
        swept = 0
        for root in done:
            if root.label not in pending:
                continue
            engine = await self._access.ready(even_if_empty=True)
            paths = sorted(await manifest.files(root.label))
            known = {each for ids in (await manifest.passages(root.label, paths)).values() for each in ids}
            swept += await _sweep(engine, _rows_of(root), known)
        labels = {root.label for root in await manifest.roots(None)}
        await self._set_pending((pending - {root.label for root in done}) & labels)
        return swept

    async def _set_pending(self, labels: Collection[str]) -> None:
        if labels != await self.pending():
            text = json.dumps(sorted(labels), ensure_ascii=False) if labels else None
            await self._ledger.set_value(SWEEP_KEY, text)

    async def after_writing(self) -> None:
        """Measure how alike unrelated passages are, and let the engine tidy itself."""
        engine = await self._access.ready(even_if_empty=True)
        roots = await self._ledger.manifest.roots(None)
        await sample_background(engine, self._ledger, [_rows_of(root) for root in roots], BACKGROUND_SAMPLE)
        await engine.maintain(MAINTENANCE_BUDGET_S)


def _rows_of(root: RootRecord) -> Filter:
    return Filter(Reach(root.scope.agent, (root.scope.anchor,)), (Eq("root", root.label),))


async def _sweep(engine: Engine, where: Filter, known: set[str]) -> int:
    after, swept = "", 0
    while rows := await engine.scan(where, after=after, limit=_PAGE):
        after = rows[-1].passage.id
        orphans = [row.passage.id for row in rows if row.passage.id not in known]
        if orphans:
            await engine.delete(orphans)
            swept += len(orphans)
    return swept
