"""The service as an ASGI application."""

from __future__ import annotations

from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from tercet.interfaces.http import insight_routes, memory_routes, recall_routes, status_routes, wiki_routes
from tercet.interfaces.http.answering import endpoint
from tercet.interfaces.http.bodies import WholeBody
from tercet.interfaces.http.guard import Addresses, Guard
from tercet.interfaces.http.openapi import document
from tercet.interfaces.http.refusals import RefusedError, response
from tercet.interfaces.inspector.application import inspector
from tercet.interfaces.inspector.sign_in import PREFIX
from tercet.interfaces.inspector.visits import refusal_page

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
    from contextlib import AbstractAsyncContextManager

    from starlette.types import Receive, Scope, Send

    from tercet.interfaces.http.operations import Operation, Service
    from tercet.interfaces.http.tokens import Tokens

    Endpoint = Callable[[Request], Awaitable[Response]]

OPERATIONS: Sequence[Operation] = (
    *recall_routes.OPERATIONS,
    *memory_routes.OPERATIONS,
    *wiki_routes.OPERATIONS,
    *insight_routes.OPERATIONS,
    *status_routes.OPERATIONS,
)


def service_app(
    service: Service,
    tokens: Tokens,
    addresses: Addresses,
    *,
    routes: Sequence[BaseRoute] = (),
    running: Sequence[Callable[[], AbstractAsyncContextManager[None]]] = (),
) -> Starlette:
    """Return the application.

    Args:
        service: What the operations work with; its memories are closed when the application ends.
        tokens: Who may ask.
        addresses: Under which names it may be asked.
        routes: More routes behind the same guard, such as ``/mcp``.
        running: Entered when the application starts, left in reverse order before the memories are closed.
    """
    pages, upkeep = inspector(service.pool, service.sign_ins)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncGenerator[None]:
        async with AsyncExitStack() as stack:
            stack.push_async_callback(service.pool.close)
            for each in (upkeep, *running):
                await stack.enter_async_context(each())
            yield

    described = document(OPERATIONS)

    async def openapi(request: Request) -> Response:
        request.scope["tercet.route"] = "/openapi.json"
        return JSONResponse(described)

    app = Starlette(
        routes=[*_paths(OPERATIONS, service), Route("/openapi.json", openapi, methods=["GET"]), *pages, *routes],
        middleware=[
            Middleware(Guard, addresses=addresses, tokens=tokens, metrics=service.metrics, sign_ins=service.sign_ins),
            Middleware(
                WholeBody,
                paths=frozenset(route.path for route in routes if isinstance(route, Route)),
                below=f"{PREFIX}/",
            ),
        ],
        exception_handlers={HTTPException: _refused},
        lifespan=lifespan,
    )
    app.router.redirect_slashes = False
    return app


def _paths(operations: Sequence[Operation], service: Service) -> list[Route]:
    """Return one route a path: a method it does not have is told all of those that it has."""
    paths: dict[str, dict[str, Endpoint]] = {}
    for each in operations:
        paths.setdefault(each.path, {})[each.method] = endpoint(each, service)
    return [Route(path, _ByMethod(path, methods)) for path, methods in paths.items()]


class _ByMethod:
    """The application of one path."""

    def __init__(self, path: str, methods: Mapping[str, Endpoint]) -> None:
        self._path = path
        self._methods = methods

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope["tercet.route"] = self._path
        method = scope["method"]
        found = self._methods.get("GET" if method == "HEAD" else method)
        answer = await found(Request(scope, receive, send)) if found else self._refused(method)
        await answer(scope, receive, send)

    def _refused(self, method: str) -> Response:
        allowed = ", ".join(self._methods)
        msg = f"{method} is not possible here: use {allowed}."
        return response(RefusedError(405, "MethodRefusedError", msg, {"Allow": allowed}))


async def _refused(request: Request, error: Exception) -> Response:
    status, detail, headers = 500, "", None
    if isinstance(error, HTTPException):
        status, detail, headers = error.status_code, error.detail, error.headers
    if request.url.path.startswith(f"{PREFIX}/"):
        return refusal_page(request, status, detail)
    if status == 404:  # noqa: PLR2004 - the status of what is not there
        detail = "There is no such path: see /openapi.json."
    return response(RefusedError(status, "HttpError", detail, headers))
