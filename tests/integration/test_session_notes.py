"""From conversations to lines of notes: each once, whoever writes, and gone with what is forgotten."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack

import pytest

from tercet import Message, Turn, build_async, load_settings
from tercet.errors import VaultUnavailableError

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


@pytest.mark.parametrize("way", ["id", "session", "anchor"])
async def test_what_is_forgotten_leaves_the_note_that_was_made_of_it(home, way):
    memory = await home.memory()
    await home.told(memory)
    await memory.session_flush()
    note = home.note()
    note.write_text(note.read_text("utf-8") + f"\n## My own\n\n- {SAID[1]}\n", "utf-8")
    if way == "id":
        (entry,) = [entry for entry in await memory.list_entries(ANNA) if entry.text == SAID[1]]
        await memory.forget([entry.id])
        kept = [f"- {SAID[0]}", f"- {SAID[2]}", f"- {SAID[1]}"]
    else:
        await memory.forget(**{way: ANNA})
        kept = [f"- {SAID[1]}"]
    assert [line for line in note.read_text("utf-8").splitlines() if line.startswith("- My")] == kept
    assert ("## 20" in note.read_text("utf-8")) == (way == "id")
    assert SAID[1] not in (await memory.recall("Where does my sister work?", ANNA)).text.partition("My own")[0]


async def test_a_note_that_cannot_be_mended_is_said(home):
    memory = await home.memory()
    await home.told(memory)
    await memory.session_flush()
    assert await memory.wiki.search("sister", session_key=ANNA)
    vault = home.place / "vault" / "main"
    vault.rename(vault.with_name("away"))
    with pytest.raises(VaultUnavailableError, match="The entries are forgotten; what of them stands in notes is not"):
        await memory.forget(anchor=ANNA)
    assert await memory.list_entries(ANNA) == []
