"""Passages without a file: counted in their own scope, replaced as a whole, never half made."""

import numpy as np
import pytest

from tercet.errors import EmbedderUnavailableError
from tercet.evaluation.corpora import read_corpora
from tercet.filters import Filter
from tercet.layers.semantic.background import kept_background
from tercet.layers.semantic.engine_access import EngineAccess
from tercet.layers.semantic.ingestion import INGESTED_ROOT, IngestParts, ingest
from tercet.model import Passage, Reach, Scope, Space
from tercet.testing.memory_engine import MemoryEngine
from tercet.testing.memory_ledger import MemoryLedger


class DrawnVectors:
    """Vectors drawn by the text's own bytes; fails from the ``last``-th batch on."""

    identity = "drawn"

    def __init__(self, last=1000):
        self.batches, self.last = 0, last

    async def space(self):
        return Space("drawn", "drawn", 8)

    async def embed_documents(self, texts):
        self.batches += 1
        if self.batches > self.last:
            msg = "it went away"
            raise EmbedderUnavailableError(msg)
        rows = [np.random.default_rng(list(text.encode())).normal(size=8) for text in texts]
        return np.array([row / np.linalg.norm(row) for row in rows], dtype=np.float32)


@pytest.fixture
def make():
    def build(embedder=None, batch=256):
        engine, ledger = MemoryEngine(), MemoryLedger()
        return engine, IngestParts(ledger, EngineAccess(engine, embedder, ledger), embedder, batch)

    return build


def turns(anchor, *texts):
    scope = Scope("main", anchor)
    return scope, [Passage(f"{anchor}-{i}", "entry", scope, text) for i, text in enumerate(texts)]


async def test_terms_count_in_the_scope_of_the_passages_alone(make):
    _, parts = make()
    await ingest(parts, *turns("one", "a zarzuela tonight", "no music"))
    await ingest(parts, *turns("two", "zarzuela again"))
    for anchors, documents, having in ((("one",), 2, 1), (("two",), 1, 1), (("one", "two"), 3, 2), (("",), 0, 0)):
        found = await parts.ledger.terms.statistics(Reach("main", anchors), ["zarzuela"])
        assert (found.documents, found.document_frequency.get("zarzuela", 0)) == (documents, having), anchors


async def test_again_with_the_same_scope_replaces_all_of_it(make):
    engine, parts = make()
    await ingest(parts, *turns("one", "first", "second"))
    scope, passages = turns("one", "zarzuela")
    await ingest(parts, scope, passages)
    rows = await engine.scan(Filter(Reach("main", ("one",))))
    assert [row.passage.text for row in rows] == ["zarzuela"]
    assert (await parts.ledger.terms.statistics(Reach("main", ("one",)), ["first"])).documents == 1


async def test_an_embedder_that_goes_away_stops_it_and_nothing_is_counted(make):
    _, parts = make(DrawnVectors(last=1), batch=2)
    with pytest.raises(EmbedderUnavailableError, match="Stopped after 2 of 4 passages: it went away"):
        await ingest(parts, *turns("one", "a1", "b2", "c3", "d4"))
    assert (await parts.ledger.terms.statistics(Reach("main", ("one",)), ["a1"])).documents == 0
    assert await parts.ledger.manifest.unfinished(INGESTED_ROOT) == ["one"]


async def test_every_passage_gets_its_vector_and_the_store_its_background(make):
    engine, parts = make(DrawnVectors(), batch=7)
    seen = []
    scope, passages = turns("one", *[f"text number {i}" for i in range(40)])
    await ingest(parts, scope, passages, lambda done, total: seen.append((done, total)))
    assert all(row.vector is not None for row in await engine.scan(Filter(Reach("main", ("one",)))))
    assert seen[-1] == (40, 40)
    background = await kept_background(parts.ledger)
    assert abs(background.mean) < 0.2
    assert 0.2 < background.std < 0.5


async def test_equal_ids_of_two_corpora_stand_side_by_side(make, tmp_path):
    for name in ("x", "y"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "corpus.jsonl").write_text(f'{{"id": "1", "text": "{name}"}}', "utf-8")
        (tmp_path / name / "queries.jsonl").write_text('{"id": "q", "text": "t", "gold": ["1"]}', "utf-8")
    engine, parts = make()
    for corpus in read_corpora(tmp_path, None, "main"):
        await ingest(parts, corpus.scope, corpus.passages)
    assert (await engine.stats()).rows == 2
