"""What answers showed is noted behind them: good hits, what went into the prompt, what was read."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest

from tercet.access_notes import MOST_PENDING, AccessNotes, item_of, read_item, shown_items
from tercet.errors import LedgerBusyError, NotFoundError
from tercet.host import Host
from tercet.model import FileText, Hit, Passage, Scope, SearchOptions, SearchResult
from tercet.testing.active_home import StandingClock

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


class Log:
    def __init__(self, failure=None):
        self.noted, self.failure, self.may_write = [], failure, asyncio.Event()
        self.may_write.set()

    async def note(self, items, kind, at):
        await self.may_write.wait()
        if self.failure:
            raise self.failure
        self.noted.append((list(items), kind, at))


class Events:
    def __init__(self):
        self.counted = []

    def count(self, event, amount=1):
        self.counted.append((event, amount))


class Layer:
    def __init__(self, *hits):
        self.hits = hits

    async def search(self, query, options):
        return SearchResult(list(self.hits))

    async def read_file(self, ref, start=None, lines=None, *, reach=None):
        if ref == "nothing":
            raise NotFoundError(ref)
        return FileText("text", "a.md", 1, 1, 1)


def hit(name, score, root="notes"):
    passage = Passage(name, "chunk", Scope("main"), f"The boat {name} lies at berth 47.", root=root, path=name)
    return Hit(passage, score, score, "semantic", name)


@pytest.fixture
def log():
    return Log()


@pytest.fixture
def notes(log):
    return AccessNotes(log, StandingClock(NOW))


def host(notes, *hits):
    return Host({"semantic": Layer(*hits)}, accesses=notes)


async def test_a_search_notes_its_good_hits_once_each(log, notes):
    """A weak hit was shown in vain: to count it as seen would hide what was not found."""
    hits = (hit("a.md", 0.9), hit("a.md", 0.8), hit("b.md", 0.45), hit("c.md", 0.44))
    await host(notes, *hits).search("boat", SearchOptions())
    await notes.settled()
    assert log.noted == [(["notes:a.md", "notes:b.md"], "search", NOW)]


async def test_nothing_is_noted_of_an_answer_without_a_good_hit(log, notes):
    await host(notes, hit("c.md", 0.2)).search("boat", SearchOptions())
    await notes.settled()
    assert log.noted == []


async def test_a_recall_notes_what_went_into_the_prompt(log, notes):
    section = await host(notes, hit("a.md", 0.9)).recall("Where does the boat lie?", SearchOptions(), now=NOW)
    await notes.settled()
    assert section.hits
    assert log.noted == [(["notes:a.md"], "recall", NOW)]


async def test_a_read_is_noted_and_a_failed_one_is_not(log, notes):
    memory = host(notes)
    assert (await memory.read_file("notes:a.md#L1-L2")).text == "text"
    await memory.read_file("0123abcd")
    with pytest.raises(NotFoundError):
        await memory.read_file("nothing")
    await notes.settled()
    assert log.noted == [(["notes:a.md"], "read", NOW), (["a.md"], "read", NOW)]


async def test_an_answer_waits_for_no_note_and_fails_with_none():
    events, log = Events(), Log(LedgerBusyError("busy"))
    log.may_write.clear()
    notes = AccessNotes(log, StandingClock(NOW), events)
    assert len(await host(notes, hit("a.md", 0.9)).search("boat", SearchOptions())) == 1
    log.may_write.set()
    await notes.settled()
    assert events.counted == [("access.lost", 1)]


async def test_notes_do_not_pile_up_while_the_ledger_is_busy():
    events, log = Events(), Log()
    log.may_write.clear()
    notes = AccessNotes(log, StandingClock(NOW), events)
    for _ in range(MOST_PENDING + 3):
        notes.note(["a"], "search")
    assert events.counted == [("access.lost", 1)] * 3
    log.may_write.set()
    await notes.settled()
    assert len(log.noted) == MOST_PENDING


def test_an_item_is_the_file_of_a_chunk_and_the_id_of_an_entry():
    assert item_of(hit("a.md", 1).passage) == "notes:a.md"
    assert item_of(Passage("e1", "entry", Scope("main"), "x")) == "e1"
    assert read_item("e1", FileText("x", "e1", 1, 1, 1)) == "e1"
    assert shown_items([hit(f"{n}.md", 0.9) for n in range(12)]) == [f"notes:{n}.md" for n in range(10)]
