"""Folders of another layer, such as the notes of the vault, that are to be found by meaning too.

They are lent: their files are read and never written, and they come and go with the folder they stand
for. A user's own folder that is the same one steps back, so that nothing is indexed twice.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tercet.layers.semantic.indexing import Indexer
    from tercet.ports import Manifest, RootRecord

    LentRoots = Callable[[], Sequence[RootRecord] | None]
    """Blocking; looks at the disk and returns what is there now, None when that cannot be told."""

LENT_MARK: Final = "@"
"""In the label of every lent folder, and of no other."""


async def settle_lent_roots(lent: LentRoots, manifest: Manifest, agent: str, indexer: Indexer) -> None:
    """Bring the recorded folders to what is lent now; the caller holds the writer lock.

    Raises:
        EngineUnavailableError, LedgerBusyError: transient.
    """
    wanted = await asyncio.to_thread(lent)
    if wanted is None:
        return
    known = await manifest.roots(agent)
    directories = {(root.directory, root.scope) for root in wanted}
    for root in known:
        is_lent = LENT_MARK in root.label
        if root not in wanted and (is_lent or (root.directory, root.scope) in directories):
            await indexer.remove(root)
    for root in wanted:
        if root not in known:
            await manifest.add_root(root)
