"""Agent ids and what a query without a session may see."""

from __future__ import annotations

import re

from tercet.errors import IdentityError
from tercet.model import SHARED, Reach

_AGENT_ID = re.compile(r"[a-z0-9_-]{1,64}")


def checked_agent(agent: str) -> str:
    """Return the agent id, or refuse it: lower case, at most 64 of ``[a-z0-9_-]``.

    Raises:
        IdentityError: permanent; nothing is guessed, so that two spellings never share a memory.
    """
    if _AGENT_ID.fullmatch(agent):
        return agent
    msg = f"Agent id {agent!r} is not valid: use 1 to 64 of a-z, 0-9, '_' and '-'."
    raise IdentityError(msg)


def owner_reach(agent: str) -> Reach:
    """Return what the agent's owner sees without naming a session: its main anchor and the shared."""
    name = checked_agent(agent)
    return Reach(name, (SHARED, f"agent:{name}:main"))
