"""The MCP server behind the service's guard, at ``/mcp`` (streamable HTTP)."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from mcp.server.transport_security import TransportSecuritySettings

from tercet.interfaces.mcp.server import build_server

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Sequence
    from contextlib import AbstractAsyncContextManager

    from starlette.routing import BaseRoute

    from tercet.interfaces.mcp.asking import MemorySource

PATH = "/mcp"


def mcp_over_http(source: MemorySource) -> tuple[Sequence[BaseRoute], Callable[[], AbstractAsyncContextManager[None]]]:
    """Return the routes of the server, and what must run while they are served.

    Host, Origin and token are the guard's matter; each request's grant lies in its scope.
    """
    server = build_server(source)
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )

    @asynccontextmanager
    async def running() -> AsyncGenerator[None]:
        async with server.session_manager.run():
            yield

    return app.routes, running
