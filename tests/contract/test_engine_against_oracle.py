"""Random histories: a real engine and the brute-force engine answer alike, whatever was done before."""

from __future__ import annotations

import asyncio
import shutil
import tempfile

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, rule

from tercet.adapters.lancedb import LanceEngine
from tercet.adapters.postgres import PostgresEngine
from tercet.filters import Eq, Filter, HasTag, HasVector, In, Range
from tercet.model import Passage, Reach, Row, Scope
from tercet.testing.memory_engine import MemoryEngine, MemoryStore
from tercet.testing.samples import OTHER_SPACE, SPACE

pytestmark = pytest.mark.engines

AGENTS, ANCHORS = ("ada", "bob"), ("", "telegram:1")
WORDS = ("red", "apple", "清华", "it's", '"', "x_%", "AND")
IDS = st.sampled_from([f"{agent}{number}" for agent in "ab" for number in range(6)])
TAGS = st.sampled_from(("x", "y'", "%", "\x1f"))


def exact_vectors(dimensions: int) -> st.SearchStrategy[np.ndarray]:
    """Vectors of small whole numbers: their distances are exact in any order of summation."""
    return st.lists(st.integers(-2, 2), min_size=dimensions, max_size=dimensions).filter(any).map(
        lambda numbers: np.array(numbers, dtype=np.float32)
    )  # fmt: skip


@st.composite
def rows(draw) -> Row:
    identifier = draw(IDS)
    passage = Passage(
        identifier,
        draw(st.sampled_from(("entry", "chunk", "note"))),
        # The agent follows from the id, as it does in life; the anchor may change.
        Scope(AGENTS[identifier[0] == "b"], draw(st.sampled_from(ANCHORS))),
        draw(st.text(max_size=8)),
        path=draw(st.sampled_from(("", "a.md", "it's/%.md"))),
        importance=draw(st.none() | st.sampled_from((0.0, 0.25, 1.0))),
        start_line=draw(st.integers(0, 3)),
        tags=tuple(draw(st.lists(TAGS, max_size=2))),
    )
    terms = tuple(draw(st.lists(st.sampled_from(WORDS), max_size=4)))
    return Row(passage, terms, draw(st.none() | exact_vectors(SPACE.dimensions)))


CONDITIONS = st.one_of(
    st.builds(Eq, st.just("path"), st.sampled_from(("", "a.md", "it's/%.md", "none"))),
    st.builds(In, st.just("kind"), st.lists(st.sampled_from(("entry", "note", "none")), max_size=2).map(tuple)),
    st.builds(Range, st.just("importance"), st.none() | st.just(0.25), st.none() | st.just(1.0)),
    st.builds(Range, st.just("start_line"), st.none() | st.just(1), st.none() | st.just(2.5)),
    st.builds(HasTag, TAGS),
    st.builds(HasVector, st.booleans()),
)
FILTERS = st.builds(
    Filter,
    st.builds(Reach, st.sampled_from(AGENTS), st.lists(st.sampled_from(ANCHORS), max_size=2).map(tuple)),
    st.lists(CONDITIONS, max_size=2).map(tuple),
)


def same(row: Row) -> tuple[Passage, tuple[str, ...], list[float] | None]:
    return row.passage, row.terms, None if row.vector is None else row.vector.tolist()


class EnginesAlike(RuleBasedStateMachine):
    written = Bundle("written")

    def new_store(self):
        """Return what makes engines over one store that is empty at first."""
        raise NotImplementedError

    def remove_store(self) -> None:
        """Delete what the store left behind."""

    @initialize()
    def start(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.make_engine = self.new_store()
        self.memory = MemoryStore()
        self.space = SPACE
        self._open()

    def _open(self) -> None:
        self.real, self.oracle = self.make_engine(), MemoryEngine(self.memory)
        self.both(lambda engine: engine.open(self.space))

    def both(self, operation):
        return [self.loop.run_until_complete(operation(engine)) for engine in (self.real, self.oracle)]

    def _fit(self, row: Row) -> Row:
        vector = row.vector
        if vector is not None and len(vector) != self.space.dimensions:
            vector = np.array([1, 0, 0], dtype=np.float32)
        return Row(row.passage, row.terms, vector)

    @rule(target=written, batch=st.lists(rows(), min_size=1, max_size=6))
    def upsert(self, batch):
        self.both(lambda engine: engine.upsert([self._fit(row) for row in batch]))
        return batch[0].passage.id

    @rule(ids=st.lists(written | IDS, max_size=3))
    def delete_ids(self, ids):
        self.both(lambda engine: engine.delete(ids))

    @rule(where=FILTERS)
    def delete_matching(self, where):
        self.both(lambda engine: engine.delete(where))

    @rule()
    def maintain(self):
        self.both(lambda engine: engine.maintain(60))

    @rule()
    def reopen(self):
        self.both(lambda engine: engine.close())
        self._open()

    @rule(stop_after=st.integers(0, 3))
    def reembed(self, stop_after):
        target = OTHER_SPACE if self.space == SPACE else SPACE
        new = np.eye(target.dimensions, dtype=np.float32)[:1]
        self.both(lambda engine: engine.begin_reembed(target))
        for step in range(100):
            real, oracle = self.both(lambda engine: engine.rows_to_reembed(2))
            ids = [row.passage.id for row in real]
            assert ids == [row.passage.id for row in oracle]
            if step == stop_after:
                return
            if not ids:
                break
            self.both(lambda engine, ids=ids: engine.fill_reembed(ids, np.repeat(new, len(ids), axis=0)))
        self.both(lambda engine: engine.finish_reembed())
        self.space = target

    @rule(where=FILTERS, after=IDS | st.just(""), limit=st.integers(0, 5))
    def scan(self, where, after, limit):
        real, oracle = self.both(lambda engine: engine.scan(where, after=after, limit=limit))
        assert [same(row) for row in real] == [same(row) for row in oracle]

    @rule(where=FILTERS, vector=exact_vectors(SPACE.dimensions), k=st.integers(0, 9), exact=st.booleans())
    def nearest(self, where, vector, k, exact):
        query = vector[: self.space.dimensions]
        real, oracle = self.both(lambda engine: engine.vector_topk(query, k, where, exact=exact))
        assert [(match.raw, same(match.row)) for match in real] == [(match.raw, same(match.row)) for match in oracle]

    @rule(where=FILTERS, terms=st.lists(st.sampled_from((*WORDS, "none", "ap")), max_size=3))
    def with_terms(self, where, terms):
        real, oracle = self.both(lambda engine: engine.text_topk(terms, 50, where))
        assert {match.row.passage.id for match in real} == {match.row.passage.id for match in oracle}

    @invariant()
    def counts_agree(self):
        if hasattr(self, "real"):
            real, oracle = self.both(lambda engine: engine.stats())
            assert (real.rows, real.rows_without_vector) == (oracle.rows, oracle.rows_without_vector)

    def teardown(self):
        if hasattr(self, "real"):
            self.both(lambda engine: engine.close())
            self.loop.run_until_complete(self.loop.shutdown_default_executor())
            self.loop.close()
            self.remove_store()


class LanceAlike(EnginesAlike):
    def new_store(self):
        self.folder = tempfile.mkdtemp()
        return lambda: LanceEngine(self.folder)

    def remove_store(self) -> None:
        shutil.rmtree(self.folder)


class PostgresAlike(EnginesAlike):
    server = None
    """Given by the fixture below: hypothesis makes the machine by itself."""

    def new_store(self):
        tenant = self.server.new_tenant()
        return lambda: PostgresEngine(self.server.url, tenant=tenant)


@pytest.fixture(scope="class")
def served_machine(postgres_server):
    PostgresAlike.server = postgres_server


SETTINGS = settings(max_examples=12, stateful_step_count=18, deadline=None, suppress_health_check=list(HealthCheck))

TestLanceAlike = LanceAlike.TestCase
TestLanceAlike.settings = SETTINGS


@pytest.mark.usefixtures("served_machine")
class TestPostgresAlike(PostgresAlike.TestCase):
    settings = SETTINGS
