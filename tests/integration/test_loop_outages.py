"""The loop when parts are away, with transcripts handed in twice, and over two processes."""

from __future__ import annotations

import json
import os
from contextlib import asynccontextmanager

import pytest

from tercet.app import build_async
from tercet.config import load_settings
from tercet.errors import InvalidInputError
from tercet.model import Message, SearchOptions, Turn
from tercet.testing.embedding_server import SERVER_ERROR, EmbeddingServer, hashed_words

KEY = "telegram:1"
NO_MODEL = {"provider": "none"}
LONG = int(os.environ.get("TERCET_TEST_LONG", "1"))
"""Multiplies the number of turns; the suite's own runs are short."""
TURNS = 20 * LONG
ANIMALS = ("quail", "badger", "heron", "otter", "lynx")


@asynccontextmanager
async def opened(home, **settings):
    memory = await build_async(load_settings({"home": str(home), **settings}))
    try:
        yield memory
    finally:
        await memory.close()


def turn(number, text):
    return Turn(KEY, (Message("user", text, id=f"m{number}"),))


async def test_an_embedder_that_is_down_for_half_of_a_run_loses_nothing(home):
    told = [f"I like the {ANIMALS[n % 5]} number {n} of garden {n * 7}" for n in range(TURNS)]
    with EmbeddingServer(hashed_words(64)) as server:
        service = {
            "provider": "openai",
            "url": f"{server.url}/v1",
            "model": "m",
            "timeout_s": 1,
            "query_timeout_s": 0.5,
        }
        async with opened(home, embedding=service) as memory:
            for number, text in enumerate(told[: TURNS // 2]):
                await memory.agent_end(turn(number, text))
            await memory.flush()
            server.fail_with(SERVER_ERROR, None)
            for number, text in enumerate(told[TURNS // 2 :], TURNS // 2):
                await memory.agent_end(turn(number, text))
            report = await memory.flush()
            status = (await memory.status()).capture
            assert report.waiting == status.waiting == TURNS // 2
            assert status.oldest is not None
            words = [hit.passage.text for hit in await memory.search(told[-1], session_key=KEY)]
            assert told[-1] in words, "found by its words at once"
            server.recover()
            memory._semantic._parts.embedder._failed = None  # its rest of a few seconds is over
            assert (await memory.flush()).waiting == 0
            entries = await memory.list_entries(KEY)
            assert sorted(entry.text for entry in entries) == sorted(told)
            for text in told:
                options = SearchOptions(mode="vector", limit=1, min_score=0)
                assert [hit.passage.text for hit in await memory.search(text, options, session_key=KEY)] == [text]


async def test_a_secret_is_in_no_file_while_its_message_waits(home, monkeypatch):
    nobody = {"provider": "openai", "url": "http://127.0.0.1:9/v1", "model": "m", "timeout_s": 1}
    shown = "AKIAIOSFODNN7EXAMPLE"
    async with opened(home, embedding=nobody) as memory:
        with monkeypatch.context() as patch:
            patch.setattr(memory._loop._parts.ledger.inbox, "put", _refused)
            await memory.agent_end(Turn(KEY, (*turn(1, f"I love {shown}").messages, Message("assistant", shown))))
            assert shown.encode() not in _bytes_of(home), "nor in the spool"
        await memory.agent_end(turn(2, f"I love the quail {shown}" + " word" * 10_000))
        assert (await memory.flush()).waiting == 2
        assert shown.encode() not in _bytes_of(home)


async def _refused(items):
    raise OSError(len(items))


def _bytes_of(home):
    return b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file())


async def test_what_waits_is_forgotten_by_the_id_and_the_words_that_find_it(home, monkeypatch):
    nobody = {"provider": "openai", "url": "http://127.0.0.1:9/v1", "model": "m", "timeout_s": 1}
    async with opened(home, embedding=nobody) as memory:
        for number, animal in enumerate(ANIMALS):
            await memory.agent_end(turn(number, f"I love the {animal} of Ghent"))
        await memory.flush()
        (hit,) = await memory.search("badger", session_key=KEY)
        report = await memory.forget([hit.passage.id])
        assert (report.removed, report.waiting_removed, report.purge_at) == ((), 1, None)
        assert b"badger" not in _bytes_of(home)
        shown = await memory.forget(query="heron", session_key=KEY)
        assert ([entry.text for entry in shown.candidates], shown.waiting_removed) == (["I love the heron of Ghent"], 0)
        assert (await memory.forget(query="heron", session_key=KEY, confirm=True)).waiting_removed == 1
        with monkeypatch.context() as patch:
            patch.setattr(memory._loop._parts.ledger.inbox, "put", _refused)
            await memory.agent_end(turn(99, "I love the okapi of Ghent"))
        assert (await memory.forget(anchor=KEY)).waiting_removed == len(ANIMALS) - 2 + 1, "the spooled one too"
        assert (await memory.flush()).waiting == 0


async def test_remembering_without_the_embedder_is_found_by_words_and_gets_its_vector_later(home):
    with EmbeddingServer(hashed_words(64)) as server:
        service = {
            "provider": "openai",
            "url": f"{server.url}/v1",
            "model": "m",
            "timeout_s": 1,
            "query_timeout_s": 0.5,
        }
        async with opened(home, embedding=service) as memory:
            await memory.remember("The bicycle is blue", session_key=KEY)
            server.fail_with(SERVER_ERROR, None)
            await memory.remember("The kayak is green", session_key=KEY)
            assert [hit.passage.text for hit in await memory.search("kayak", session_key=KEY)] == ["The kayak is green"]
            server.recover()
            memory._semantic._parts.embedder._failed = None
            await memory.flush()
            options = SearchOptions(mode="vector", limit=1, min_score=0)
            (hit,) = await memory.search("The kayak is green", options, session_key=KEY)
            assert hit.passage.text == "The kayak is green"


async def test_a_lost_engine_keeps_the_journal_and_a_run_brings_it_back(home):
    import shutil

    async with opened(home, embedding=NO_MODEL) as memory:
        await memory.agent_end(turn(1, "I like quails"))
        await memory.flush()
    shutil.rmtree(home / "lancedb")
    async with opened(home, embedding=NO_MODEL) as memory:
        found = await memory.search("quails", session_key=KEY)
        assert [hit.passage.text for hit in found] == ["I like quails"]
        assert found.degraded
        await memory.agent_end(turn(2, "I like herons"))
        await memory.index()
        for word in ("quails", "herons"):
            found = await memory.search(word, session_key=KEY)
            assert [hit.passage.text for hit in found] == [f"I like {word}"]
            assert found.degraded is None


async def test_every_transcript_captured_twice_adds_nothing_the_second_time(home, shared_data):
    files = sorted((shared_data / "sessions").glob("*.jsonl"))
    transcripts = [
        path for path in files if path.name not in {"noise_cases.jsonl", "openclaw-trajectory-fixture.jsonl"}
    ]
    async with opened(home, embedding=NO_MODEL) as memory:
        for place, path in enumerate(transcripts):
            lines = path.read_text("utf-8").splitlines()
            key = f"telegram:{place}"
            await memory.capture(lines, key)
            before = await memory.list_entries(key)
            _, again = await memory.capture(lines, key)
            assert (again.kept, again.merged, again.superseded) == (0, 0, 0), path.name
            assert await memory.list_entries(key) == before
        trajectory = shared_data / "sessions" / "openclaw-trajectory-fixture.jsonl"
        with pytest.raises(InvalidInputError, match=r"[Nn]ot a transcript"):
            await memory.capture(trajectory.read_text("utf-8").splitlines(), KEY)


def test_two_processes_that_capture_at_once_keep_each_thing_once(tercet, tmp_path):
    paths = []
    for half in range(2):
        texts = [f"I like the {ANIMALS[n % 5]} with the number {n}" for n in range(half * 10, half * 10 + 20)]
        path = tmp_path / f"{half}.jsonl"
        path.write_text("".join(json.dumps({"role": "user", "content": text}) + "\n" for text in texts))
        paths.append(str(path))
    running = [tercet.start("capture", path, "--session", KEY, "--json") for path in paths]
    for process in running:
        _, errors = process.communicate(timeout=120)
        assert process.returncode == 0, errors
    listed = tercet("list", "--session", KEY, "--json").json["entries"]
    assert sorted(entry["text"] for entry in listed) == sorted(
        {f"I like the {ANIMALS[n % 5]} with the number {n}" for n in range(30)}
    )
    doctor = {each["check"]: each["verdict"] for each in tercet("doctor", "--json").json["findings"]}
    assert doctor["index"] == "ok"


async def test_while_one_process_captures_another_searches_and_forgets(tercet, tmp_path):
    told = [f"I love the wombat{n} of garden {n}" for n in range(60)]
    path = tmp_path / "told.jsonl"
    path.write_text("".join(json.dumps({"role": "user", "content": text}) + "\n" for text in told))
    process = tercet.start("capture", str(path), "--session", KEY)
    gone = []
    async with opened(tercet.home, embedding=NO_MODEL) as memory:
        while process.poll() is None or not gone:
            for entry in (await memory.list_entries(KEY))[:1]:
                found = await memory.search(entry.text, session_key=KEY)
                assert [hit.passage.text for hit in found].count(entry.text) == 1
                await memory.forget([entry.id])
                gone.append(entry.text)
                assert entry.text not in [hit.passage.text for hit in await memory.search(entry.text, session_key=KEY)]
    _, errors = process.communicate()
    assert process.returncode == 0, errors
    assert not tercet("capture", str(path), "--session", KEY, "--json").json["kept"]
    listed = tercet("list", "--session", KEY, "--json").json["entries"]
    assert sorted(entry["text"] for entry in listed) == sorted(set(told) - set(gone))
    assert len(gone) == len(set(gone))
