"""A database that goes away: what is asked is refused in one line, what is told waits and is taken in later."""

from __future__ import annotations

import json
from contextlib import asynccontextmanager

import pytest

from tercet import Message, Turn, build_async, load_settings
from tercet.adapters.postgres.database import Database
from tercet.errors import LedgerBusyError
from tercet.testing.postgres_server import SERVICE_PASSWORD

ANNA = "telegram:1"
BEFORE, MEANWHILE = "I am allergic to penicillin", "I like the quail of Ostend"


@pytest.fixture
def server(own_postgres_server, monkeypatch):
    """A server to stop; who waits for a connection gives up sooner than in life."""
    monkeypatch.setitem(Database.__init__.__kwdefaults__, "wait_s", 1.0)
    return own_postgres_server


@asynccontextmanager
async def opened(home, server):
    given = {"home": str(home), "store": {"url": server.url}, "embedding": {"provider": "none"}}
    memory = await build_async(load_settings(given))
    try:
        yield memory
    finally:
        await memory.close()


def turn(text):
    return Turn(ANNA, (Message("user", text, id=f"m{len(text)}"),))


async def listed(memory):
    return sorted(entry.text for entry in await memory.list_entries(ANNA))


async def test_a_running_memory_outlives_its_database(server, home, notes):
    async with opened(home, server) as memory:
        await memory.index([str(notes)])
        await memory.agent_end(turn(BEFORE))
        await memory.flush()
        server.stop("immediate")
        with pytest.raises(LedgerBusyError, match="Check that the server runs") as refused:
            await memory.search("penicillin", session_key=ANNA)
        assert "\n" not in str(refused.value)
        assert SERVICE_PASSWORD not in str(refused.value)
        await memory.agent_end(turn(MEANWHILE))
        server.resume()
        await memory.flush()
        assert await listed(memory) == [BEFORE, MEANWHILE]
        for text in (BEFORE, MEANWHILE):
            found = await memory.search(text, session_key=ANNA)
            assert text in [hit.passage.text for hit in found]
            assert found.degraded is None
        assert [found for found in await memory.diagnose() if found.verdict == "problem"] == []
        assert list((home / "spool").rglob("*.json")) == []


async def test_what_is_told_to_a_memory_that_then_ends_is_taken_in_by_the_next(server, home):
    async with opened(home, server) as memory:
        server.stop("immediate")
        await memory.agent_end(turn(MEANWHILE))
    server.resume()
    async with opened(home, server) as memory:
        await memory.flush()
        await memory.flush()
        assert await listed(memory) == [MEANWHILE]


@pytest.mark.parametrize(
    "command", [("search", "penicillin"), ("list",), ("remember", BEFORE), ("index",), ("status",), ("doctor",)]
)
def test_a_command_says_so_in_one_line_and_ends_with_1(server, tercet, command):
    tercet.environment |= {"TERCET_STORE__URL": server.url}
    assert tercet("list").code == 0
    server.stop("immediate")
    ran = tercet(*command)
    assert (ran.code, ran.out) == (1, "")
    assert len(ran.err.strip().splitlines()) == 1
    assert "127.0.0.1" in ran.err
    assert "Check that the server runs" in ran.err
    assert SERVICE_PASSWORD not in ran.err


def test_a_captured_transcript_may_be_captured_again_afterwards(server, tercet, tmp_path):
    tercet.environment |= {"TERCET_STORE__URL": server.url}
    said = tmp_path / "said.jsonl"
    said.write_text(json.dumps({"role": "user", "content": BEFORE}) + "\n", "utf-8")
    assert tercet("list").code == 0
    server.stop("immediate")
    assert tercet("capture", str(said), "--session", ANNA).code == 1
    server.resume()
    for _ in range(2):
        assert tercet("capture", str(said), "--session", ANNA).code == 0
    assert [entry["text"] for entry in tercet("list", "--session", ANNA, "--json").json["entries"]] == [BEFORE]
