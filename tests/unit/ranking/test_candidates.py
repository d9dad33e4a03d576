"""How large the pool is, and what it is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tercet.model import Match, TermStatistics
from tercet.ranking.candidates import (
    candidate_count,
    keyword_leg_terms,
    merge_legs,
    merge_pools,
    neighbour_places,
    with_neighbours,
)
from tercet.ranking.presets import CLASSIC, ENTRY_SEARCH, HYBRID, TUNED, preset_with

if TYPE_CHECKING:
    from tercet.ranking.formula import Preset


@pytest.mark.parametrize("limit", [1, 5, 10, 16, 17, 40, 50, 80])
def test_the_published_count_and_a_limit_above_the_cap_is_honoured(limit: int):
    """R6."""
    expected = max(limit, min(3 * limit, 50))
    assert [candidate_count(p, limit) for p in (CLASSIC, ENTRY_SEARCH)] == [expected] * 2


@pytest.mark.parametrize("preset", [HYBRID, TUNED])
def test_r5_the_pool_is_the_same_for_every_limit(preset: Preset):
    assert {candidate_count(preset, limit) for limit in range(1, 51)} == {200}
    assert candidate_count(preset, 300) == 300


def test_rare_terms_go_to_the_keyword_leg_first_and_unknown_ones_last(build):
    asked = build.asks("gateway port unknownword nginx")
    statistics = TermStatistics(100, 1000, {"gateway": 9, "port": 40, "nginx": 2})
    assert keyword_leg_terms(asked, statistics) == ["nginx", "gateway", "port", "unknownword"]
    assert keyword_leg_terms(asked, statistics, at_most=2) == ["nginx", "gateway"]


def test_r19_legs_are_united_by_id_whatever_their_order(build):
    rows = {i: build.row(i, "x", cosine=0.5) for i in "abc"}
    bare = build.row("b", "x")
    pool = merge_legs([Match(rows["c"], 0.1), Match(rows["b"], 0.2)], [Match(bare, 9.0), Match(rows["a"], 8.0)])
    assert [(c.row.passage.id, sorted(c.legs), c.vector_rank, c.keyword_rank) for c in pool] == [
        ("a", ["keyword"], None, 2),
        ("b", ["keyword", "vector"], 2, 1),
        ("c", ["vector"], 1, None),
    ]
    assert pool[1].row.vector is not None, "the row that has its vector is kept"


def test_two_rounds_are_united_and_keep_the_first_ranks(build):
    a, b = build.row("a", "x"), build.row("b", "x")
    first = merge_legs([Match(a, 0.1)], [])
    second = merge_legs([], [Match(b, 3.0), Match(a, 2.0)])
    pool = merge_pools(first, second)
    assert [(c.row.passage.id, sorted(c.legs), c.vector_rank, c.keyword_rank) for c in pool] == [
        ("a", ["keyword", "vector"], 1, None),
        ("b", ["keyword"], None, 1),
    ]


def test_adjacent_turns_of_the_best_that_are_not_there_yet(build):
    turns = [build.row(f"t{n}", "x", session="s", ordinal=n) for n in (0, 4, 5)]
    pool = merge_legs([Match(r, 0.1) for r in turns], [])
    assert sorted(neighbour_places(pool, TUNED)) == ["s#1", "s#3", "s#6"]
    assert neighbour_places(pool, preset_with("tuned", {"neighbour_best": 1})) == ["s#1"]
    assert neighbour_places(pool, CLASSIC) == []
    files = [build.row("f", "x", kind="chunk", path="a.md", start_line=1)]
    assert neighbour_places(merge_legs([Match(r, 0.1) for r in files], []), TUNED) == []


def test_neighbours_join_the_pool_once(build):
    here, beside = build.row("t1", "x", session="s", ordinal=1), build.row("t2", "x", session="s", ordinal=2)
    pool = with_neighbours(merge_legs([Match(here, 0.1)], []), [beside, here])
    assert [(c.row.passage.id, sorted(c.legs)) for c in pool] == [("t1", ["vector"]), ("t2", ["neighbour"])]
