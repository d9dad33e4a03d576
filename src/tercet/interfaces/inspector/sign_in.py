"""Who looks: a browser shows a token or a one-time link once, and a cookie afterwards."""

from __future__ import annotations

import hashlib
import secrets
from collections import OrderedDict
from dataclasses import dataclass
from datetime import datetime, timedelta
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tercet.interfaces.grants import Grant
    from tercet.ports import Clock

COOKIE: Final = "tercet_inspector"
PREFIX: Final = "/inspector"
SIGNED_IN_FOR: Final = timedelta(hours=12)
LINK_FOR: Final = timedelta(seconds=90)
MOST_AT_ONCE: Final = 256
"""Of sign-ins, and of links: one more puts out the oldest."""


class GrantSource(Protocol):
    """Knows the tokens of the service."""

    def grant_of(self, token: str) -> Grant | None:
        """Return what a token grants, None for one that is not there (any more)."""
        ...


@dataclass(frozen=True, slots=True)
class _Held:
    token: str
    until: datetime


class SignIns:
    """The browsers that are signed in; a restart of the service signs them out.

    A cookie stands for a token and is worth what the token is worth now: one that was taken out of
    the file signs its browsers out with the next request.
    """

    def __init__(self, tokens: GrantSource, clock: Clock) -> None:
        """Hold whose tokens count and what tells the time."""
        self._tokens = tokens
        self._clock = clock
        self._signed_in: OrderedDict[str, _Held] = OrderedDict()
        self._links: OrderedDict[str, _Held] = OrderedDict()

    def link(self, token: str) -> str:
        """Return a code that signs one browser in, once, within ``LINK_FOR``."""
        return self._keep(self._links, token, LINK_FOR)

    def by_code(self, code: str) -> str | None:
        """Return the cookie's value for a code, which is used up; None when it is unknown or too old."""
        held = self._links.pop(_digest(code), None)
        if held is None or held.until <= self._clock.now():
            return None
        return self.by_token(held.token)

    def by_token(self, token: str) -> str | None:
        """Return the cookie's value for a token, None when it grants nothing."""
        if self._tokens.grant_of(token) is None:
            return None
        return self._keep(self._signed_in, token, SIGNED_IN_FOR)

    def grant_of(self, headers: Mapping[str, str]) -> Grant | None:
        """Return what the cookie among a request's headers grants now."""
        held = self._signed_in.get(_digest(cookie_of(headers)))
        if held is None or held.until <= self._clock.now():
            return None
        return self._tokens.grant_of(held.token)

    def sign_out(self, headers: Mapping[str, str]) -> None:
        """Forget the cookie of a request."""
        self._signed_in.pop(_digest(cookie_of(headers)), None)

    def _keep(self, among: OrderedDict[str, _Held], token: str, span: timedelta) -> str:
        value = secrets.token_urlsafe(32)
        among[_digest(value)] = _Held(token, self._clock.now() + span)
        while len(among) > MOST_AT_ONCE:
            among.popitem(last=False)
        return value


def cookie_of(headers: Mapping[str, str]) -> str:
    """Return the value of our cookie, empty where there is none."""
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        return ""
    return found.value if found is not None else ""


def cookie_header(value: str) -> str:
    """Return the ``Set-Cookie`` of a value; an empty one takes the cookie away.

    For scripts it is out of reach, and a request that another site starts comes without it. The
    service itself speaks no TLS, so it cannot be marked ``Secure``.
    """
    age = int(SIGNED_IN_FOR.total_seconds()) if value else 0
    return f"{COOKIE}={value}; Path={PREFIX}; Max-Age={age}; HttpOnly; SameSite=Strict"


def _digest(value: str) -> str:
    # Looked up by digest, so that the time of a look-up tells nothing about the values that are kept.
    return hashlib.sha256(value.encode("utf-8", "surrogatepass")).hexdigest()
