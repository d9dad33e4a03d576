"""How the service and the memory behind it are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from starlette.responses import Response

from tercet._version import __version__
from tercet.interfaces import wire, wire_shapes
from tercet.interfaces.http.operations import Call, Operation
from tercet.interfaces.http.requests import Given
from tercet.interfaces.inspector.rendering import page_url
from tercet.interfaces.inspector.sign_in import LINK_FOR

if TYPE_CHECKING:
    from collections.abc import Sequence

METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8"


async def _status(call: Call) -> dict[str, Any]:
    call.grant.refuse_if_bound("the status")
    whose = call.whose(call.of(Given))
    async with call.memory(whose) as memory:
        return wire.status_json(await memory.status())


async def _health(call: Call) -> dict[str, Any]:
    return {"ok": True, "service": "tercet", "version": __version__, "instance": call.service.instance}


async def _sign_in_link(call: Call) -> dict[str, Any]:
    path = page_url("sign-in", code=call.service.sign_ins.link(call.grant.token), agent=call.of(Given).agent)
    return {"path": path, "seconds": int(LINK_FOR.total_seconds())}


async def _metrics(call: Call) -> Response:
    call.grant.refuse_if_bound("the metrics")
    return Response(call.service.metrics.text(), headers={"Content-Type": METRICS_TYPE})


OPERATIONS: Sequence[Operation] = (
    Operation(
        "status",
        "GET",
        "/v1/status",
        "Return settings with their origins, sizes and health.",
        _status,
        wire_shapes.StatusShape,
        query=Given,
    ),
    Operation(
        "createSignInLink",
        "POST",
        "/v1/inspector/links",
        "Return a link that opens the inspector in one browser, signed in with this token.",
        _sign_in_link,
        wire_shapes.SignInLinkShape,
        body=Given,
    ),
    Operation(
        "health",
        "GET",
        "/healthz",
        "Say that the service answers.",
        _health,
        wire_shapes.HealthShape,
        is_public=True,
    ),
    Operation(
        "metrics",
        "GET",
        "/metrics",
        "Return what the service counts, for Prometheus.",
        _metrics,
        None,
        media_type="text/plain",
    ),
)
