"""Everything a memory does, the same whether it keeps things in a folder, a bucket or PostgreSQL."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from datetime import UTC, datetime

import pytest

from tercet import Message, Turn, build_async, load_settings
from tercet.model import SearchOptions
from tercet.testing.embedding_server import EmbeddingServer, hashed_words
from tercet.text.same_text import text_digest

pytestmark = pytest.mark.engines

ANNA, BEN = "telegram:1", "telegram:2"
BERTH = "where does the boat Albatros lie, at which berth"
TEACHER = "Lotte's piano teacher is called Hanne Dewulf."
SAID = ("My sister lives in Trondheim.", "My sister works at Statkraft.", "My sister's birthday is 4 May.")
FILES = 4
"""In the folder; each is one passage."""
BY_MEANING = SearchOptions(mode="vector", limit=1, min_score=0)


@pytest.fixture
def service():
    with EmbeddingServer(hashed_words(64)) as server:
        yield server


@pytest.fixture
async def open_memory(home, store, service):
    """Opens memories over one store: ``await open_memory()``."""

    async with AsyncExitStack() as closing:

        async def opened(model="m", **settings):
            embedding = {"provider": "openai", "url": f"{service.url}/v1", "model": model, "query_timeout_s": 10}
            given = {"home": str(home), "store": store, "embedding": embedding, **settings}
            memory = await build_async(load_settings(given))
            closing.push_async_callback(memory.close)
            return memory

        yield opened


@pytest.fixture
async def memory(open_memory, notes):
    memory = await open_memory()
    await memory.index([str(notes)])
    return memory


async def tell(memory, *texts, key=ANNA):
    for text in texts:
        answer = Message("assistant", "Noted.")
        await memory.agent_end(Turn(key, (Message("user", text, id=f"{key} {text_digest(text)}"), answer)))
    await memory.flush()


async def found(memory, query, key=None, options=None):
    result = await memory.search(query, options, session_key=key)
    assert result.degraded is None
    return [hit.passage.text for hit in result]


async def listed(memory, key=ANNA):
    return sorted(entry.text for entry in await memory.list_entries(key))


async def test_files_are_found_recalled_and_read(memory, notes):
    (first, *_) = await memory.search("ZX-9918")
    assert first.passage.path == "MEMORY.md"
    assert "ZX-9918" in first.passage.text
    assert "三月初八" in (await found(memory, "妈妈的生日是哪天"))[0]
    assert "berth 47" in (await memory.recall(BERTH, ANNA)).text
    assert "berth 47" in (await memory.read("MEMORY.md")).text
    (notes / "MEMORY.md").write_text("# Memory\n\n## Boat\n\nThe boat Albatros lies at berth 12.\n", "utf-8")
    report = await memory.index()
    assert (report.files, report.changed) == (FILES, 1)
    texts = await found(memory, BERTH)
    assert "berth 12" in texts[0]
    assert not any("berth 47" in text for text in texts)


async def test_what_is_remembered_is_forgotten_brought_back_and_replaced(memory):
    entry = await memory.remember(TEACHER)
    assert (await found(memory, "Who teaches Lotte the piano?"))[0] == TEACHER
    assert (await memory.forget([entry.id])).removed == (entry.id,)
    assert TEACHER not in await found(memory, "Who teaches Lotte the piano?")
    assert await memory.undo() == [entry.id]
    assert (await found(memory, "Who teaches Lotte the piano?"))[0] == TEACHER
    other = await memory.remember("Lotte's piano teacher is called Wim.", supersedes=[entry.id])
    assert [each.id for each in await memory.history(other.id)] == [entry.id, other.id]
    assert TEACHER not in await found(memory, "Who teaches Lotte the piano?")


async def test_what_was_said_is_of_who_said_it(memory):
    await tell(memory, "I am allergic to penicillin", "I have two cats")
    assert await listed(memory) == ["I am allergic to penicillin", "I have two cats"]
    await tell(memory, "I have three cats", "I am allergic to penicillin")
    assert await listed(memory) == ["I am allergic to penicillin", "I have three cats"]
    assert "penicillin" in (await memory.recall("am I allergic to penicillin", ANNA)).text
    assert await listed(memory, BEN) == []
    assert "I am allergic to penicillin" not in await found(memory, "penicillin", BEN)
    await memory.link("anna", [ANNA, BEN])
    assert await listed(memory, BEN) == await listed(memory)
    assert "I am allergic to penicillin" in await found(memory, "penicillin", BEN)
    await memory.forget(anchor=BEN)
    assert await listed(memory) == []
    assert "I am allergic to penicillin" not in await found(memory, "penicillin", ANNA)


async def test_a_conversation_becomes_entries_and_a_note(memory, home):
    await tell(memory, *SAID)
    (window,) = await memory.session_status(ANNA)
    assert (window.messages, window.extracted_at) == (2 * len(SAID), None)
    report = await memory.session_flush(ANNA)
    assert (report.sessions, report.notes, report.failed) == (1, 1, [])
    assert await listed(memory) == sorted(SAID)
    (note,) = (home / "vault" / "main").rglob("*.md")
    lines = [line for line in note.read_text("utf-8").splitlines() if line.startswith("- My")]
    assert lines == [f"- {text}" for text in SAID]
    await memory.forget(session=ANNA)
    assert not note.exists() or SAID[0] not in note.read_text("utf-8")
    assert await listed(memory) == []


async def test_notes_are_written_linked_and_searched(memory):
    await memory.wiki.new("Secret", body="About [[Plan]]: the code is ZX-1111.", session_key=ANNA)
    await memory.wiki.new("Plan", body="Open to all.")
    assert any("ZX-1111" in text for text in await found(memory, "ZX-1111", ANNA))
    assert not any("ZX-1111" in text for text in await found(memory, "ZX-1111", BEN))
    assert [hit.passage.path for hit in await memory.wiki.search("open to all")] == ["Plan.md"]


async def test_what_belongs_together_is_linked(memory):
    old = await memory.remember("The boat lies at berth 12")
    new = await memory.remember("The boat lies at berth 47", supersedes=[old.id])
    report = await memory.graph.build()
    assert report.degraded is None
    _, neighbours = await memory.graph.show(new.id)
    assert [each.ref for each in neighbours if each.evidence[-1].kind == "supersedes"] == [old.id]
    (hit, *_) = await memory.search("The boat lies at berth 47", SearchOptions(limit=3, related=2))
    assert hit.related


async def test_what_was_looked_at_is_not_salient(memory):
    later = datetime(2023, 12, 12, 22, 13, 20, tzinfo=UTC)  # 28 days after the notes were written
    assert {each.days_unseen for each in await memory.salience(now=later)} == {28.0}
    await memory.read("table.md")
    assert {each.item.ref: each.item.accesses for each in await memory.salience(now=later)}["notes:table.md"] == 1


async def test_the_doctor_finds_nothing_and_the_status_tells_the_sizes(memory):
    await memory.remember(TEACHER)
    status = await memory.status()
    assert [(folder.files, folder.chunks) for folder in status.folders] == [(FILES, FILES)]
    assert (status.vector.ok, status.embedding.ok, status.capture.waiting) == (True, True, 0)
    assert [finding for finding in await memory.diagnose() if finding.verdict != "ok"] == []


async def test_a_rebuilt_index_answers_as_before(memory):
    await memory.remember(TEACHER)
    questions = (BERTH, "Who teaches Lotte the piano?", "haring", "妈妈的生日")
    before = [await found(memory, question) for question in questions]
    assert all(before)
    await memory.index(rebuild=True)
    assert [await found(memory, question) for question in questions] == before


async def test_another_model_takes_over(memory, open_memory):
    await memory.remember(TEACHER)
    other = await open_memory(model="other")
    assert (await other.search(TEACHER)).degraded
    await other.reembed()
    assert await found(other, TEACHER, options=BY_MEANING) == [TEACHER]
    assert "Met the roofer" in (await found(other, "roofer slates"))[0]


async def test_two_memories_that_write_at_once_lose_nothing(memory, open_memory):
    other = await open_memory()
    own = [f"I like the quail of garden {number}" for number in range(6)]
    theirs = [f"I like the heron of garden {number}" for number in range(6)]
    await asyncio.gather(tell(memory, *own), tell(other, *theirs, *own))
    for each in (memory, other):
        await each.flush()
        assert await listed(each) == sorted([*own, *theirs])
        for text in (own[0], theirs[-1]):
            assert await found(each, text, ANNA, BY_MEANING) == [text]
