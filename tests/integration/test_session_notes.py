"""From conversations to lines of notes: each once, whoever writes, and gone with what is forgotten."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack

import pytest

from tercet import Message, Turn, build_async, load_settings

ANNA = "telegram:1"
SAID = ("My sister lives in Trondheim.", "My sister works at Statkraft.", "My sister's birthday is 4 May.")


class Home:
    """Memories of one home that search by words alone; conversations that name one topic."""

    def __init__(self, place):
        self.place = place
        self._stack = AsyncExitStack()

    async def memory(self):
        settings = load_settings({"home": str(self.place), "embedding": {"provider": "none"}})
        memory = await build_async(settings)
        self._stack.push_async_callback(memory.close)
        return memory

    async def told(self, memory, said=SAID, key=ANNA):
        for number, text in enumerate(said):
            await memory.agent_end(Turn(key, (Message("user", text, id=f"{key}{number}"), Message("assistant", "Ok."))))

    def note(self):
        (file,) = (self.place / "vault" / "main").rglob("*.md")
        return file

    async def close(self):
        await self._stack.aclose()


@pytest.fixture
async def home(tmp_path):
    home = Home(tmp_path)
    yield home
    await home.close()


async def test_two_that_extract_at_once_write_each_line_once(home):
    one, other = await home.memory(), await home.memory()
    await home.told(one)
    await asyncio.gather(one.session_flush(), other.session_flush(), one.session_flush())
    lines = home.note().read_text("utf-8").splitlines()
    assert [line for line in lines if line.startswith("- My")] == [f"- {text}" for text in SAID]
