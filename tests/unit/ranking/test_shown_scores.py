"""The score a user sees: calibrated, never rising, and not the same six times over."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tercet.ranking.abstention import threshold_of
from tercet.ranking.calibration import BackgroundCosines
from tercet.ranking.pipeline import Ranking, rank
from tercet.ranking.presets import ENTRY_SEARCH, TUNED, preset_with


def _levelled(build, preset=TUNED, **options) -> Ranking:
    """Rank turns so that strong evidence stands last: the order goes by the surroundings too."""
    turns = [
        build.row(f"t{n}", text, cosine=0.3, session="s", ordinal=n)
        for n, text in enumerate(["of gateway", "gateway port 8443", "of 8443", "of port", "of it"])
    ]
    rows = [
        *turns,
        build.row("lone", "8443 is the gateway port", cosine=0.35, kind="chunk", path="a.md", header="Port"),
    ]
    return rank(
        build.asks("gateway port 8443"),
        build.candidates(rows),
        build.statistics(rows, documents=500),
        preset,
        query_vectors=build.query_vectors,
        now=build.now,
        **options,
    )


def test_scores_that_were_levelled_still_differ_down_the_list(build):
    scores = [h.score for h in _levelled(build, min_score=0, limit=50).hits]
    assert len(scores) == 6
    assert len({round(s, 4) for s in scores}) > 4
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("threshold", [0.05, 0.3, 0.6, 0.8])
def test_strong_evidence_is_not_cut_behind_weaker_one(build, threshold: float):
    whole = [(h.row.passage.id, h.score) for h in _levelled(build, min_score=0, limit=50).hits]
    cut = [(h.row.passage.id, h.score) for h in _levelled(build, min_score=threshold, limit=50).hits]
    assert cut == [hit for hit in whole if hit[1] >= threshold]
    assert cut == whole[: len(cut)], "no hit is left out from the middle"


def test_without_vectors_nothing_is_refused_by_default(build):
    row = build.row("far", "a port among many other words of no use here at all", cosine=None)
    asked = build.asks("gateway port 8443 nginx zebra crossing")
    pool, statistics = build.candidates([row]), build.statistics([row], documents=5000)
    statistics.document_frequency["port"] = 3000

    def hits(**options) -> int:
        return len(rank(asked, pool, statistics, TUNED, query_vectors=None, now=build.now, **options).hits)

    assert hits() == 1
    assert hits(min_score=0.3) == 0, "a threshold that is given acts all the same"


def test_each_mode_has_its_default_threshold():
    assert threshold_of(None, TUNED) == TUNED.min_score > 0
    assert threshold_of(None, TUNED, "vector") == TUNED.min_score
    assert threshold_of(None, TUNED, "keyword") == 0
    assert threshold_of(0.4, TUNED, "keyword") == 0.4
    assert threshold_of(None, ENTRY_SEARCH, "keyword") == 0.5


def test_a_measured_background_has_its_own_constants(build):
    row = build.row("a", "gateway", cosine=0.4)
    pool, statistics = build.candidates([row]), build.statistics([row], documents=500)

    def score(option: str, *, measured: bool) -> float:
        return (
            rank(
                build.asks("gateway port"),
                pool,
                statistics,
                preset_with("tuned", {option: 1.0}),
                query_vectors=build.query_vectors,
                background=BackgroundCosines(0.32, 0.12, 9) if measured else None,
                min_score=0,
                now=build.now,
            )
            .hits[0]
            .score
        )

    assert score("calibration.bias", measured=True) == score("calibration.cosine_z", measured=True)
    assert score("calibration.bias", measured=False) > score("calibration.measured_bias", measured=False)
    assert score("calibration.measured_bias", measured=True) > score("calibration.bias", measured=True)


@pytest.mark.parametrize(("asks", "first"), [(True, "assistant"), (False, "user")])
def test_the_assistants_words_win_only_when_asked_for(build, asks: bool, first: str):
    rows = [
        build.row(who, f"the gateway port is open, says {who}", cosine=0.4, speaker=who, session=who, ordinal=1)
        for who in ("assistant", "user")
    ]
    ranking = rank(
        build.asks("gateway port", asks_assistant=asks),
        build.candidates(rows),
        build.statistics(rows, documents=500),
        TUNED,
        query_vectors=build.query_vectors,
        now=build.now,
    )
    assert ranking.hits[0].row.passage.id == first


def test_what_was_written_after_the_question_comes_last(build):
    rows = [
        build.row("after", "the gateway port", cosine=0.42, timestamp=build.now + timedelta(days=2)),
        build.row("before", "the gateway port", cosine=0.4, timestamp=build.now - timedelta(days=200)),
    ]
    for preset, first in ((TUNED, "before"), (preset_with("tuned", {"later": 0, "collapse": False}), "after")):
        ranking = rank(
            build.asks("gateway port"),
            build.candidates(rows),
            build.statistics(rows, documents=500),
            preset,
            query_vectors=build.query_vectors,
            now=build.now,
        )
        assert ranking.hits[0].row.passage.id == first
