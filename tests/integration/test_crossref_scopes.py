"""The graph over a real home: whose it is, what it leaves when files go, what it says without vectors."""

from __future__ import annotations

import json
import stat

import pytest

from tercet import build, load_settings
from tercet.errors import InvalidInputError, NotFoundError
from tercet.model import Reach, SearchOptions
from tercet.relating import WORDS_ALONE
from tercet.testing.embedding_server import EmbeddingServer, hashed_words

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


@pytest.mark.parametrize(("threshold", "is_linked"), [(0.2, True), (0.95, False)])
def test_the_setting_says_from_which_cosine_two_are_alike(tmp_path, threshold, is_linked):
    place = tmp_path / "notes"
    place.mkdir()
    (place / "boat.md").write_text("The white boat lies at the long pier.\n")
    (place / "car.md").write_text("The white car stands at the old mill.\n")
    with EmbeddingServer(hashed_words()) as server:
        embedding = {"provider": "openai", "url": f"{server.url}/v1", "model": "m"}
        settings = {"home": str(tmp_path / "home"), "embedding": embedding, "crossref": {"threshold": threshold}}
        with build(load_settings(settings)) as memory:
            memory.index([str(place)])
            report = memory.graph.build()
    assert (report.threshold, report.statistics.by_kind) == (threshold, {"similar": 1} if is_linked else {})


@pytest.mark.parametrize("threshold", [0, 1.2, float("nan")])
def test_a_threshold_out_of_range_is_refused(memory, threshold):
    with pytest.raises(InvalidInputError, match="threshold"):
        memory.graph.build(threshold=threshold)


def files_of_the_graph(tmp_path):
    return "".join(file.read_text() for file in (tmp_path / "home").glob("crossref-*.json"))


def test_a_forgotten_entry_leaves_every_graph_at_once(memory, tmp_path):
    gone = memory.remember("The boat has a leak", session_key=ANNA)
    kept = memory.remember("The boat is blue", session_key=ANNA)
    for who in (None, ANNA):
        memory.graph.build(session_key=who)
    assert gone.id in files_of_the_graph(tmp_path)
    memory.forget([gone.id], session_key=ANNA)
    assert gone.id not in files_of_the_graph(tmp_path)
    assert kept.id in memory.graph.graph(session_key=ANNA).nodes
    saved = files_of_the_graph(tmp_path)
    memory.graph.build(session_key=ANNA)
    assert files_of_the_graph(tmp_path) == saved


def test_an_entry_forgotten_where_the_graph_could_not_be_written_is_not_shown(memory, tmp_path):
    gone = memory.remember("The boat has a leak")
    memory.graph.build()
    file = tmp_path / "home" / "crossref-main.json"
    before = file.read_bytes()
    memory.forget([gone.id])
    file.write_bytes(before)
    assert gone.id not in memory.graph.graph().nodes


def test_a_hit_tells_what_it_is_linked_to_when_it_is_asked(memory):
    memory.graph.build()
    [plain] = [hit for hit in memory.search("boat") if hit.passage.path == "boat.md"]
    assert plain.related == ()
    found = memory.search("boat", SearchOptions(related=1))
    [hit] = [hit for hit in found if hit.passage.path == "boat.md"]
    [related] = hit.related
    assert (related.ref, set(related.kinds)) == ("notes:harbour.md", {"wikilink", "same_entity"})
    assert found.degraded == memory.search("boat").degraded


def test_an_entry_tells_no_forgotten_one(memory):
    old = memory.remember("The boat lies at berth 12")
    new = memory.remember("The boat lies at berth 47", supersedes=[old.id])
    memory.graph.build()

    def related():
        found = memory.search("boat berth 47", SearchOptions(related=5))
        [hit] = [hit for hit in found if hit.passage.id == new.id]
        return [each.ref for each in hit.related if "supersedes" in each.kinds]

    assert related() == [old.id]
    memory.forget([old.id])
    assert related() == []


def test_without_a_graph_nothing_is_related_and_the_answer_says_so_once(memory):
    found = memory.search("boat", SearchOptions(related=3))
    assert [hit.related for hit in found] == [()] * len(found)
    assert found.degraded.count("crossref build") == 1
    memory.graph.build()
    narrower = memory.search("boat", SearchOptions(related=3, reach=Reach("main")))
    assert narrower.degraded.count("crossref build") == 1


@pytest.mark.parametrize("most", [-1, 21])
def test_a_number_of_related_items_out_of_range_is_refused(memory, most):
    with pytest.raises(InvalidInputError, match="0 to 20"):
        memory.search("boat", SearchOptions(related=most))
