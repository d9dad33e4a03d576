"""The tokens of a home: who may ask the service, and for whose memory."""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
import stat
from typing import TYPE_CHECKING, Any

from tercet.adapters.files.atomic_write import ensure_private_directory, write_atomically
from tercet.errors import ConfigurationError, InvalidInputError
from tercet.identity import checked_agent, parse_session_key
from tercet.interfaces.grants import Grant

if TYPE_CHECKING:
    from pathlib import Path

TOKENS_FILE = "tokens.json"
LOCAL = "local"
"""The token that a loopback service makes for itself."""


class Tokens:
    """Tokens in one file, ``tokens.json``, for its owner alone; a change acts on the next request."""

    def __init__(self, home: Path) -> None:
        """Name the home; nothing is read yet."""
        self.path = home / TOKENS_FILE
        self._home = home
        self._grants: list[Grant] = []
        self._read_at: tuple[int, int] | None = None

    def all(self) -> list[Grant]:
        """Return every grant, in the order in which they were made.

        Raises:
            ConfigurationError: the file is open to others, or is no list of tokens (permanent).
        """
        try:
            seen = self.path.stat()
        except FileNotFoundError:
            self._grants, self._read_at = [], None
            return []
        stamp = (seen.st_mtime_ns, seen.st_ino)
        if stamp != self._read_at:
            if seen.st_mode & (stat.S_IRWXG | stat.S_IRWXO):
                msg = f"{self.path} is open to others (mode {stat.S_IMODE(seen.st_mode):o}): chmod 600 it."
                raise ConfigurationError(msg)
            self._grants = self._parse(self.path.read_bytes())
            self._read_at = stamp
        return self._grants

    def grant_of(self, token: str) -> Grant | None:
        """Return the grant of a token; every token is compared, in the same time whatever it is."""
        wanted = _digest(token)
        found = None
        for grant in self.all():
            if hmac.compare_digest(_digest(grant.token), wanted):
                found = grant
        return found

    def add(self, name: str, agent: str | None = None, session_key: str | None = None) -> Grant:
        """Make a token, bound to an agent or to one of its sessions where these are given.

        Raises:
            InvalidInputError: blank name, or one that has a token (permanent).
            IdentityError: the agent or session key is malformed, or a session comes without its agent.
        """
        known = self.all()
        if not name.strip() or any(each.name == name for each in known):
            msg = f"A token named {name!r} cannot be made: give a name that has none yet."
            raise InvalidInputError(msg)
        if session_key is not None and agent is None:
            msg = f"A token of session {session_key!r} needs the session's agent too: give both."
            raise InvalidInputError(msg)
        if agent is not None:
            checked_agent(agent)
        if session_key is not None and agent is not None:
            parse_session_key(session_key, agent)
        grant = Grant(name, f"tercet_{secrets.token_urlsafe(32)}", agent, session_key)
        self._write([*known, grant])
        return grant

    def local(self) -> Grant:
        """Return the service's own token over everything, made when there is none."""
        found = next((each for each in self.all() if each.name == LOCAL), None)
        return found or self.add(LOCAL)

    def _write(self, grants: list[Grant]) -> None:
        listed = [
            {"name": each.name, "token": each.token, "agent": each.agent, "session": each.session_key}
            for each in grants
        ]
        ensure_private_directory(self._home)
        write_atomically(self.path, json.dumps({"tokens": listed}, indent=2).encode("utf-8"))
        self._read_at = None

    def _parse(self, data: bytes) -> list[Grant]:
        try:
            value: Any = json.loads(data)
            grants = [
                Grant(str(each["name"]), str(each["token"]), each.get("agent"), each.get("session"))
                for each in value["tokens"]
            ]
            for grant in grants:
                _check(grant)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            msg = f"{self.path} is no list of tokens ({error}): mend it, or move it away to make new ones."
            raise ConfigurationError(msg) from error
        return grants


def _check(grant: Grant) -> None:
    """Refuse what could widen a token by a slip of the hand."""
    if len(grant.token) < 16:  # noqa: PLR2004 - what can be guessed protects nothing
        msg = f"token {grant.name!r} is shorter than 16 characters"
        raise ValueError(msg)
    if grant.agent is not None:
        checked_agent(grant.agent)
    if grant.session_key is not None:
        if grant.agent is None:
            msg = f"token {grant.name!r} has a session and no agent"
            raise ValueError(msg)
        parse_session_key(grant.session_key, grant.agent)


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()
