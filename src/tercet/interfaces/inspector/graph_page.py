"""The graph of cross-references."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from starlette.responses import Response

    from tercet.interfaces.inspector.visits import Visit


async def _show(visit: Visit) -> Response:
    return visit.page("empty.html", here="graph")


PAGES: Sequence[tuple[str, str, Callable[[Visit], Awaitable[Response]]]] = (("GET", "graph", _show),)
