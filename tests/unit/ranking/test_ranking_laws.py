"""Laws that hold for every preset, whatever the store holds."""

from __future__ import annotations

import itertools
import math
import os
from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tercet.model import Passage, Row, Scope, TermStatistics
from tercet.ranking.explain import recompute
from tercet.ranking.formula import LEXICAL, PENALTIES, SIGNALS
from tercet.ranking.fusion import bend, fuse, stack, upper_bound, weight_rows
from tercet.ranking.pipeline import Candidate, Ranking, rank
from tercet.ranking.presets import PRESETS, preset_with
from tercet.ranking.query import QueryAnalysis
from tercet.ranking.sources import SOURCES

_NAMES = list(PRESETS)
_WORDS = ["gateway", "port", "8443", "nginx", "tulip", "ann", "the"]
_PATHS = ["memory/2026-02-08.md", "network/gateway.md", "a.md"]
_SAID_AND_WHEN = ("speaker", "reply", "assistant", "newness", "date", "later")
_IMPORTANCES = st.one_of(st.none(), st.floats(-1, 2), st.just(math.nan))
_COSINES = st.one_of(st.none(), st.floats(-1, 1))

LONG = int(os.environ.get("TERCET_TEST_LONG", "1"))
"""Multiplies the number of examples; the suite's own runs are short."""


def _unit(cosine: float) -> np.ndarray:
    return np.array([cosine, math.sqrt(max(0.0, 1 - cosine * cosine)), 0.0], dtype=np.float32)


_QUERY_VECTORS = np.array([[1.0, 0.0, 0.0], [0.8, 0.6, 0.0], [0.6, 0.0, 0.8]], dtype=np.float32)


@st.composite
def _row(draw: st.DrawFn, ident: str, build) -> Row:
    kind = draw(st.sampled_from(["turn", "chunk", "note", "entry"]))
    words = draw(st.lists(st.sampled_from(_WORDS), max_size=8))
    cosine = draw(_COSINES)
    passage = Passage(
        id=ident,
        kind="entry" if kind == "turn" else kind,
        scope=Scope("main"),
        text=" ".join(words),
        header=draw(st.sampled_from(["", "Gateway", "Port of nginx"])) if kind != "turn" else "",
        path=draw(st.sampled_from(_PATHS)) if kind in {"chunk", "note"} else "",
        session="s" if kind == "turn" else "",
        ordinal=draw(st.integers(0, 5)),
        speaker=draw(st.sampled_from(["", "Ann", "Bob", "user", "assistant"])),
        importance=draw(_IMPORTANCES),
        timestamp=draw(st.one_of(st.none(), st.integers(-900, 30).map(lambda d: build.now + timedelta(days=d)))),
    )
    return Row(passage, tuple(words), None if cosine is None else _unit(cosine))


@st.composite
def _case(draw: st.DrawFn, build) -> tuple[QueryAnalysis, list[Row], TermStatistics]:
    rows = [draw(_row(f"p{n}", build)) for n in range(draw(st.integers(0, 8)))]
    asked = tuple(draw(st.lists(st.sampled_from(_WORDS[:-1]), max_size=4, unique=True)))
    analysis = QueryAnalysis(
        text=" ".join(asked),
        terms=asked,
        pairs=tuple(itertools.pairwise(asked)),
        numbers=frozenset({"8443"} & set(asked)),
        words=frozenset(asked),
        intervals=(build.day(2026, 2, 8),) if draw(st.booleans()) else (),
        date_terms=frozenset(asked[:1]),
        asks_latest=draw(st.booleans()),
        asks_assistant=draw(st.booleans()),
    )
    documents = draw(st.integers(0, 5000))
    frequency = {t: draw(st.integers(0, max(1, documents))) for t in asked}
    return analysis, rows, TermStatistics(documents, documents * 6, frequency)


def _ranked(case: tuple[QueryAnalysis, list[Row], TermStatistics], preset, build, **options) -> Ranking:
    analysis, rows, statistics = case
    pool = [Candidate(r, frozenset({"vector"})) for r in rows]
    vectors = options.pop("query_vectors", _QUERY_VECTORS)
    return rank(analysis, pool, statistics, preset, query_vectors=vectors, now=build.now, **options)


def _outcome(ranking: Ranking) -> list[tuple[str, float]]:
    return [(h.row.passage.id, h.score) for h in ranking.hits]


@pytest.mark.parametrize("name", _NAMES)
@settings(max_examples=20 * LONG, deadline=None)
@given(data=st.data())
def test_scores_lie_in_the_unit_interval_do_not_rise_and_recompute_exactly(name: str, build, data: st.DataObject):
    """R14, R30."""
    case = data.draw(_case(build))
    mode = data.draw(st.sampled_from([None, "hybrid", "vector", "keyword"]))
    ranking = _ranked(case, PRESETS[name], build, min_score=0, limit=50, mode=mode)
    previous = 1.0
    for hit in ranking.hits:
        assert 0 < hit.score <= previous
        assert hit.score == recompute(hit.parts, hit.multipliers)
        assert hit.score <= hit.relevance + 1e-12 <= 1 + 1e-12
        assert all(0 <= p.value <= 1 and p.contribution == p.weight * p.value for p in hit.parts)
        previous = hit.score
    keys = [h.key for h in ranking.hits]
    assert keys == sorted(keys, reverse=True)
    assert len(ranking.hits) + len(ranking.dropped) == len(case[1])


@pytest.mark.parametrize("name", _NAMES)
@settings(max_examples=20 * LONG, deadline=None)
@given(data=st.data())
def test_threshold_limit_and_order_of_arrival(name: str, build, data: st.DataObject):
    case = data.draw(_case(build))
    threshold, limit = data.draw(st.floats(0, 1)), data.draw(st.integers(1, 9))
    whole = _outcome(_ranked(case, PRESETS[name], build, min_score=0, limit=50))
    cut = _outcome(_ranked(case, PRESETS[name], build, min_score=threshold, limit=limit))
    assert cut == [(i, s) for i, s in whole if s >= threshold][:limit]
    analysis, rows, statistics = case
    shuffled = data.draw(st.permutations(rows))
    assert _outcome(_ranked((analysis, shuffled, statistics), PRESETS[name], build, min_score=0, limit=50)) == whole


@pytest.mark.parametrize("name", ["classic", "hybrid"])
@settings(max_examples=20 * LONG, deadline=None)
@given(data=st.data())
def test_a_passage_found_by_words_alone_stays_below_their_weights(name: str, build, data: st.DataObject):
    case = data.draw(_case(build))
    case = (replace(case[0], intervals=()), case[1], case[2])
    weights = PRESETS[name].weights["entry"]
    bound = weights.keyword + weights.header + weights.path
    for hit in _ranked(case, PRESETS[name], build, min_score=0, limit=50).hits:
        if hit.row.vector is None:
            assert hit.score <= bound + 1e-12


def _relevances(ranking: Ranking) -> dict[str, float]:
    shown = {h.row.passage.id: h.score for h in ranking.hits}
    return shown | {d.id: d.score for d in ranking.dropped if d.rule != "duplicate"}


@pytest.mark.parametrize("name", _NAMES)
@settings(max_examples=20 * LONG, deadline=None)
@given(data=st.data())
def test_a_nearer_vector_or_more_importance_never_lowers_a_score(name: str, build, data: st.DataObject):
    analysis, rows, statistics = data.draw(_case(build))
    # Lone entries: in a conversation or file a nearer vector lifts its neighbours' signals too.
    rows = [
        Row(
            replace(r.passage, kind="entry", path="", session="", text=f"{r.passage.text} {r.passage.id}"),
            r.terms,
            r.vector,
        )
        for r in rows
        if r.vector is not None
    ]
    if not rows:
        return
    changed = rows[0]
    assert changed.vector is not None
    nearer = data.draw(st.floats(float(changed.vector[0]), 1))
    raised = [Row(replace(changed.passage, importance=1.0), changed.terms, _unit(nearer)), *rows[1:]]
    # The question alone: what is nearer to it need not be nearer to its sentences.
    whole = {"min_score": 0, "limit": 50, "query_vectors": _QUERY_VECTORS[:1]}
    for preset in (PRESETS[name], preset_with(name, {"importance": False})):
        before = _relevances(_ranked((analysis, rows, statistics), preset, build, **whole))
        after = _relevances(_ranked((analysis, raised, statistics), preset, build, **whole))
        assert after[changed.passage.id] >= before[changed.passage.id] - 1e-9


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("name", _NAMES)
@settings(max_examples=20 * LONG)
@given(data=st.data())
def test_raising_any_signal_but_a_penalty_never_lowers_the_sum(name: str, source: str, data: st.DataObject):
    values = {s: data.draw(st.floats(0, 1)) for s in SIGNALS}
    raised_name = data.draw(st.sampled_from([s for s in SIGNALS if s not in PENALTIES]))
    more = values | {raised_name: data.draw(st.floats(values[raised_name], 1))}
    passage = Passage(
        "a", "entry" if source in {"turn", "entry"} else source, Scope("main"), "", session="s" * (source == "turn")
    )
    weights = weight_rows(PRESETS[name], [passage], "hybrid", weak=False, asks_latest=True)
    low, high = (
        bend(fuse(stack({s: np.array([v]) for s, v in each.items()}, 1), weights), upper_bound(weights, 3.0))[0]
        for each in (values, more)
    )
    assert high >= low - 1e-12


@pytest.mark.parametrize("name", _NAMES)
@settings(max_examples=20 * LONG, deadline=None)
@given(data=st.data())
def test_a_weight_of_zero_removes_the_vectors_effect(name: str, build, data: st.DataObject):
    analysis, rows, statistics = data.draw(_case(build))
    preset = preset_with(name, {"vector": 0})
    turned = [Row(r.passage, r.terms, _unit(data.draw(st.floats(-1, 1)))) for r in rows]
    assert _outcome(_ranked((analysis, turned, statistics), preset, build, min_score=0)) == _outcome(
        _ranked((analysis, rows, statistics), preset, build, min_score=0)
    )


@pytest.mark.parametrize("name", _NAMES)
@settings(max_examples=20 * LONG, deadline=None)
@given(data=st.data())
def test_weights_of_zero_remove_the_words_effect(name: str, build, data: st.DataObject):
    analysis, rows, statistics = data.draw(_case(build))
    preset = preset_with(name, dict.fromkeys(LEXICAL, 0))
    words = st.lists(st.sampled_from(_WORDS), max_size=8).map(tuple)
    reworded = [Row(r.passage, data.draw(words), r.vector) for r in rows]
    assert _outcome(_ranked((analysis, reworded, statistics), preset, build, min_score=0)) == _outcome(
        _ranked((analysis, rows, statistics), preset, build, min_score=0)
    )


@pytest.mark.parametrize("name", _NAMES)
@settings(max_examples=20 * LONG, deadline=None)
@given(data=st.data())
def test_weights_of_zero_remove_speaker_assistant_and_time(name: str, build, data: st.DataObject):
    analysis, rows, statistics = data.draw(_case(build))
    preset = preset_with(name, dict.fromkeys(_SAID_AND_WHEN, 0) | {"date_multiplier": 1})
    others = [
        Row(
            replace(
                r.passage,
                speaker=data.draw(st.sampled_from(["Ann", "assistant"])),
                timestamp=build.now + timedelta(days=data.draw(st.integers(-9, 9))),
            ),
            r.terms,
            r.vector,
        )
        for r in rows
    ]
    assert _outcome(_ranked((analysis, others, statistics), preset, build, min_score=0)) == _outcome(
        _ranked((analysis, rows, statistics), preset, build, min_score=0)
    )
