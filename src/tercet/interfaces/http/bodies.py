"""What a client sends: no larger and no slower than allowed."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from starlette.requests import Request

from tercet.interfaces.http.refusals import RefusedError, response

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

MAX_BODY_BYTES = 4 * 1024 * 1024
MOST_READ_BYTES = 4 * MAX_BODY_BYTES
"""So much is read of a body, and what is too much of it forgotten: an answer in the middle of a body is
lost with the connection, and the client never learns why."""
BODY_S = 10.0
"""How long a client may take to send what it asks."""


async def read_body(request: Request, within_s: float = BODY_S) -> bytes:
    """Read a whole body.

    Raises:
        RefusedError: 408, it is not there ``within_s`` seconds; 413, it is larger than ``MAX_BODY_BYTES``.
        ClientDisconnect: the client has gone.
    """
    received, size = bytearray(), 0
    try:
        async with asyncio.timeout(within_s):
            async for part in request.stream():
                size += len(part)
                if size > MOST_READ_BYTES:
                    raise _too_large()
                if size <= MAX_BODY_BYTES:
                    received += part
    except TimeoutError as error:
        msg = f"The body did not arrive within {within_s:g} s: send it at once."
        raise RefusedError(408, "DeadlineError", msg, {"Connection": "close"}) from error
    if size > MAX_BODY_BYTES:
        raise _too_large()
    return bytes(received)


class WholeBody:
    """ASGI middleware for routes of others: they are asked once the body is there, within the same limits."""

    def __init__(
        self, app: ASGIApp, *, paths: frozenset[str], below: str | None = None, within_s: float = BODY_S
    ) -> None:
        """Stand before an application: before these paths and all that begin with ``below``."""
        self._app = app
        self._paths = paths
        self._below = below
        self._within_s = within_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Read the body of a POST, then let the application answer."""
        if scope["type"] != "http" or scope["method"] != "POST" or not self._is_theirs(scope["path"]):
            await self._app(scope, receive, send)
            return
        try:
            body = await read_body(Request(scope, receive), self._within_s)
        except RefusedError as refusal:
            await response(refusal)(scope, receive, send)
            return
        await self._app(scope, _told_first(body, receive), send)

    def _is_theirs(self, path: str) -> bool:
        return path in self._paths or (self._below is not None and path.startswith(self._below))


def _told_first(body: bytes, receive: Receive) -> Receive:
    """Return a ``receive`` that tells the body, and then what the client does."""
    told = False

    async def receive_told() -> Message:
        nonlocal told
        if told:
            return await receive()
        told = True
        return {"type": "http.request", "body": body, "more_body": False}

    return receive_told


def _too_large() -> RefusedError:
    msg = f"The body is larger than {MAX_BODY_BYTES} bytes: send less at a time."
    return RefusedError(413, "InvalidInputError", msg, {"Connection": "close"})
