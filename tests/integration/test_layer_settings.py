"""Every setting of extraction, notes and windows acts."""

from __future__ import annotations

from contextlib import asynccontextmanager

import pytest

from tercet.app import build_async
from tercet.config import load_settings
from tercet.model import Message, Turn
from tercet.testing.chat_server import ChatServer, fact, facts

KEY = "telegram:1"
TALK = "We talked for long about the tides of the estuary and how the old chart is wrong there. " * 4


@asynccontextmanager
async def opened(home, **settings):
    memory = await build_async(load_settings({"home": str(home), "embedding": {"provider": "none"}, **settings}))
    try:
        yield memory
    finally:
        await memory.close()


@pytest.fixture
def model():
    with ChatServer() as server:
        yield server


def asking(model, **more):
    return {"provider": "openai", "url": model.url, "model": "m", **more}


def turn(number, text=TALK):
    said = Message("user", f"{number}: {text}", f"u{number}"), Message("tool", "looked", f"t{number}")
    return Turn(KEY, (*said, Message("assistant", "I see.", f"a{number}")))


async def told(memory, text):
    await memory.agent_end(Turn(KEY, (Message("user", text, id="1"),)))
    await memory.flush()
    return [entry.text for entry in await memory.list_entries(KEY)]


async def test_extractor(home, model):
    """What the rules pass over a model may keep, and only where the setting says that it is asked."""
    model.script(facts(fact("The chart of the estuary is wrong.", 1)))
    async with opened(home, extraction=asking(model)) as memory:
        assert await told(memory, "The chart of the estuary is wrong.") == []
        assert model.posted() == []
    async with opened(home / "asked", extraction=asking(model), capture={"extractor": "model"}) as memory:
        assert await told(memory, "The chart of the estuary is wrong.") == ["The chart of the estuary is wrong."]


async def test_provider_url_model_key_and_size_of_an_answer(home, model):
    wanted = asking(model, api_key="sk-of-nobody", max_output_tokens=321)
    async with opened(home, extraction=wanted, capture={"extractor": "model"}) as memory:
        await told(memory, "I prefer oolong tea.")
        shown = {name: value for name, value, _ in (await memory.status()).settings}
    (asked,) = model.posted()
    assert (asked.body["model"], asked.body.get("max_tokens")) == ("m", 321)
    assert asked.authorization == "Bearer sk-of-nobody"
    assert shown["extraction.api_key"] == "********"


async def test_timeout(home, model):
    model.hold()
    wanted = asking(model, timeout_s=0.05)
    async with opened(home, extraction=wanted, capture={"extractor": "model"}) as memory:
        assert await told(memory, "I prefer oolong tea.") == ["I prefer oolong tea."]
        assert "rules" in (await memory.status()).capture.degraded
    model.release()


async def asked_about(home, model, **more):
    """Return the lines of each request that a session of twelve lines gave, and in how many stretches it was read."""
    async with opened(home, extraction=asking(model, **more)) as memory:
        for number in range(6):
            await memory.agent_end(turn(number))
        await memory.flush()
        report = await memory.session_flush(KEY)
    return [len(lines) for lines in model.conversations()], report.sessions


async def test_size_and_number_of_requests(home, model):
    assert await asked_about(home, model) == ([12], 1)
    del model.requests[:]
    requests, stretches = await asked_about(home / "pieces", model, max_input_tokens=500)
    assert (len(requests) > 1, max(requests) < 12, stretches) == (True, True, 1)
    del model.requests[:]
    requests, stretches = await asked_about(home / "one", model, max_input_tokens=500, max_requests=1)
    assert stretches == len(requests) > 1


async def test_vault(home, tmp_path):
    vault = tmp_path / "notes of mine"
    async with opened(home, wiki={"vault": str(vault)}) as memory:
        await memory.wiki.new("Estuary", body="The chart is wrong.")
    assert (vault / "Estuary.md").is_file()


@pytest.mark.parametrize(
    ("short", "fires"),
    [({}, True), ({"min_tokens": 10_000}, False), ({"min_tool_calls": 4}, False), ({"min_turns": 4}, False)],
)
async def test_thresholds(home, model, short, fires):
    gate = {"min_tokens": 50, "min_tool_calls": 3, "min_turns": 3, **short}
    async with opened(home, active=gate, extraction=asking(model)) as memory:
        for number in range(3):
            await memory.agent_end(turn(number))
    assert bool(model.posted()) is fires


@pytest.mark.parametrize(("tokens", "kept"), [(100, 1), (4000, 6)])
async def test_window_tokens(home, tokens, kept):
    async with opened(home, active={"window_tokens": tokens}) as memory:
        for number in range(3):
            await memory.agent_end(turn(number, TALK if number < 2 else "short"))
        await memory.flush()
        await memory.session_flush(KEY)
        await memory.agent_end(turn(3, "short"))
        (status,) = await memory.session_status(KEY)
    assert status.messages >= kept
    assert (status.messages < 8) is (tokens == 100)


async def test_recall_window(home):
    async with opened(home) as memory:
        await memory.agent_end(turn(1, "The ferry leaves at nine."))
        assert "ferry" not in (await memory.recall("and when does it come back?", KEY)).text
    async with opened(home, recall={"window": True}) as memory:
        made = await memory.recall("and when does it come back?", KEY)
    assert "- [user] 1: The ferry leaves at nine." in made.text
    assert made.skipped_reason is None
