"""What was spooled while the service was away is taken in when it runs again, whosever turn it is."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from tercet.errors import TercetError
from tercet.interfaces.http.logs import log_event

if TYPE_CHECKING:
    from pathlib import Path

    from tercet.interfaces.http.pool import MemoryPool

LOOK_AGAIN_S = 15.0
"""A plug-in spools too while the service lives and is slow: nobody tells it of that."""


async def take_in_spooled(pool: MemoryPool, home: Path) -> None:
    """Take turns in from the start on, for as long as this is not cancelled."""
    while True:
        await take_in_once(pool, home)
        await asyncio.sleep(LOOK_AGAIN_S)


async def take_in_once(pool: MemoryPool, home: Path) -> None:
    """Take in what waits for each agent; a memory is opened only for one whose turns wait."""
    for agent in await asyncio.to_thread(_waited_for, home / "spool"):
        try:
            async with pool.lend(agent) as memory:
                await memory.flush()
        except (TercetError, OSError) as error:
            # It goes on waiting, where doctor shows it; the other agents' turns do not wait for it.
            log_event("spool not taken in", error=type(error).__name__)


def _waited_for(spool: Path) -> list[str]:
    return sorted({file.parent.name for file in spool.glob("*/*.json")})
