"""Every setting of capture, recall and identity acts."""

from __future__ import annotations

from contextlib import asynccontextmanager

import pytest

from tercet.app import build_async
from tercet.config import load_settings
from tercet.errors import ConfigurationError, IdentityError
from tercet.model import Message, Turn

KEY = "telegram:1"
CHAT = "Is the bus late again? I prefer oolong tea. I love the sea. I like quails."


@asynccontextmanager
async def opened(home, **settings):
    memory = await build_async(load_settings({"home": str(home), "embedding": {"provider": "none"}, **settings}))
    try:
        yield memory
    finally:
        await memory.close()


async def told(memory, text=CHAT):
    await memory.agent_end(Turn(KEY, (Message("user", text, id="1"),)))
    await memory.flush()
    return [entry.text for entry in await memory.list_entries(KEY)]


async def test_enabled(home):
    async with opened(home, capture={"enabled": False}) as memory:
        assert await told(memory) == []
        _, report = await memory.capture(['{"role": "user", "content": "I prefer tea"}'], KEY)
        assert report.kept == 0


async def test_select(home):
    async with opened(home) as memory:
        assert not any("the bus" in text for text in await told(memory))
    async with opened(home / "all", capture={"select": "all"}) as memory:
        assert any("the bus" in text for text in await told(memory))


async def test_max_per_turn(home):
    async with opened(home, capture={"max_per_turn": 1}) as memory:
        assert len(await told(memory)) == 1


async def test_budget_and_placement(home):
    async with opened(home, recall={"budget_tokens": 70, "placement": "system"}) as memory:
        await told(memory)
        made = await memory.recall("oolong tea, the sea or quails", KEY)
        assert 0 < made.tokens <= 70
        assert made.placement == "system"
        assert (await memory.recall("oolong tea, the sea or quails", KEY, budget_tokens=1000)).tokens > made.tokens


async def test_min_score(home):
    async with opened(home, recall={"min_score": 1.0}) as memory:
        await told(memory)
        assert (await memory.recall("oolong tea", KEY)).skipped_reason == "nothing_relevant"


async def test_deadline(home, monkeypatch):
    import asyncio

    from tercet.layers.semantic.layer import SemanticLayer

    async def hang(*_):
        await asyncio.Event().wait()

    async with opened(home, recall={"deadline_s": 0.05}) as memory:
        await told(memory)
        monkeypatch.setattr(SemanticLayer, "search", hang)
        made = await memory.recall("oolong tea", KEY)
        assert made.text == ""
        assert "did not answer within 0.05 s" in made.degraded


async def test_links_of_the_settings(home):
    async with opened(home, identity={"links": {"owner": [KEY, "discord:2"]}}) as memory:
        await told(memory)
        assert await memory.list_entries("discord:2") != []
        assert await memory.links() == {"owner": ("discord:2", KEY)}
        await memory.link("owner", ["signal:3"])
        assert await memory.list_entries("signal:3") != []


@pytest.mark.parametrize(
    ("settings", "error"),
    [
        ({"identity": {"links": {"owner": ["discord:channel:1"]}}}, IdentityError),
        ({"identity": {"links": {"a": [KEY], "b": [KEY]}}}, IdentityError),
        ({"recall": {"shared_in_groups": ["agent:main"]}}, IdentityError),
        ({"recall": {"placement": "elsewhere"}}, ConfigurationError),
        ({"capture": {"select": "some"}}, ConfigurationError),
    ],
)
async def test_a_wrong_value_is_refused(home, settings, error):
    with pytest.raises(error):
        async with opened(home, **settings):
            pass
