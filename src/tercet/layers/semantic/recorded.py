"""How much the engine must hold, as far as the ledger knows."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tercet.ports import Ledger

INGESTED_ROOT = "eval"
"""Label of the root that stands in the ledger for what has no folder and is in no journal."""


async def recorded_count(ledger: Ledger) -> int:
    """Return how many chunks of files and live entries the engine has been told of."""
    return await ledger.manifest.passage_count() + await ledger.journal.synced_count()
