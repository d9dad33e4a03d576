"""The service as a memory: the same values and the same errors as in process, over the same home."""

from __future__ import annotations

import inspect
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from tercet.app import build
from tercet.config import load_settings
from tercet.errors import (
    AmbiguousRefError,
    IdentityError,
    InvalidInputError,
    NotFoundError,
    TercetError,
    TransientError,
)
from tercet.interfaces.client.opening import open_memory
from tercet.interfaces.client.service_client import ServiceClient
from tercet.interfaces.client.synchronous import ServiceMemory
from tercet.interfaces.face import MemoryFace
from tercet.memory import AsyncMemory, Memory
from tercet.model import Message, Reach, SearchOptions, TimeRange, Turn

NOW = datetime(2026, 3, 9, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def settings(service):
    return load_settings({"home": str(service.home), "embedding": {"provider": "none"}})


@pytest.fixture(scope="module")
def served(settings):
    with open_memory(settings) as memory:
        assert isinstance(memory, ServiceMemory)
        yield memory


@pytest.fixture(scope="module")
def own(settings, served):
    with build(settings) as memory:
        yield memory


def outcome(call):
    try:
        return call()
    except TercetError as error:
        return type(error), str(error)


def rounded(hits):
    """Scores travel with six digits."""
    return [replace(hit, score=round(hit.score, 6), relevance=round(hit.relevance, 6)) for hit in hits]


def test_a_search_gives_the_same_hits_with_every_reason(served, own):
    for query in ("Albatros berth", "妈妈的生日", "nothing like that at all"):
        for options in (
            None,
            SearchOptions(limit=1, explain=True),
            SearchOptions(preset="classic", explain=True, now=NOW, min_score=0.0),
            SearchOptions(mode="keyword", weights={"chunk.header": 0.5}, layers=("semantic",)),
            SearchOptions(time_range=TimeRange(None, NOW), categories=("fact",)),
        ):
            mine, theirs = own.search(query, options), served.search(query, options)
            assert rounded(theirs) == rounded(mine)
            assert theirs.degraded == mine.degraded


def test_a_recall_gives_the_same_section(served, own):
    for message in ("Where does the boat Albatros lie?", "hello", "berth of the Albatros last week"):
        mine, theirs = own.recall(message, None, NOW, 200), served.recall(message, None, NOW, 200)
        assert rounded(theirs.hits) == rounded(mine.hits)
        assert replace(theirs, hits=()) == replace(mine, hits=())


def test_entries_are_the_same_values(served, own):
    first = served.remember("Ada keeps bees.", category="preference", importance=0.9, session_key="telegram:1")
    second = served.remember("Ada keeps hens.", session_key="telegram:1", supersedes=[first.id])
    assert own.list_entries("telegram:1") == served.list_entries("telegram:1") == [second]
    assert own.history(second.id) == served.history(second.id)
    assert served.list_entries("telegram:1", datetime(2999, 1, 1, tzinfo=UTC)) == []
    shown = served.forget(query="Ada hens", session_key="telegram:1")
    assert [entry.id for entry in shown.candidates] == [second.id]
    assert shown == own.forget(query="Ada hens", session_key="telegram:1")
    gone = served.forget([second.id])
    assert gone.removed == (second.id,)
    assert gone.purge_at is not None
    assert served.undo([second.id]) == [second.id]
    assert own.list_entries("telegram:1") == [second]


def test_a_turn_is_taken_in(served, own):
    message = Message("user", "My dentist is called Okonkwo.", "m7", NOW)
    served.agent_end(Turn("telegram:5", (message, Message("assistant", "Noted."))))
    own.flush()
    assert [(entry.text, entry.said_at) for entry in own.list_entries("telegram:5")] == [(message.text, NOW)]


def test_files_are_the_same_lines(served, own):
    for ref, start, lines in (("MEMORY.md", None, None), ("notes:MEMORY.md#L3-L5", None, None), ("MEMORY.md", 3, 1)):
        assert served.read(ref, start, lines) == own.read(ref, start, lines)


def test_the_status_is_the_same_but_for_what_each_process_counted(served, own):
    mine, theirs = own.status(), served.status()

    def without_origins(status):
        return [(name, value) for name, value, _ in status.settings]

    assert without_origins(theirs) == without_origins(mine)
    assert (theirs.folders, theirs.embedder, theirs.embedding, theirs.vector) == (
        mine.folders,
        mine.embedder,
        mine.embedding,
        mine.vector,
    )


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        (lambda memory: memory.search("x", session_key="nochannel"), IdentityError),
        (lambda memory: memory.search("x", SearchOptions(weights={"nosuch": 1.0})), InvalidInputError),
        (lambda memory: memory.history("0" * 24), NotFoundError),
        (lambda memory: memory.read("nosuch.md"), NotFoundError),
        (lambda memory: memory.read("MEMORY.md", 99_999), InvalidInputError),
        (lambda memory: memory.forget(["0" * 24]), NotFoundError),
        (lambda memory: memory.forget(), InvalidInputError),
        (lambda memory: memory.undo(["0" * 24]), NotFoundError),
    ],
)
def test_errors_are_the_same_errors_with_the_same_words(served, own, call, kind):
    theirs = outcome(lambda: call(served))
    assert theirs == outcome(lambda: call(own))
    assert theirs[0] is kind


def test_what_only_a_process_can_say_is_refused(served):
    with pytest.raises(InvalidInputError, match="reach"):
        served.search("x", SearchOptions(reach=Reach("main")))
    with pytest.raises(InvalidInputError, match="query"):
        served.search(" ")
    for strange in ("../../v1/status", "a/b", "?x=1", "#", "%2e%2e"):
        with pytest.raises(NotFoundError):
            served.history(strange)


def test_a_ref_in_two_folders_is_the_same_question(served, own, tmp_path):
    (tmp_path / "second").mkdir()
    (tmp_path / "second" / "MEMORY.md").write_text("# Other\n\nSomething else.\n", encoding="utf-8")
    own.index([str(tmp_path / "second")])
    theirs = outcome(lambda: served.read("MEMORY.md"))
    assert theirs == outcome(lambda: own.read("MEMORY.md"))
    assert theirs[0] is AmbiguousRefError
    own.remove_folders([str(tmp_path / "second")])


def test_another_agent_is_another_memory(service, settings):
    changed = replace(settings, settings=settings.settings.model_copy(update={"agent": "second"}))
    with open_memory(changed) as memory:
        assert isinstance(memory, ServiceMemory)
        entry = memory.remember("Only the second agent knows this.")
        assert entry.scope.agent == "second"
    assert service.get("/v1/memories", params={"agent": "second"}).json()["entries"][0]["id"] == entry.id


def test_without_a_service_the_memory_is_built_here(home):
    settings = load_settings({"home": str(home), "embedding": {"provider": "none"}})
    with open_memory(settings) as memory:
        assert isinstance(memory, Memory)


async def test_a_service_that_is_gone_is_one_line(service):
    from tercet.interfaces.client.discovery import RunningService

    client = ServiceClient(RunningService("http://127.0.0.1:1", 1, "token", "", ""), "main")
    with pytest.raises(TransientError, match=r"127\.0\.0\.1:1 does not answer"):
        await client.search("x")
    await client.close()


def test_memory_and_client_have_every_method_of_the_face():
    for name, method in vars(MemoryFace).items():
        if name.startswith("_") or not inspect.iscoroutinefunction(method):
            continue
        assert hasattr(AsyncMemory, name), name
        assert hasattr(ServiceClient, name), name
        assert hasattr(ServiceMemory, name), name
