"""``vectors.json``: chunks of ours and of other builds; orphans as facts."""

import json
from datetime import UTC, datetime

import pytest

from tercet.errors import InvalidInputError
from tercet.importing.enhanced_memory import OldChunk, orphan_facts, read_chunks

OURS = {
    "format": "tercet-enhanced-memory-1",
    "space": {"model": "m"},
    "dimensions": 2,
    "files": {"memory/a.md": {"sha256": "0", "chunks": [{"header": "Tea", "text": "oolong", "vector": "AAAA"}]}},
}
CHUNK = OldChunk("memory/a.md", "oolong", "Tea")


@pytest.mark.parametrize(
    "value",
    [
        OURS,
        [{"path": "memory/a.md", "text": "oolong", "header": "Tea", "embedding": [0.1]}],
        {"chunks": [{"file": "memory/a.md", "content": "oolong", "header": "Tea"}]},
        {"vectors": [{"metadata": {"path": "memory\\a.md", "text": "oolong", "header": "Tea"}}]},
        {"chunks": [{"path": "memory/a.md", "text": "oolong", "header": "Tea"}, {"path": "b.md"}, 7, None]},
    ],
)
def test_chunks_of_every_shape_are_read(value):
    assert read_chunks(json.dumps(value), "v") == [CHUNK]


@pytest.mark.parametrize("text", ["{", "7", "{}", '{"rows": [1]}', '[{"a": 1}]', '{"chunks": [{"path": "x"}]}'])
def test_what_is_no_such_index_is_refused_in_one_line(text):
    with pytest.raises(InvalidInputError, match=r"^vectors\.json .*--vectors\.$"):
        read_chunks(text, "vectors.json")


@pytest.mark.parametrize("text", ["[]", '{"files": {}}', '{"chunks": []}'])
def test_an_empty_index_is_no_fault(text):
    assert read_chunks(text, "v") == []


def test_an_orphan_keeps_its_heading_and_the_day_of_its_path():
    chunks = [
        OldChunk("memory/2026-01-02.md", "The roofer came.", "Roof"),
        OldChunk("memory/tea.md", "# Tea\noolong", "Tea"),
    ]
    dated, undated = orphan_facts(chunks)
    assert (dated.text, dated.said_at) == ("Roof\nThe roofer came.", datetime(2026, 1, 2, tzinfo=UTC))
    assert (undated.text, undated.said_at) == ("# Tea\noolong", None)
    assert dated.source.startswith("enhanced-memory:memory/2026-01-02.md#")


def test_two_chunks_of_a_file_are_two_facts_and_the_same_again_is_the_same():
    facts = orphan_facts([OldChunk("a.md", "one"), OldChunk("a.md", "two"), OldChunk("a.md", "one")])
    assert len({fact.source for fact in facts}) == 2
