"""What a caller may reach: the whole service, one agent, or one session of one agent."""

from __future__ import annotations

from dataclasses import dataclass, field

from tercet.errors import IdentityError, PermanentError
from tercet.identity import checked_agent, parse_session_key


class ScopeRefusedError(PermanentError):
    """The caller's token is bound to another agent or session than the request names."""


@dataclass(frozen=True, slots=True)
class Whose:
    """Whose memory one request is about."""

    agent: str
    session_key: str | None
    """None is the agent's owner."""
    is_bound: bool = False
    """Whether the session comes from the token: then nothing beyond it may be shown."""


@dataclass(frozen=True, slots=True)
class Grant:
    """One caller's right; a session without an agent is not possible."""

    name: str
    """For logs: never the token."""
    token: str = field(repr=False)
    agent: str | None = None
    """None may name any agent."""
    session_key: str | None = None
    """None may name any session of its agent."""

    def whose(self, agent: str | None, session_key: str | None, default_agent: str) -> Whose:
        """Return whose memory is meant, by the token first and then by the request.

        Raises:
            ScopeRefusedError: the request names another agent or session than the token's.
            IdentityError: an agent id or session key is malformed.
        """
        name = checked_agent(agent or self.agent or default_agent)
        if self.agent is not None and name != self.agent:
            msg = f"This token is bound to agent {self.agent!r}: leave 'agent' out, or use a token of that agent."
            raise ScopeRefusedError(msg)
        if self.session_key is None:
            if session_key is not None:
                parse_session_key(session_key, name)
            return Whose(name, session_key)
        if session_key is not None and not _is_same_anchor(session_key, self.session_key, name):
            msg = "This token is bound to another session: leave the session key out, or use a token of that session."
            raise ScopeRefusedError(msg)
        return Whose(name, session_key or self.session_key, is_bound=True)

    def refuse_if_bound(self, what: str) -> None:
        """Refuse what shows or changes more than one session.

        Raises:
            ScopeRefusedError: this token is bound to a session.
        """
        if self.session_key is not None:
            msg = f"This token is bound to one session, and {what} is about the whole agent: use the agent's token."
            raise ScopeRefusedError(msg)


def _is_same_anchor(given: str, bound: str, agent: str) -> bool:
    try:
        return parse_session_key(given, agent).anchor == parse_session_key(bound, agent).anchor
    except IdentityError:
        return False  # whatever it is, it is not the token's
