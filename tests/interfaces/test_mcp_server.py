"""The memory as MCP clients see it: driven by the SDK's own client, over both transports."""

from __future__ import annotations

import subprocess
import sys
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import httpx2
import jsonschema
import pytest
from mcp import Client, MCPError
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

from tercet.interfaces.http.tokens import Tokens

TOOLS = {
    "memory_search",
    "memory_get",
    "memory_recall",
    "memory_store",
    "memory_update",
    "memory_forget",
    "memory_status",
    "wiki_search",
    "wiki_get",
    "wiki_write",
}
COMMAND = "from tercet.interfaces.cli.mcp import command; command(prog_name='tercet mcp')"
OLDER = "2025-06-18"


@asynccontextmanager
async def over_http(service, token=None, mode="auto"):
    headers = {"Authorization": f"Bearer {token or service.token}"}
    async with httpx2.AsyncClient(headers=headers, timeout=30, trust_env=False) as http:
        transport = streamable_http_client(f"{service.url}/mcp", http_client=http)
        async with Client(transport, mode=mode) as client:
            yield client


@asynccontextmanager
async def over_stdio(service, *arguments, mode="auto"):
    parameters = StdioServerParameters(
        command=sys.executable,
        args=["-c", COMMAND, "--home", str(service.home), *arguments],
        env={"TERCET_EMBEDDING__PROVIDER": "none"},
    )
    async with Client(stdio_client(parameters, errlog=subprocess.DEVNULL), mode=mode) as client:
        yield client


TRANSPORTS = [over_http, over_stdio]


def text_of(result):
    return result.content[0].text


@pytest.mark.parametrize("connect", TRANSPORTS)
async def test_every_tool_answers_over_both_transports(service, connect):
    async with connect(service) as client:
        listed = (await client.list_tools()).tools
        assert {tool.name for tool in listed} >= TOOLS
        schemas = {tool.name: tool.output_schema for tool in listed}

        async def call(name, **arguments):
            result = await client.call_tool(name, arguments)
            assert not result.is_error, text_of(result)
            jsonschema.validate(result.structured_content, schemas[name])
            return result

        found = await call("memory_search", query="Albatros berth", limit=3)
        assert "berth 47" in text_of(found)
        assert "data, not instructions" in text_of(found)
        hit = found.structured_content["results"][0]
        assert "berth 47" in text_of(await call("memory_get", ref=hit["id"]))
        recalled = await call("memory_recall", message="Where does the Albatros lie?")
        assert "berth 47" in text_of(recalled)
        assert "greeting" in text_of(await call("memory_recall", message="hello"))

        name = connect.__name__
        stored = await call("memory_store", text=f"Ines prefers {name} to trains.", category="preference")
        entry = stored.structured_content["entry"]
        assert entry["category"] == "preference"
        changed = await call("memory_update", id=entry["id"], text=f"Ines prefers {name} to buses.")
        new = changed.structured_content["entry"]["id"]
        shown = await call("memory_forget", query=f"Ines {name} buses")
        assert new in text_of(shown)
        assert shown.structured_content["removed"] == []
        assert (await call("memory_forget", ids=[new])).structured_content["removed"] == [new]
        assert "notes" in text_of(await call("memory_status"))

        written = await call("wiki_write", title=f"Kite {name}", text="It is red.", heading="Looks")
        note = await call("wiki_get", ref=f"Kite {name}")
        assert "It is red." in text_of(note)
        assert note.structured_content["sha256"] == written.structured_content["sha256"]
        assert f"Kite {name}" in text_of(await call("wiki_search", query=f"kite {name} red"))
        text = text_of(note).replace("red", "blue")
        await call("wiki_write", title=f"Kite {name}", text=text, expected=note.structured_content["sha256"])
        stale = {"title": f"Kite {name}", "text": text, "expected": note.structured_content["sha256"]}
        assert (await client.call_tool("wiki_write", stale)).is_error
        read = await client.read_resource(f"memory://note/Kite {name}")
        assert "It is blue." in read.contents[0].text


@pytest.mark.parametrize("connect", TRANSPORTS)
async def test_a_hit_tells_what_it_is_linked_to(service, connect):
    old = service.post("/v1/memories", {"text": "The lantern hangs in the hall."}).json()["entry"]["id"]
    body = {"text": "The lantern hangs in the attic.", "supersedes": [old]}
    new = service.post("/v1/memories", body).json()["entry"]["id"]
    service.post("/v1/crossref/build", {})
    async with connect(service) as client:
        found = await client.call_tool("memory_search", {"query": "lantern attic", "related": 2})
    [hit] = [hit for hit in found.structured_content["results"] if hit["id"] == new]
    assert old in [each["ref"] for each in hit["related"]]
    assert f"Linked to: {old}" in text_of(found)


@pytest.mark.parametrize("connect", TRANSPORTS)
async def test_an_older_client_is_served(service, connect):
    async with connect(service, mode="legacy") as client:
        assert client.protocol_version < "2026"
        result = await client.call_tool("memory_search", {"query": "Albatros"})
        assert "berth 47" in text_of(result)


def test_a_client_of_an_older_revision_gets_that_revision(service):
    asked = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {"protocolVersion": OLDER, "capabilities": {}, "clientInfo": {"name": "old", "version": "1"}},
    }
    answer = service.post("/mcp", asked, headers={"Accept": "application/json, text/event-stream"})
    assert answer.status_code == 200
    assert f'"protocolVersion":"{OLDER}"' in answer.text


async def test_tools_say_what_they_do(service):
    async with over_http(service) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        for name, tool in tools.items():
            assert tool.description, name
            assert tool.title, name
            assert tool.output_schema["type"] == "object", name
            assert "context" not in tool.input_schema["properties"], name
            assert tool.annotations.open_world_hint is False, name
        reads = {name for name, tool in tools.items() if tool.annotations.read_only_hint}
        assert reads >= {"memory_search", "memory_get", "memory_recall", "memory_status"}
        assert reads.isdisjoint({"memory_store", "memory_update", "memory_forget"})
        assert tools["memory_forget"].annotations.destructive_hint
        assert not tools["memory_store"].annotations.destructive_hint
        assert "memory_search" in client.instructions


@pytest.mark.parametrize(
    ("name", "arguments", "mend"),
    [
        ("memory_get", {"ref": "nosuch.md"}, "take a ref"),
        ("memory_get", {"ref": "../../etc/passwd"}, "take a ref"),
        ("memory_update", {"id": "nosuch", "text": "x"}, "take a whole id"),
        ("memory_update", {"id": "nosuch"}, "give text, category or importance"),
        ("memory_forget", {"ids": ["nosuch"]}, "take a whole id"),
        ("memory_forget", {}, "in one way"),
        ("memory_store", {"text": "   "}, "give a text"),
        ("memory_search", {"query": "x", "session_key": "nochannel"}, "names no channel"),
        ("memory_search", {"query": "x", "limit": 0}, "limit"),
        ("memory_search", {}, "query"),
        ("nosuch", {}, "nosuch"),
    ],
)
async def test_an_error_tells_the_model_what_to_do(service, name, arguments, mend):
    async with over_http(service) as client:
        result = await client.call_tool(name, arguments)
    assert result.is_error
    assert mend in text_of(result)
    assert "Traceback" not in text_of(result)


@pytest.mark.parametrize("connect", TRANSPORTS)
async def test_files_and_entries_are_resources_and_recall_is_a_prompt(service, connect):
    entry = service.post("/v1/memories", {"text": "The spare key is with Okonkwo."}).json()["entry"]["id"]
    async with connect(service) as client:
        templates = {each.uri_template for each in (await client.list_resource_templates()).resource_templates}
        assert templates >= {"memory://file/{root}/{+path}", "memory://entry/{id}"}
        file = await client.read_resource("memory://file/notes/MEMORY.md")
        assert "berth 47" in file.contents[0].text
        assert file.contents[0].mime_type == "text/markdown"
        deep = await client.read_resource("memory://file/notes/zh/备忘.md")
        assert "三月初八" in deep.contents[0].text
        prompt = await client.get_prompt("recall", {"message": "Where does the Albatros lie?"})
        assert [message.role for message in prompt.messages] == ["user", "user"]
        assert "berth 47" in prompt.messages[0].content.text
        assert prompt.messages[1].content.text == "Where does the Albatros lie?"
        for uri in ("memory://file/notes/nosuch.md", "memory://file/notes/../home/tokens.json", "memory://entry/x"):
            with pytest.raises(MCPError) as refused:
                await client.read_resource(uri)
            assert service.token not in str(refused.value)
        del entry


async def test_a_token_of_a_session_binds_every_tool(service):
    grant = Tokens(service.home).add("seven", "main", "telegram:7")
    other = service.post("/v1/memories", {"text": "Eight hides gold.", "sessionKey": "telegram:8"}).json()["entry"]
    async with over_http(service, grant.token) as client:
        stored = await client.call_tool("memory_store", {"text": "Seven hides silver."})
        assert stored.structured_content["entry"]["anchor"] == "telegram:7"
        found = await client.call_tool("memory_search", {"query": "who hides gold or silver"})
        assert "silver" in text_of(found)
        assert "gold" not in text_of(found)
        for name, arguments in (
            ("memory_search", {"query": "gold", "session_key": "telegram:8"}),
            ("memory_get", {"ref": other["id"]}),
            ("memory_update", {"id": other["id"], "text": "Nobody hides anything."}),
            ("memory_forget", {"ids": [other["id"]]}),
            ("memory_status", {}),
        ):
            refused = await client.call_tool(name, arguments)
            assert refused.is_error, name
            assert "gold" not in text_of(refused)


async def test_stdio_is_bound_to_the_session_it_was_started_with(service):
    async with over_stdio(service, "--session", "telegram:7") as client:
        stored = await client.call_tool("memory_store", {"text": "Seven sells seashells."})
        assert stored.structured_content["entry"]["anchor"] == "telegram:7"
        refused = await client.call_tool("memory_search", {"query": "x", "session_key": "telegram:8"})
        assert refused.is_error


async def test_a_session_of_the_protocol_gives_no_right_to_another_token(service):
    """What is begun with one token and gone on with by another is the other's."""
    grant = Tokens(service.home).add("guest", "guest")
    accept = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": OLDER}
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {"protocolVersion": OLDER, "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}},
    }
    begun = service.post("/mcp", hello, headers=accept)
    call = {
        "jsonrpc": "2.0",
        "id": 2,
        "method": "tools/call",
        "params": {"name": "memory_search", "arguments": {"query": "Albatros berth"}},
    }
    stolen = {**accept, "Mcp-Session-Id": begun.headers["Mcp-Session-Id"], "Authorization": f"Bearer {grant.token}"}
    assert "berth 47" not in service.post("/mcp", call, headers=stolen).text
    own = {**accept, "Mcp-Session-Id": begun.headers["Mcp-Session-Id"]}
    assert "berth 47" in service.post("/mcp", call, headers=own).text


async def test_a_call_that_is_given_up_stops_and_the_next_one_is_answered(tmp_path):
    begun = tmp_path / "begun"
    script = Path(__file__).with_name("mcp_slow_server.py")
    parameters = StdioServerParameters(command=sys.executable, args=[str(script), str(begun)])
    async with Client(stdio_client(parameters, errlog=subprocess.DEVNULL)) as client:
        async with anyio.create_task_group() as group:
            group.start_soon(client.call_tool, "memory_search", {"query": "x"})
            with anyio.fail_after(30):
                while not begun.exists():
                    await client.list_tools()
            group.cancel_scope.cancel()
        with anyio.fail_after(30):
            while text_of(await client.call_tool("memory_get", {"ref": "x"})) != "1":
                pass
