"""What hooks and plug-ins spooled is taken in when the service runs, for every agent."""

from __future__ import annotations

import json
from contextlib import asynccontextmanager
from datetime import UTC, datetime

from tercet.adapters.spool import TurnSpool
from tercet.errors import TransientError
from tercet.interfaces.http.spooled import take_in_once
from tercet.model import Message, Turn

SAID = "My brother Pieter moved to Namur in May."
AT = datetime(2026, 5, 4, 9, tzinfo=UTC)


async def spool(home, agent):
    await TurnSpool(home / "spool" / agent).put(Turn(f"agent:{agent}:main", (Message("user", SAID, "m1", AT),)), AT)


async def test_a_service_that_starts_takes_in_what_waits_for_every_agent(home, start_service):
    for agent in ("main", "work"):
        await spool(home, agent)
    service = start_service(home)
    for agent in ("main", "work"):
        texts = []
        for _ in range(2000):  # it is worked in behind the requests
            listed = service.get("/v1/memories", params={"agent": agent, "sessionKey": f"agent:{agent}:main"}).json()
            texts = [entry["text"] for entry in listed["entries"]]
            if texts:
                break
        assert texts == [SAID], agent
        assert not list((home / "spool" / agent).iterdir())
    _, log = service.stop()
    assert "Pieter" not in json.dumps(log)


class Memory:
    def __init__(self, agent, flushed):
        self.agent, self.flushed = agent, flushed

    async def flush(self):
        if self.agent == "busy":
            raise TransientError("the ledger is busy")  # noqa: EM101, TRY003 - of the test
        self.flushed.append(self.agent)


class Pool:
    def __init__(self):
        self.flushed = []

    @asynccontextmanager
    async def lend(self, agent):
        yield Memory(agent, self.flushed)


async def test_one_agent_that_cannot_be_served_holds_up_no_other(tmp_path):
    for agent in ("busy", "main", "work"):
        await spool(tmp_path, agent)
    (tmp_path / "spool" / "idle").mkdir()
    pool = Pool()
    await take_in_once(pool, tmp_path)
    assert pool.flushed == ["main", "work"]
    await take_in_once(pool, tmp_path / "nowhere")
    assert pool.flushed == ["main", "work"]
