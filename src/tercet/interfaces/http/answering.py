"""From a request to an operation and back: what was given is checked, what goes wrong is answered."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ValidationError
from starlette.responses import JSONResponse, Response

from tercet.errors import TercetError
from tercet.interfaces.http.bodies import read_body
from tercet.interfaces.http.logs import ACCESS
from tercet.interfaces.http.operations import Call
from tercet.interfaces.http.refusals import RefusedError, invalid, late, of_error, response, unexpected

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from starlette.requests import Request

    from tercet.interfaces.http.operations import Operation, Service

ANSWER_S = 60.0
"""How long an answer may take; searches have their own, shorter deadline."""


def endpoint(operation: Operation, service: Service) -> Callable[[Request], Awaitable[Response]]:
    """Return the endpoint of an operation."""

    async def answer(request: Request) -> Response:
        try:
            return await _answered(operation, service, request)
        except RefusedError as refusal:
            return response(refusal)
        except TercetError as error:
            return response(of_error(error))
        except Exception as error:  # noqa: BLE001 - a mistake of ours ends this request, not the service
            ACCESS.exception("unexpected error", extra={"fields": {"operation": operation.id}})
            return response(unexpected(error))

    return answer


async def _answered(operation: Operation, service: Service, request: Request) -> Response:
    given: BaseModel | None = None
    if operation.body is not None:
        given = _checked_body(operation.body, await _body(request))
    elif operation.query is not None:
        given = _checked_query(operation.query, request)
    call = Call(service, request.scope.get("tercet.grant"), request.path_params, given)  # type: ignore[arg-type] # the guard put it there
    try:
        async with asyncio.timeout(ANSWER_S):
            value = await operation.handle(call)
    except TimeoutError as error:
        if isinstance(error, TercetError):
            raise
        raise late(ANSWER_S) from error
    if isinstance(value, Response):
        return value
    return JSONResponse(value, status_code=operation.status)


async def _body(request: Request) -> bytes:
    """Read a body of JSON.

    Raises:
        RefusedError: 415; 408 and 413 as ``read_body``.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        msg = "The body must be JSON: send 'Content-Type: application/json'."
        raise RefusedError(415, "InvalidInputError", msg)
    return await read_body(request)


def _checked_body(model: type[BaseModel], body: bytes) -> BaseModel:
    try:
        return model.model_validate_json(body, strict=True)
    except ValidationError as error:
        raise invalid(error) from error


def _checked_query(model: type[BaseModel], request: Request) -> BaseModel:
    values: dict[str, Any] = {}
    for name, value in request.query_params.multi_items():
        if name in values:
            msg = f"{name}: it is given twice. See /openapi.json."
            raise RefusedError(400, "InvalidInputError", msg)
        values[name] = value
    try:
        return model.model_validate(values)
    except ValidationError as error:
        raise invalid(error) from error
