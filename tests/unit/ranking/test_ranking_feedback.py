"""The second round of classic: each passage keeps its better score."""

from __future__ import annotations

import numpy as np

from tercet.ranking.pipeline import expanded_text, expansion, rank, rank_expanded
from tercet.ranking.presets import CLASSIC, TUNED


def _rows(build):
    return [
        build.row("right", "A gateway tunnel.", cosine=0.3),
        build.row("half", "The gateway stands behind nginx.", cosine=0.3),
        build.row("drift", "nginx nginx proxies certificates and certificates renew", cosine=0.1),
        build.row("far", "tulips in the garden", cosine=0.05),
    ]


def _first(build, rows, preset=CLASSIC, text="gateway tunnel"):
    asked = build.asks(text)
    pool, statistics = build.candidates(rows), build.statistics(rows, documents=500)
    ranking = rank(asked, pool, statistics, preset, query_vectors=build.query_vectors, now=build.now)
    return asked, pool, statistics, ranking


def test_a_weak_answer_gives_terms_of_its_first_results(build):
    asked, _, _, ranking = _first(build, _rows(build))
    assert ranking.best_relevance < 0.45
    extra = expansion(ranking, asked, CLASSIC)
    assert extra is not None
    assert "nginx" in extra
    assert expanded_text(asked, ["nginx"]) == "gateway tunnel nginx"


def test_a_good_answer_or_another_preset_gives_none(build):
    good = [build.row("right", "The gateway tunnel.", cosine=0.9)]
    asked, _, _, ranking = _first(build, good)
    assert expansion(ranking, asked, CLASSIC) is None
    asked, _, _, ranking = _first(build, _rows(build), TUNED)
    assert expansion(ranking, asked, TUNED) is None


def test_r27_no_passage_loses_by_the_second_round_and_the_right_one_stays_first(build):
    rows = _rows(build)
    asked, pool, statistics, first = _first(build, rows)
    second = rank_expanded(
        asked,
        ["nginx", "certif"],
        pool,
        statistics,
        CLASSIC,
        query_vectors=build.query_vectors,
        expanded_vectors=np.array([build.unit(0.2, 3.1)]),
        now=build.now,
    )
    before = {h.row.passage.id: h.key for h in first.hits}
    after = {h.row.passage.id: h.key for h in second.hits}
    assert all(after[i] >= key for i, key in before.items())
    assert after["drift"] > before["drift"]
    assert after["right"] == before["right"], "it holds none of the added terms, and keeps its first score"
    assert second.hits[0].row.passage.id == "right"
    assert any("nginx" in note for note in second.notes)
