"""Session keys, read in any form a host writes, and the one anchor each belongs to."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

from tercet.errors import IdentityError
from tercet.identity.agents import checked_agent
from tercet.model import Scope

SessionKind: TypeAlias = Literal["direct", "group", "channel", "room", "main", "named", "cron", "hook", "subagent"]

_PLACES: dict[str, SessionKind] = {
    "direct": "direct",
    "dm": "direct",
    "group": "group",
    "channel": "channel",
    "room": "room",
}
_SERVICES: dict[str, SessionKind] = {"cron": "cron", "hook": "hook", "subagent": "subagent"}
_THREAD_MARKS = frozenset({"thread", "topic"})
_GROUP_KINDS = frozenset({"group", "channel", "room"})
_PERSON_KINDS = frozenset({"direct", "main", "named"})
_MISSING = frozenset({"undefined", "null", "none", "nan"})
"""How a missing id is spelt by a host that forgot to look: everybody without one would be one person."""
_CASE_SENSITIVE_CHANNELS = frozenset({"signal", "matrix"})
_KEY = re.compile(r"[\x21-\x7e]{1,512}")


@dataclass(frozen=True, slots=True)
class SessionKey:
    """A session key taken apart; made by :func:`parse_session_key` only, so its parts are normal."""

    agent: str
    kind: SessionKind
    channel: str = ""
    """Platform, e.g. ``telegram``; empty where the host merges its channels, and for what has none."""
    account: str = ""
    """The bot account the person wrote to; two accounts are two anchors."""
    peer: str = ""
    """Id of the person, place, job or named session; may hold colons (Matrix)."""
    thread: str = ""
    """Thread or topic; it belongs to its parent's anchor."""

    @property
    def is_group(self) -> bool:
        """Whether more people than one read along."""
        return self.kind in _GROUP_KINDS

    @property
    def is_person(self) -> bool:
        """Whether one person speaks here, so that it may be linked with others."""
        return self.kind in _PERSON_KINDS

    @property
    def anchor(self) -> str:
        """The normalised identity: parsing it again gives this key without its thread.

        That round trip is what makes it injective: two different identities never share an anchor.
        """
        if self.kind == "main":
            return f"agent:{self.agent}:main"
        if self.kind == "named":
            return f"agent:{self.agent}:{self.peer}"
        if self.kind in _SERVICES:
            return f"{self.kind}:{self.peer}"
        if self.kind == "direct" and self.channel and not self.account and not _needs_kind(self.peer):
            return f"{self.channel}:{self.peer}"
        return ":".join(part for part in (self.channel, self.account, self.kind, self.peer) if part)

    @property
    def session(self) -> str:
        """The normalised session key, its thread included."""
        return f"{self.anchor}:thread:{self.thread}" if self.thread else self.anchor

    @property
    def scope(self) -> Scope:
        """Where what is said here is stored."""
        return Scope(self.agent, self.anchor)


def parse_session_key(key: str, agent: str) -> SessionKey:
    """Read ``telegram:123``, ``discord:channel:9``, ``main`` or a long ``agent:<id>:...`` key.

    Keys are lower-cased, save the group ids of Signal and the room ids of Matrix, which differ by
    case. Ids that can only be a group's (a WhatsApp ``...@g.us``, a negative Telegram chat, a Matrix
    ``!room``) are one in whatever form they come.

    Raises:
        IdentityError: permanent; nothing is guessed, so that two people never share a memory.
    """
    name = checked_agent(agent)
    if not _KEY.fullmatch(key):
        raise _malformed(key, "it must be 1 to 512 printable ASCII characters without spaces")
    segments = key.split(":")
    if not all(segments):
        raise _malformed(key, "a part between two colons is empty")
    low = [segment.lower() for segment in segments]
    if low[0] != "agent":
        if len(low) == 1 and low[0] != "main":
            raise _malformed(key, "it names no channel")
        return _read(key, name, segments)
    if len(low) < 3:  # noqa: PLR2004 - "agent", the id, and at least one part of the session
        raise _malformed(key, "a long key needs an agent id and a session")
    if low[1] != name:
        msg = f"Session key {key!r} is of agent {low[1]!r}, this memory is of {name!r}: use the memory of that agent."
        raise IdentityError(msg)
    if len(low) == 3 and low[2] != "main":  # noqa: PLR2004
        if low[2] in _PLACES or low[2] in _SERVICES or low[2] in _MISSING:
            raise _malformed(key, "the id after its last part is missing")
        return SessionKey(name, "named", peer=low[2])
    return _read(key, name, segments[2:])


def _read(key: str, agent: str, segments: list[str]) -> SessionKey:
    """Read what is left of a key once the agent is off: one part ("main") or more."""
    low = [segment.lower() for segment in segments]
    if low[0] == "agent":
        # An anchor of such a channel would be read as a long key, of somebody else.
        raise _malformed(key, "no channel is called 'agent'")
    if low[0] == "main":
        if len(low) > 1 and (low[1] not in _THREAD_MARKS or len(low) == 2):  # noqa: PLR2004 - a mark needs an id
            raise _malformed(key, "only a thread may follow 'main'")
        return SessionKey(agent, "main", thread=":".join(low[2:]))
    if low[0] in _SERVICES:
        return SessionKey(agent, _SERVICES[low[0]], peer=_checked_id(key, _before(low[1:], frozenset({"run"}))))
    channel, account, kind, rest = _places(key, low)
    peer_parts = segments[len(segments) - rest :]
    peer = ":".join(_before_mark(peer_parts, _THREAD_MARKS))
    thread = ":".join(peer_parts)[len(peer) + 1 :].partition(":")[2].lower()
    if kind == "direct" and _is_group_id(channel, peer):
        kind = "channel" if channel == "matrix" else "group"
    if kind not in _GROUP_KINDS or channel not in _CASE_SENSITIVE_CHANNELS:
        peer = peer.lower()
    return SessionKey(agent, kind, channel, account, _checked_id(key, peer), thread)


def _places(key: str, low: list[str]) -> tuple[str, str, SessionKind, int]:
    """Return channel, account, kind, and how many parts at the end are the peer's."""
    count = len(low)
    if low[0] in _PLACES:
        if low[0] not in {"direct", "dm"} or count == 1:
            raise _malformed(key, "it names no channel")
        return "", "", "direct", count - 1
    for at in (1, 2):
        if count > at and low[at] in _PLACES:
            if count == at + 1:
                raise _malformed(key, f"the id after {low[at]!r} is missing")
            account = low[1] if at == 2 else ""  # noqa: PLR2004 - the account stands between channel and kind
            return low[0], account, _PLACES[low[at]], count - at - 1
    return low[0], "", "direct", count - 1


def _needs_kind(peer: str) -> bool:
    """Whether ``channel:peer`` would be read as another identity."""
    return any(part in _PLACES for part in peer.split(":")[:2])


def _before_mark(parts: list[str], marks: frozenset[str]) -> list[str]:
    """Return the parts before the first mark that has something on both sides."""
    for at in range(1, len(parts) - 1):
        if parts[at].lower() in marks:
            return parts[:at]
    return parts


def _before(parts: list[str], marks: frozenset[str]) -> str:
    return ":".join(_before_mark(parts, marks))


def _is_group_id(channel: str, peer: str) -> bool:
    return (
        (channel == "whatsapp" and peer.lower().endswith("@g.us"))
        or (channel == "telegram" and peer.startswith("-"))
        or (channel == "matrix" and peer.startswith("!"))
    )


def _checked_id(key: str, peer: str) -> str:
    if peer and peer.lower() not in _MISSING:
        return peer
    raise _malformed(key, f"{peer!r} is no id of anybody" if peer else "the id is missing")


def _malformed(key: str, why: str) -> IdentityError:
    shown = key if len(key) <= 80 else f"{key[:77]}..."  # noqa: PLR2004 - one line of a terminal
    return IdentityError(
        f"Session key {shown!r} is not valid: {why}. Write channel:peer (telegram:123), channel:group:id, "
        "or agent:<id>:<channel>:direct:<peer>."
    )
