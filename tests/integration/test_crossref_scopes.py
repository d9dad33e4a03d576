"""The graph over a real home: whose it is, what it leaves when files go, what it says without vectors."""

from __future__ import annotations

import json
import stat

import pytest

from tercet import build, load_settings
from tercet.errors import InvalidInputError, NotFoundError
from tercet.relating import WORDS_ALONE

ANNA, BEN = "telegram:1", "telegram:2"


@pytest.fixture
def folder(tmp_path):
    place = tmp_path / "notes"
    place.mkdir()
    (place / "boat.md").write_text("# Boat\n\nIt lies in the Harbour: [[harbour]].\n")
    (place / "harbour.md").write_text("# Harbour\n\nBerth 47.\n")
    return place


@pytest.fixture
def memory(tmp_path, folder):
    settings = load_settings({"home": str(tmp_path / "home"), "embedding": {"provider": "none"}})
    with build(settings) as made:
        made.index([str(folder)])
        yield made


def test_a_private_note_is_in_its_person_s_graph_alone(memory):
    memory.wiki.new("Secret", body="About [[Plan]].", session_key=ANNA)
    memory.wiki.new("Plan", body="Open to all.")
    seen = {}
    for who in (None, ANNA, BEN):
        memory.graph.build(session_key=who)
        seen[who] = set(memory.graph.graph(session_key=who).nodes)
    private = "wiki:private/telegram_1/Secret.md"
    assert private in seen[ANNA]
    assert private not in seen[None] | seen[BEN]
    assert "wiki:Plan.md" in seen[None]
    with pytest.raises(NotFoundError):
        memory.graph.show(private, session_key=BEN)


def test_parting_two_platforms_parts_the_graph_at_once(memory):
    memory.wiki.new("Secret", session_key=BEN)
    memory.link("anna", [ANNA, BEN])
    memory.graph.build(session_key=ANNA)
    assert "wiki:private/telegram_2/Secret.md" in memory.graph.graph(session_key=ANNA).nodes
    memory.unlink("anna", [BEN])
    with pytest.raises(NotFoundError, match="crossref build"):
        memory.graph.graph(session_key=ANNA)
    memory.graph.build(session_key=ANNA)
    assert "wiki:private/telegram_2/Secret.md" not in memory.graph.graph(session_key=ANNA).nodes


def test_a_deleted_file_leaves_and_a_changed_one_is_taken_in_without_an_index_run(memory, folder):
    memory.graph.build()
    (folder / "boat.md").unlink()
    (folder / "sail.md").write_text("# Sail\n\n[[harbour]]\n")
    memory.graph.build()
    graph = memory.graph.graph()
    assert set(graph.nodes) == {"notes:harbour.md", "notes:sail.md"}
    assert [(edge.one, edge.two) for edge in graph.edges] == [("notes:harbour.md", "notes:sail.md")]


def test_without_an_embedder_words_link_and_the_report_says_so(memory):
    report = memory.graph.build()
    assert report.degraded == WORDS_ALONE
    [neighbour] = memory.graph.show("boat.md")[1]
    assert neighbour.ref == "notes:harbour.md"
    assert {each.kind for each in neighbour.evidence} == {"wikilink", "same_entity"}


def test_an_entry_is_linked_to_the_one_it_replaced(memory):
    old = memory.remember("The boat lies at berth 12")
    new = memory.remember("The boat lies at berth 47", supersedes=[old.id])
    memory.graph.build()
    _, neighbours = memory.graph.show(new.id)
    assert [each.ref for each in neighbours if each.evidence[-1].kind == "supersedes"] == [old.id]


def test_the_file_is_private_the_same_twice_and_made_anew_when_it_is_broken(memory, tmp_path):
    memory.graph.build()
    file = tmp_path / "home" / "crossref-main.json"
    first = file.read_bytes()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    memory.graph.build(full=True)
    assert file.read_bytes() == first
    for broken in (b"{", b"[]", json.dumps({"settings": 1}).encode()):
        file.write_bytes(broken)
        with pytest.raises(NotFoundError, match="crossref build"):
            memory.graph.graph()
        memory.graph.build()
        assert file.read_bytes() == first


@pytest.mark.parametrize("threshold", [0, 1.2, float("nan")])
def test_a_threshold_out_of_range_is_refused(memory, threshold):
    with pytest.raises(InvalidInputError, match="threshold"):
        memory.graph.build(threshold=threshold)
