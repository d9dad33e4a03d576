"""A call over HTTP that is given up stops its work, and the server goes on answering."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager

import anyio
import pytest
import uvicorn
from mcp import Client
from starlette.applications import Starlette

from tercet.interfaces.grants import Grant
from tercet.interfaces.mcp.over_http import mcp_over_http
from tercet.model import SearchResult


class SlowSource:
    """A memory whose first search hangs until it is given up."""

    default_agent = "main"

    def __init__(self):
        self.begun, self.given_up = asyncio.Event(), asyncio.Event()

    @asynccontextmanager
    async def lend(self, agent):
        yield self

    async def search(self, *_, **__):
        if self.begun.is_set():
            return SearchResult([])
        self.begun.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.given_up.set()
            raise


class Known:
    """Middleware that says who asks, as the guard of the service does."""

    def __init__(self, app):
        self.app = app

    async def __call__(self, scope, receive, send):
        scope["tercet.grant"] = Grant("test", "")
        await self.app(scope, receive, send)


@asynccontextmanager
async def serving(source):
    routes, running = mcp_over_http(source)

    @asynccontextmanager
    async def lifespan(_):
        async with running():
            yield

    config = uvicorn.Config(
        Known(Starlette(routes=routes, lifespan=lifespan)), port=0, log_config=None, ws="none", lifespan="on"
    )
    server = uvicorn.Server(config)
    task = asyncio.create_task(server._serve())
    while not server.started:  # noqa: ASYNC110 - uvicorn has no event for it
        await asyncio.sleep(0)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}/mcp"
    server.should_exit = True
    await task


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_search_given_up_over_http_stops(mode):
    source = SlowSource()
    async with serving(source) as url, Client(url, mode=mode) as client:
        async with anyio.create_task_group() as group:
            group.start_soon(client.call_tool, "memory_search", {"query": "x"})
            with anyio.fail_after(20):
                await source.begun.wait()
            group.cancel_scope.cancel()
        with anyio.fail_after(20):
            await source.given_up.wait()
        result = await client.call_tool("memory_search", {"query": "x"})
        assert "Nothing was found" in result.content[0].text
