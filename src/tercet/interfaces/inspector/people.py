"""Whose memory a page can be shown as."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tercet.identity import owner_reach

if TYPE_CHECKING:
    from tercet.interfaces.inspector.visits import Visit


async def people_of(visit: Visit) -> list[str]:
    """Return whose memory can be looked at, for who may look at anybody's; the owner's own goes without saying."""
    if visit.grant.session_key is not None:
        return []
    own = owner_reach(visit.whose.agent).anchors
    asked = [visit.session_key] if visit.session_key else []
    return list(dict.fromkeys((*asked, *(each for each in await visit.memory.browse.people() if each not in own))))
