"""Bodies that come too slowly, too large, or whole: before routes of others too."""

from __future__ import annotations

import asyncio
import json

import pytest
from starlette.requests import Request
from starlette.responses import Response

from tercet.interfaces.http.bodies import MAX_BODY_BYTES, WholeBody


async def echo(scope, receive, send):
    await Response(await Request(scope, receive).body())(scope, receive, send)


async def asked(parts, *, path="/mcp", method="POST", limit_s=30.0):
    """Send parts of a body, None for one that never comes; return status and content."""
    left, sent = list(parts), []

    async def receive():
        part = left.pop(0)
        if part is None:
            await asyncio.Event().wait()
        return {"type": "http.request", "body": part, "more_body": bool(left)}

    async def send(message):
        sent.append(message)

    scope = {"type": "http", "method": method, "path": path, "headers": [], "query_string": b""}
    await WholeBody(echo, paths=frozenset({"/mcp"}), within_s=limit_s)(scope, receive, send)
    return sent[0]["status"], b"".join(each.get("body", b"") for each in sent[1:])


async def test_a_body_in_parts_arrives_whole():
    assert await asked([b"one ", b"two ", b""]) == (200, b"one two ")


async def test_a_body_that_does_not_come_is_refused_in_time():
    status, content = await asked([b"{", None], limit_s=0.01)
    assert (status, json.loads(content)["error"]["type"]) == (408, "DeadlineError")


@pytest.mark.parametrize("parts", [[b"x" * MAX_BODY_BYTES, b"x"], [b"x" * MAX_BODY_BYTES] * 6])
async def test_a_body_too_large_is_refused(parts):
    status, content = await asked(parts)
    assert (status, json.loads(content)["error"]["type"]) == (413, "InvalidInputError")


async def test_other_paths_and_what_has_no_body_pass_as_they_are():
    assert await asked([b"x" * MAX_BODY_BYTES, b"x"], path="/v1/search") == (200, b"x" * (MAX_BODY_BYTES + 1))
    assert await asked([b""], method="GET") == (200, b"")


def test_the_service_reads_a_body_for_mcp_with_its_own_limits(service):
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    answer = service.ask("POST", "/mcp", content=b"x" * (MAX_BODY_BYTES + 1), headers=headers)
    assert (answer.status_code, answer.json()["error"]["type"]) == (413, "InvalidInputError")
