"""A query that asks for nothing but a day."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest

from tercet.ranking.pipeline import Ranking, rank
from tercet.ranking.presets import TUNED
from tercet.ranking.query import analyse_query

_NOW = datetime(2025, 11, 16, 12, tzinfo=timezone(timedelta(hours=1)))


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("what did she do the day before yesterday", set()),
        ("前天她做了什么", set()),
        ("What happened on 14 November 2025?", set()),
        ("What did the notary say on 14 November 2025?", {"notari"}),
        ("Which piano did she order the day before yesterday?", {"piano"}),
    ],
)
def test_what_is_asked_for_beside_the_date(text: str, left: set[str]):
    read = analyse_query(text, _NOW)
    assert read.intervals
    assert left <= set(read.terms) - read.date_terms
    if not left:
        assert not {t for t in read.terms if t.isascii()} - read.date_terms


def test_without_a_date_every_term_is_content():
    assert analyse_query("What happened?", _NOW).date_terms == frozenset()


def _diary(build) -> list[object]:
    return [
        build.row("day", "Signed. Keys are ours.", cosine=0.1, kind="chunk", path="memory/2025-11-14.md"),
        build.row(
            "told", "On 14 November 2025 the notary reads the deed.", cosine=0.2, kind="chunk", path="memory/house.md"
        ),
        build.row("next", "Nothing but boxes.", cosine=0.4, kind="chunk", path="memory/2025-11-18.md"),
        build.row("piano", "The piano of the notary", cosine=0.6, kind="chunk", path="memory/music.md"),
    ]


def _asked(build, text: str) -> Ranking:
    rows = _diary(build)
    return rank(
        analyse_query(text, _NOW),
        build.candidates(rows),
        build.statistics(rows, documents=60),
        TUNED,
        query_vectors=build.query_vectors,
        min_score=0,
        now=_NOW,
    )


@pytest.mark.parametrize("text", ["what did she do the day before yesterday", "what happened on 14 November 2025"])
def test_the_note_of_the_day_comes_first_then_what_tells_of_it(build, text: str):
    assert [h.row.passage.id for h in _asked(build, text).hits][:2] == ["day", "told"]


def test_one_rare_word_is_enough_for_the_date_to_count_as_usual(build):
    found = _asked(build, "which piano did she see the day before yesterday")
    assert found.hits[0].row.passage.id == "piano"
    weight = next(p.weight for p in found.hits[0].parts if p.name == "date")
    assert weight == pytest.approx(TUNED.weights["chunk"].date)
