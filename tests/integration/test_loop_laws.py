"""No entry outside its scope, none lost, none twice, none back after forget: random scopes, links and operations.

Once over the files of a home, once with the rows in a bucket, and once over PostgreSQL with services on
machines of their own.
``TERCET_LOOP_LAWS=long`` runs more than 2,000 steps of each; by default it is a taste of it.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from tercet.app import build
from tercet.config import load_settings
from tercet.errors import IdentityError, NotFoundError
from tercet.identity import parse_session_key
from tercet.model import Message, SearchOptions, Turn

LONG = os.environ.pop("TERCET_LOOP_LAWS", "") == "long"
PEOPLE = ["telegram:1", "telegram:12", "discord:1", "signal:1"]
GROUPS = ["discord:channel:1", "telegram:group:1"]
keys = st.sampled_from([*PEOPLE, *GROUPS])
people = st.sampled_from(PEOPLE)
names = st.sampled_from(["ines", "bram"])
words = st.sampled_from([f"quail{number}" for number in range(12)])


class Loop(RuleBasedStateMachine):
    """The facade beside a dictionary of what each anchor was told."""

    def __init__(self):
        super().__init__()
        self.home = Path(tempfile.mkdtemp(prefix="tercet-laws-"))
        self.memories = []
        self.told = {}
        self.links = {}
        self.sent = []
        self.forgotten = {}
        self.count = 0

    @initialize(processes=st.integers(1, 2))
    def open(self, processes):
        given = {"embedding": {"provider": "none"}, "capture": {"select": "all"}}
        self.memories = [build(load_settings({**given, **place})) for place in self.places(processes)]

    def places(self, processes):
        """Where each of the memories keeps things: the settings home and store."""
        return [{"home": str(self.home)}] * processes

    def teardown(self):
        for memory in self.memories:
            memory.close()
        shutil.rmtree(self.home)

    @property
    def memory(self):
        """The next of the two, so that each sees what the other did."""
        self.count += 1
        return self.memories[self.count % len(self.memories)]

    def settle(self):
        """Work in what waits; what another service has in hand is waited for."""
        while self.memory.flush().waiting:
            pass

    def seen_from(self, key):
        anchors = next((group for group in self.links.values() if key in group), {key})
        return sorted(text for anchor in {key, *anchors} for text in self.told.get(anchor, ()))

    @rule(key=keys, word=words)
    def tell(self, key, word):
        text = f"The {word} of {parse_session_key(key, 'main').channel} sings"
        self.count += 1
        turn = Turn(key, (Message("user", text, id=f"m{self.count}"),))
        self.memory.agent_end(turn)
        self.settle()
        self.sent.append((key, turn))
        self.told.setdefault(key, set()).add(text)

    @precondition(lambda self: self.sent)
    @rule(data=st.data())
    def hand_over_again(self, data):
        _, turn = data.draw(st.sampled_from(self.sent))
        self.memory.agent_end(turn)
        self.settle()

    @rule(name=names, some=st.lists(people, min_size=1, max_size=3))
    def link(self, name, some):
        taken = {key for other, group in self.links.items() if other != name for key in group}
        try:
            self.memory.link(name, some)
        except IdentityError:
            assert taken.intersection(some)
        else:
            assert not taken.intersection(some)
            self.links.setdefault(name, set()).update(some)

    @rule(name=names)
    def unlink(self, name):
        try:
            self.memory.unlink(name)
        except NotFoundError:
            assert name not in self.links
        else:
            del self.links[name]

    @rule(key=people)
    def forget_the_person(self, key):
        anchors = next((group for group in self.links.values() if key in group), {key})
        gone = self.memory.forget(anchor=key)
        self.forgotten = {anchor: self.told.pop(anchor) for anchor in list(anchors) if self.told.get(anchor)}
        # Of what was told anew before it was brought back, the older entry stands behind the newer, and goes too.
        assert len(gone.removed) >= sum(map(len, self.forgotten.values()))

    @precondition(lambda self: any(self.told.values()))
    @rule(data=st.data())
    def forget_one(self, data):
        key = data.draw(st.sampled_from(sorted(key for key, texts in self.told.items() if texts)))
        entries = [each for each in self.memory.list_entries(key) if each.scope.anchor == key]
        entry = data.draw(st.sampled_from(entries))
        assert self.memory.forget([entry.id]).removed == (entry.id,)
        self.told[key].remove(entry.text)
        self.forgotten = {key: {entry.text}}

    @precondition(lambda self: self.forgotten)
    @rule()
    def undo(self):
        self.memory.undo()
        for key, texts in self.forgotten.items():
            self.told.setdefault(key, set()).update(texts)
        self.forgotten = {}

    @rule(key=keys, word=words)
    def search(self, key, word):
        found = self.memory.search(f"{word} sings", SearchOptions(limit=100, min_score=0), session_key=key)
        shown = sorted(hit.passage.text for hit in found)
        assert shown == sorted(set(shown)) or len(self.seen_from(key)) > len(set(self.seen_from(key)))
        wanted = self.seen_from(key)
        assert all(text in wanted for text in shown)
        assert [text for text in wanted if word in text.split()] == [text for text in shown if word in text.split()]

    @invariant()
    def each_sees_what_it_was_told(self):
        if not self.memories:
            return
        for key in (*PEOPLE, *GROUPS):
            assert sorted(entry.text for entry in self.memory.list_entries(key)) == self.seen_from(key)


class LoopInPostgres(Loop):
    """The same of services that share a database, and no file."""

    server = None

    def places(self, processes):
        store = {"url": self.server.url, "tenant": self.server.new_tenant(), "pool_size": 2}
        return [{"home": str(self.home / str(number)), "store": store} for number in range(processes)]


class LoopInBucket(Loop):
    """The same with the rows in a bucket: two processes of one home."""

    server = None

    def places(self, processes):
        # What the other process wrote is looked for by every search, so that it is there at once.
        store = {**self.server.settings(self.server.new_uri()), "consistency_s": 0}
        return [{"home": str(self.home), "store": store}] * processes


LoopInBucket.TestCase.settings = LoopInPostgres.TestCase.settings = Loop.TestCase.settings = settings(
    max_examples=100 if LONG else 3,
    stateful_step_count=40 if LONG else 12,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
TestLoopLaws = Loop.TestCase


class TestLoopLawsInBucket(LoopInBucket.TestCase):
    @pytest.fixture(autouse=True)
    def server_of_the_run(self, s3_server, monkeypatch):
        monkeypatch.setattr(LoopInBucket, "server", s3_server)


class TestLoopLawsInPostgres(LoopInPostgres.TestCase):
    @pytest.fixture(autouse=True)
    def server_of_the_run(self, postgres_server, monkeypatch):
        monkeypatch.setattr(LoopInPostgres, "server", postgres_server)
