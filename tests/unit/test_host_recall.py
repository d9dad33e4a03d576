"""The host's recall: what it asks, what it skips and counts, and that it keeps its deadline."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest

from tercet.adapters.counters import Counters
from tercet.errors import LedgerBusyError
from tercet.host import Host
from tercet.model import Entry, Hit, Passage, Reach, Scope, SearchOptions, SearchResult

NOW = datetime(2026, 6, 1, tzinfo=UTC)
SCOPE = Scope("main", "telegram:1")
REACH = Reach("main", ("", "telegram:1"))


class Layer:
    def __init__(self, *hits, hangs=False):
        self.hits, self.hangs = hits, hangs
        self.asked = []

    async def search(self, query, options):
        self.asked.append(query)
        if self.hangs:
            await asyncio.Event().wait()
        return SearchResult(list(self.hits))


class Journal:
    def __init__(self, *entries, failure=None):
        self.entries, self.failure = {entry.id: entry for entry in entries}, failure

    async def get(self, ids, reach):
        if self.failure:
            raise self.failure
        found = (self.entries.get(each) for each in ids)
        return [each for each in found if each is not None and each.scope.anchor in reach.anchors]


def entry(name, **fields):
    return Entry(name, fields.pop("scope", SCOPE), f"the text of {name}", "fact", **fields)


def hit(name, layer="semantic"):
    return Hit(Passage(name, "entry", SCOPE, f"the text of {name}", category="fact"), 0.5, 0.5, layer, "")


async def recall(host, message="which tea do I like", **options):
    return await host.recall(message, SearchOptions(reach=REACH, **options), now=NOW)


async def test_the_section_holds_what_the_layers_found():
    counters = Counters()
    made = await recall(Host({"semantic": Layer(hit("a"))}, events=counters))
    assert "the text of a" in made.text
    assert (made.skipped_reason, made.degraded) == (None, None)
    assert counters.counts() == {"recall.given": 1}


@pytest.mark.parametrize(
    ("message", "reason"),
    [("hi!", "greeting"), ("/status", "command"), ("[OpenClaw heartbeat poll]", "heartbeat"), (" ", "blank")],
)
async def test_what_cannot_need_memory_asks_no_layer_and_is_counted(message, reason):
    layer, counters = Layer(hit("a")), Counters()
    made = await recall(Host({"semantic": layer}, events=counters), message)
    assert (made.text, made.skipped_reason, layer.asked) == ("", reason, [])
    assert counters.counts() == {f"recall.skipped.{reason}": 1}


async def test_nothing_relevant_is_said_and_counted():
    counters = Counters()
    made = await recall(Host({"semantic": Layer()}, events=counters))
    assert (made.text, made.skipped_reason) == ("", "nothing_relevant")
    assert counters.counts() == {"recall.skipped.nothing_relevant": 1}


async def test_layers_are_asked_what_the_person_wrote_and_not_its_envelope():
    layer = Layer()
    await recall(Host({"semantic": layer}), "[Telegram Ines (@ines) id:1 +2m 2026-01-14 18:30 UTC] which tea")
    assert layer.asked == ["which tea"]


async def test_a_layer_that_hangs_costs_the_deadline_and_the_rest_is_given():
    host = Host({"semantic": Layer(hit("a")), "wiki": Layer(hangs=True)})
    made = await recall(host, deadline_s=0.05)
    assert "the text of a" in made.text
    assert "wiki" in made.degraded


async def test_a_near_entry_that_differs_is_shown_beside_the_one_that_was_found():
    journal = Journal(
        entry("a", links=("b", "old", "theirs")),
        entry("b"),
        entry("old", state="superseded"),
        entry("theirs", scope=Scope("main", "telegram:2")),
    )
    made = await recall(Host({"semantic": Layer(hit("a"))}, journal))
    assert "the text of b" in made.text
    assert "the text of old" not in made.text
    assert "theirs" not in made.text


async def test_a_busy_journal_costs_only_the_neighbours():
    made = await recall(Host({"semantic": Layer(hit("a"))}, Journal(failure=LedgerBusyError("busy"))))
    assert "the text of a" in made.text
