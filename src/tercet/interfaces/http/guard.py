"""What stands before every route: the address it was asked by, the token, and how many at once."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from starlette.datastructures import Headers

from tercet.errors import TercetError
from tercet.interfaces.http.logs import ACCESS, log_event
from tercet.interfaces.http.refusals import RefusedError, busy, no_tokens, response, unauthorised
from tercet.interfaces.inspector.sign_in import PREFIX

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from tercet.interfaces.grants import Grant
    from tercet.interfaces.http.metrics import Metrics
    from tercet.interfaces.http.tokens import Tokens
    from tercet.interfaces.inspector.sign_in import SignIns

PUBLIC = frozenset({"/healthz", "/openapi.json"})
AT_ONCE = 64
"""Requests answered at the same time; one more is told to try again."""
_AUTHORITY = re.compile(r"(?P<name>[a-z0-9._-]+|\[[0-9a-f:.]+\])(:(?P<port>[0-9]{1,5}))?")
LOOPBACK_NAMES = frozenset({"127.0.0.1", "localhost", "::1"})
_USUAL_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Addresses:
    """Under which names the service may be asked.

    A page of a foreign site can make a browser ask a loopback address under its own name (DNS
    rebinding): the ``Host`` header then has that name, and is refused.
    """

    names: frozenset[str]
    port: int

    def knows(self, authority: str) -> bool:
        """Say whether ``host[:port]`` is one of ours."""
        parts = _AUTHORITY.fullmatch(authority.lower())
        if parts is None or parts["name"].strip("[]") not in self.names:
            return False
        return parts["port"] is None or int(parts["port"]) == self.port

    def knows_origin(self, origin: str) -> bool:
        """Say whether an ``Origin`` is one of ours; ``null`` is not.

        One of this machine must name our port: what stands at the usual one is another server, and a
        browser sends our cookie to every port. Behind a proxy a name of its own stands without a port.
        """
        scheme, _, authority = origin.partition("://")
        parts = _AUTHORITY.fullmatch(authority.lower())
        if parts is None or scheme not in _USUAL_PORTS or not self.knows(authority):
            return False
        is_local = parts["name"].strip("[]") in LOOPBACK_NAMES
        return parts["port"] is not None or not is_local or self.port == _USUAL_PORTS[scheme]


class Guard:
    """ASGI middleware: refuses what may not pass, counts and logs what does."""

    def __init__(
        self, app: ASGIApp, *, addresses: Addresses, tokens: Tokens, metrics: Metrics, sign_ins: SignIns
    ) -> None:
        """Stand before an application."""
        self._app = app
        self._sign_ins = sign_ins
        self._addresses = addresses
        self._tokens = tokens
        self._metrics = metrics
        self._under_way = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or let the application answer."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        started, status = time.perf_counter(), 500

        async def noted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._answer(scope, receive, noted)
        finally:
            self._note(scope, status, time.perf_counter() - started)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            grant = self._admitted(scope)
            if self._under_way >= AT_ONCE:
                raise busy()
        except RefusedError as refusal:
            await response(refusal)(scope, receive, send)
            return
        except TercetError as error:
            # Its words name a file of the home, and whoever asks has shown no token.
            log_event("tokens cannot be used", error=type(error).__name__)
            await response(no_tokens())(scope, receive, send)
            return
        scope["tercet.grant"] = grant
        self._under_way += 1
        self._metrics.under_way.inc()
        try:
            await self._app(scope, receive, send)
        finally:
            self._under_way -= 1
            self._metrics.under_way.dec()

    def _admitted(self, scope: Scope) -> Grant | None:
        headers = Headers(scope=scope)
        if not self._addresses.knows(headers.get("host", "")):
            msg = "This service is not known by that name: ask it by its own address, or start it with --allow-host."
            raise RefusedError(421, "HostRefusedError", msg)
        origin = headers.get("origin")
        if origin is not None and not self._addresses.knows_origin(origin):
            msg = "Pages of other sites may not ask this service."
            raise RefusedError(403, "OriginRefusedError", msg)
        path: str = scope["path"]
        if path in PUBLIC:
            return None
        if path in ("/", PREFIX) or path.startswith(f"{PREFIX}/"):
            # Pages take the cookie alone, and nothing but pages takes it: a request that some page makes a
            # browser send reaches no operation. Who is not signed in is sent to the sign-in by each page.
            return self._sign_ins.grant_of(headers)
        scheme, _, token = headers.get("authorization", "").partition(" ")
        grant = self._tokens.grant_of(token.strip()) if scheme.lower() == "bearer" else None
        if grant is None:
            raise unauthorised()
        return grant

    def _note(self, scope: Scope, status: int, seconds: float) -> None:
        # The pattern of the route: a path may name an entry, a query may hold words.
        route = scope.get("tercet.route", "/mcp" if scope["path"] == "/mcp" else "other")
        grant = scope.get("tercet.grant")
        method = scope["method"] if scope["method"] in _METHODS else "other"
        self._metrics.answered(route, method, status, seconds)
        fields = {
            "route": route,
            "method": method,
            "status": status,
            "ms": round(seconds * 1000, 1),
            "token": grant.name if grant else None,
        }
        ACCESS.info("request", extra={"fields": fields})


_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
