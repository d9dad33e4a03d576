"""The pages and their addresses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.routing import Route

from tercet.interfaces.inspector import (
    files_page,
    forgetting_page,
    graph_page,
    health_page,
    search_page,
    timeline_page,
)
from tercet.interfaces.inspector.assets import asset
from tercet.interfaces.inspector.rendering import moved, page_url, rendered
from tercet.interfaces.inspector.sign_in import PREFIX, SignIns, cookie_header
from tercet.interfaces.inspector.upkeep import Upkeep
from tercet.interfaces.inspector.visits import MemorySource, frame, is_htmx, visited

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from contextlib import AbstractAsyncContextManager

    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import BaseRoute

    from tercet.interfaces.inspector.visits import Visit

PAGES: Sequence[tuple[str, str, Callable[[Visit], Awaitable[Response]]]] = (
    *search_page.PAGES,
    *timeline_page.PAGES,
    *forgetting_page.PAGES,
    *files_page.PAGES,
    *graph_page.PAGES,
    *health_page.PAGES,
)
"""Method, path below ``/inspector/`` and handler; each stands behind ``visited``."""


def inspector(
    source: MemorySource, sign_ins: SignIns
) -> tuple[Sequence[BaseRoute], Callable[[], AbstractAsyncContextManager[None]]]:
    """Return the routes of the inspector, and what must run while they are served.

    Args:
        source: Where memories come from.
        sign_ins: Who is signed in; the guard asks it for the grant of each request.
    """
    pages, upkeep = _SignIn(sign_ins), Upkeep(source)
    routes = [
        Route("/", _home, methods=["GET"]),
        Route(PREFIX, _home, methods=["GET"]),
        Route(f"{PREFIX}/", _home, methods=["GET"]),
        Route(f"{PREFIX}/assets/{{name}}", asset, methods=["GET"]),
        Route(f"{PREFIX}/sign-in", pages.show, methods=["GET"]),
        Route(f"{PREFIX}/sign-in", pages.enter, methods=["POST"]),
        Route(f"{PREFIX}/sign-out", pages.leave, methods=["POST"]),
        *(
            Route(f"{PREFIX}/{path}", visited(source, upkeep, handle), methods=[method])
            for method, path, handle in PAGES
        ),
    ]
    return routes, upkeep.running


async def _home(_: Request) -> Response:
    return moved(page_url("search"))


class _SignIn:
    """The page on which a browser shows its token."""

    def __init__(self, sign_ins: SignIns) -> None:
        self._sign_ins = sign_ins

    async def show(self, request: Request) -> Response:
        """Ask for the token; a one-time code in the address is one."""
        code = request.query_params.get("code")
        if code is None or request.method == "HEAD":  # whoever only looks ahead does not use a link up
            return self._asked(request)
        cookie = self._sign_ins.by_code(code)
        if cookie is None:
            return self._asked(request, "This link was used already or is too old: 'tercet inspect' makes another.")
        return _entered(request, cookie, request.query_params.get("agent"))

    async def enter(self, request: Request) -> Response:
        """Take the token of the form."""
        if "origin" not in request.headers:
            return self._asked(request, "Send the form from this page.")
        form = await request.form(max_files=0, max_fields=2)
        token = form.get("token")
        cookie = self._sign_ins.by_token(token.strip()) if isinstance(token, str) else None
        if cookie is None:
            return self._asked(request, "This is no token of the service: they lie in tokens.json of its home.")
        return _entered(request, cookie)

    async def leave(self, request: Request) -> Response:
        """Sign the browser out."""
        if "origin" in request.headers:
            self._sign_ins.sign_out(request.headers)
        return moved(page_url("sign-in"), is_htmx=is_htmx(request), headers={"Set-Cookie": cookie_header("")})

    def _asked(self, request: Request, problem: str = "") -> Response:
        values = {**frame(request, None, None, "sign-in"), "problem": problem}
        return rendered("sign_in.html", values, status=403 if problem else 200)


def _entered(request: Request, cookie: str, agent: str | None = None) -> Response:
    return moved(
        page_url("search", agent=agent), is_htmx=is_htmx(request), headers={"Set-Cookie": cookie_header(cookie)}
    )
