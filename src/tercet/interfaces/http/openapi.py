"""The OpenAPI document of the service, made from the same table as its routes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pydantic.json_schema import models_json_schema

from tercet._version import __version__
from tercet.interfaces.wire_shapes import ErrorShape

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pydantic import BaseModel

    from tercet.interfaces.http.operations import Operation

_REF = "#/components/schemas/{model}"
_COMMON = {
    "400": "The request is not as documented, or asks for what cannot be.",
    "401": "The token is missing or wrong.",
    "403": "The token is bound to another agent or session, or a foreign page asks.",
    "421": "The service is not known by that name.",
    "500": "A setting or a store is wrong; the message has the mend.",
    "503": "A part is down, busy or late; 'Retry-After' says when to try again.",
}
_OF_BODY = {
    "408": "The body came too slowly.",
    "413": "The body is too large.",
    "415": "The body is no JSON.",
}
_CONFLICT = {"409": "The note was changed meanwhile; nothing was written."}
_NOT_FOUND = {"404": "There is no such thing in reach."}
_PATH_PARAMETER = re.compile(r"\{(\w+)\}")


def document(operations: Sequence[Operation]) -> dict[str, Any]:
    """Return the document."""
    requests: list[type[BaseModel]] = [each.body for each in operations if each.body]
    answers: list[type[BaseModel]] = [each.answer for each in operations if each.answer]
    _, validated = models_json_schema([(model, "validation") for model in _once(requests)], ref_template=_REF)
    _, serialised = models_json_schema(
        [(model, "serialization") for model in _once([*answers, ErrorShape])], ref_template=_REF
    )
    paths: dict[str, dict[str, Any]] = {}
    for operation in operations:
        paths.setdefault(operation.path, {})[operation.method.lower()] = _described(operation)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Tercet",
            "version": __version__,
            "description": "Long-term memory for AI agents. MCP speaks at /mcp (streamable HTTP), with the same token.",
        },
        "paths": paths,
        "components": {
            "schemas": {**validated.get("$defs", {}), **serialised.get("$defs", {})},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"token": []}],
    }


def _once(models: Sequence[type[BaseModel]]) -> list[type[BaseModel]]:
    return list(dict.fromkeys(models))


def _described(operation: Operation) -> dict[str, Any]:
    refused = dict(_COMMON)
    if operation.body is not None:
        refused |= _OF_BODY
    if operation.path.startswith(("/v1/memories/", "/v1/files", "/v1/wiki", "/v1/crossref")):
        refused |= _NOT_FOUND
    if operation.path.startswith("/v1/wiki"):
        refused |= _CONFLICT
    content = {operation.media_type: {"schema": _schema(operation.answer)}}
    described: dict[str, Any] = {
        "operationId": operation.id,
        "summary": operation.summary,
        "responses": {
            str(operation.status): {"description": "The answer.", "content": content},
            **{status: _refusal(text) for status, text in refused.items()},
        },
    }
    if operation.is_public:
        described["security"] = []
    if parameters := [*_path_parameters(operation.path), *_query_parameters(operation.query)]:
        described["parameters"] = parameters
    if operation.body is not None:
        described["requestBody"] = {
            "required": True,
            "content": {"application/json": {"schema": _schema(operation.body)}},
        }
    return described


def _schema(model: type[BaseModel] | None) -> dict[str, Any]:
    return {"type": "string"} if model is None else {"$ref": _REF.format(model=model.__name__)}


def _refusal(text: str) -> dict[str, Any]:
    return {"description": text, "content": {"application/json": {"schema": _schema(ErrorShape)}}}


def _path_parameters(path: str) -> list[dict[str, Any]]:
    schema = {"type": "string", "minLength": 1}
    return [{"name": name, "in": "path", "required": True, "schema": schema} for name in _PATH_PARAMETER.findall(path)]


def _query_parameters(model: type[BaseModel] | None) -> list[dict[str, Any]]:
    if model is None:
        return []
    schema = model.model_json_schema()
    required = schema.get("required", [])
    return [
        {"name": name, "in": "query", "required": name in required, "schema": _without_null(given)}
        for name, given in schema.get("properties", {}).items()
    ]


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a parameter: what is left out is absent, never null."""
    choices = [each for each in schema.get("anyOf", []) if each.get("type") != "null"]
    if len(choices) != 1:
        return schema
    rest = {name: value for name, value in schema.items() if name not in {"anyOf", "default", "title"}}
    return {**choices[0], **rest}
