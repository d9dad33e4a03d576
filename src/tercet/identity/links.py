"""Links between platforms, and what a query from one session may see."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tercet.errors import IdentityError
from tercet.identity.agents import checked_agent
from tercet.identity.keys import parse_session_key
from tercet.model import SHARED, Reach, Scope

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def checked_links(agent: str, links: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    """Return the links with normalised anchors, sorted, each once.

    Raises:
        IdentityError: permanent; a key is malformed, is no person's (a group, a cron job), or stands
            under two names, which would make one person see only half of another.
    """
    owners: dict[str, str] = {}
    checked: dict[str, tuple[str, ...]] = {}
    for name, keys in links.items():
        anchors: set[str] = set()
        for raw in keys:
            key = parse_session_key(raw, agent)
            if not key.is_person:
                msg = f"Link {name!r} cannot hold {raw!r}: a {key.kind} is nobody's own. Leave it out."
                raise IdentityError(msg)
            if owners.setdefault(key.anchor, name) != name:
                msg = f"{key.anchor!r} is linked as {owners[key.anchor]!r} and as {name!r}: unlink one of them."
                raise IdentityError(msg)
            anchors.add(key.anchor)
        checked[name] = tuple(sorted(anchors))
    return checked


def reach_for(
    agent: str,
    session_key: str | None,
    links: Mapping[str, Sequence[str]],
    *,
    shared_in_groups: bool = False,
) -> Reach:
    """Return what a query from a session may see.

    A private session sees its anchor, the anchors linked with it, and what the agent shares. A group
    sees itself alone, and the shared only where that is allowed. None is the owner's main session.

    Raises:
        IdentityError: permanent; the key or a link is malformed. There is no wider answer to fall back to.
    """
    name = checked_agent(agent)
    key = parse_session_key("main" if session_key is None else session_key, name)
    if key.is_group:
        return Reach(name, (SHARED, key.anchor) if shared_in_groups else (key.anchor,))
    linked: tuple[str, ...] = ()
    if key.is_person:
        for anchors in checked_links(name, links).values():
            if key.anchor in anchors:
                linked = tuple(anchor for anchor in anchors if anchor != key.anchor)
    return Reach(name, (SHARED, key.anchor, *linked))


def encode_scope(scope: Scope) -> str:
    """Return one string per scope, never the same for two: an agent id holds no colon."""
    return f"{checked_agent(scope.agent)}:{scope.anchor}"
