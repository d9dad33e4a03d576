"""Building on the last build: equal to one from nothing, with as few questions as that needs."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tercet.graph_building import build_graph
from tercet.insight.neighbours import NEIGHBOURS, Known, Near, threshold_in
from tercet.model import Passage, Reach, Row, Scope, Space
from tercet.ranking.calibration import BackgroundCosines
from tercet.testing.memory_engine import MemoryEngine
from tercet.testing.memory_ledger import MemoryLedger

SPACE = Space("test", "plane", 2)
REACH = Reach("main")
SCOPE = Scope("main")


def row(path, degrees, *, line=1, scope=SCOPE, words="w"):
    vector = None
    if degrees is not None:
        vector = np.array([np.cos(np.radians(degrees)), np.sin(np.radians(degrees))], dtype=np.float32)
    passage_id = f"{scope.anchor}{path}#{line}#{degrees}"
    return Row(Passage(passage_id, "chunk", scope, "x", root="r", path=path, start_line=line), (words,), vector)


async def build(rows, before=None, threshold=0.9, reach=REACH):
    engine = MemoryEngine()
    await engine.open(SPACE)
    await engine.upsert(rows)
    return await build_graph(engine, MemoryLedger().journal, reach, before or {}, threshold)


def similar_pairs(built):
    return {(edge.one, edge.two): edge.evidence[0].weight for edge in built.graph.edges}


async def test_files_are_linked_by_their_nearest_passages_from_the_threshold():
    built = await build([row("a.md", 0), row("a.md", 90, line=5), row("b.md", 70, line=3), row("c.md", 40)])
    [(pair, weight)] = similar_pairs(built).items()
    assert pair == ("r:a.md", "r:b.md")
    assert weight == pytest.approx(np.cos(np.radians(20)), abs=1e-4)
    assert (built.graph.edges[0].evidence[0].one_line, built.graph.edges[0].evidence[0].two_line) == (5, 3)


async def test_nothing_changed_nothing_is_asked_and_the_graph_is_the_same():
    rows = [row("a.md", 0), row("b.md", 10), row("c.md", 20)]
    first = await build(rows)
    again = await build(rows, first.known)
    assert (again.graph, again.known, again.asked) == (first.graph, first.known, 0)


async def test_only_what_a_change_can_reach_is_asked_again():
    rows = [row("a.md", 0), row("b.md", 5), row("far.md", 180), row("further.md", 185)]
    first = await build(rows)
    after = await build([row("a.md", 3), *rows[1:]], first.known)
    assert after.asked == 2
    assert after.graph == (await build([row("a.md", 3), *rows[1:]])).graph


async def test_a_deleted_file_leaves_with_its_edges():
    rows = [row("a.md", 0), row("b.md", 5)]
    first = await build(rows)
    after = await build(rows[:1], first.known)
    assert list(after.graph.nodes) == ["r:a.md"]
    assert after.graph.edges == ()
    assert list(after.known) == ["r:a.md"]


async def test_who_gains_a_nearer_neighbour_drops_the_farthest():
    near = [row(f"n{number:02}.md", 10 + number) for number in range(NEIGHBOURS)]
    first = await build([row("a.md", 0), *near])
    rows = [row("a.md", 0), *near, row("new.md", 1)]
    assert (await build(rows, first.known)).known == (await build(rows)).known


files = st.dictionaries(
    st.sampled_from("abcdef"),
    st.lists(st.integers(0, 359), min_size=1, max_size=7),
    max_size=6,
)


@settings(max_examples=40, deadline=None)
@given(files, files)
async def test_an_incremental_build_equals_a_full_one(old, new):
    def rows(given_files):
        return [
            row(f"{name}.md", degrees, line=place + 1, words=f"{name}{degrees % 5}")
            for name, angles in given_files.items()
            for place, degrees in enumerate(angles)
        ]

    first = await build(rows(old))
    incremental = await build(rows(new), first.known)
    full = await build(rows(new))
    assert incremental.graph == full.graph
    assert incremental.known == full.known


async def test_a_file_s_own_passages_do_not_stand_in_the_way_of_its_neighbours():
    own = [row("a.md", 0, line=line) for line in range(1, 40)]
    built = await build([*own, row("b.md", 8)])
    assert similar_pairs(built).keys() == {("r:a.md", "r:b.md")}


async def test_without_vectors_words_link_and_the_count_is_told():
    linking = replace(row("a.md", None), passage=replace(row("a.md", None).passage, text="[[b]]"))
    built = await build([linking, row("b.md", None)])
    assert [edge.evidence[0].kind for edge in built.graph.edges] == ["wikilink"]
    assert built.without_vector == 2


async def test_what_is_not_in_reach_is_neither_node_nor_neighbour():
    anna = Scope("main", "telegram:1")
    rows = [row("a.md", 0), row("hers.md", 1, scope=anna), row("other.md", 1, scope=Scope("other"))]
    shared = await build(rows)
    assert (list(shared.graph.nodes), shared.graph.edges) == (["r:a.md"], ())
    hers = await build(rows, reach=Reach("main", ("", "telegram:1")))
    assert similar_pairs(hers).keys() == {("r:a.md", "r:hers.md")}


def test_a_threshold_of_another_space_is_as_far_above_its_background():
    builtin = BackgroundCosines(0.35, 0.1, 0)  # .75 is 4 deviations above
    assert threshold_in(builtin, None) == 0.75
    assert threshold_in(builtin, BackgroundCosines(0.1, 0.12, 4000)) == pytest.approx(0.58)
    assert threshold_in(builtin, BackgroundCosines(0.9, 0.05, 4000)) == 0.99


def test_what_a_build_knew_is_read_back():
    known = Known("d", (Near(0, 3, 0.75, (("r:b.md", 1, 0.8),)),), (("2026-02-08", 4),))
    assert Known.from_json(json.loads(json.dumps(known.as_json()))) == known
    with pytest.raises(KeyError):
        Known.from_json({"near": []})


async def test_of_a_crowd_of_equals_the_first_by_ref_are_the_neighbours():
    crowd = [row(f"n{number:02}.md", 10) for number in range(60)]
    built = await build([row("a.md", 0), *crowd])
    [near] = built.known["r:a.md"].near
    assert [ref for ref, _, _ in near.found] == [f"r:n{number:02}.md" for number in range(NEIGHBOURS)]
