"""What a bar prints adds up to the score, and nothing of it is left unexplained (R30)."""

from __future__ import annotations

import itertools
from decimal import Decimal

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tercet.interfaces.inspector.score_bars import POINTS, score_bar
from tercet.interfaces.inspector.signal_words import SIGNAL_WORDS, STEP_WORDS
from tercet.layers.wiki.ranking import WEIGHTS
from tercet.model import Explanation, Hit, Passage, Scope, SignalPart
from tercet.ranking.explain import IMPORTANCE, ORDER, fit, recompute
from tercet.ranking.formula import SIGNALS
from tercet.ranking.reranking import RERANK
from tercet.ranking.scoring import FACTORS

PASSAGE = Passage("1", "entry", Scope("main"), "Ann keeps bees.")


def hit_of(contributions, multipliers=(), score=None):
    parts = tuple(
        SignalPart(name, abs(number), 1.0 if number >= 0 else -1.0, number)
        for name, number in zip(SIGNALS, contributions, strict=False)
    )
    explained = Explanation("tuned", parts, tuple(multipliers), ("keyword",))
    return Hit(PASSAGE, recompute(parts, multipliers) if score is None else score, 0.5, "semantic", "", explained)


@given(
    st.lists(st.floats(-0.3, 0.6), min_size=1, max_size=12),
    st.floats(0.001, 1.0),
    st.lists(st.floats(0.2, 3.0), max_size=3),
)
@settings(max_examples=100)
def test_shares_come_to_the_printed_score_and_steps_lead_to_it(contributions, score, factors):
    assume(sum(contributions) > 0.01)
    named = [("importance", factor) for factor in factors]
    hit = hit_of(contributions)
    multipliers = fit(hit.explanation.parts, named, ORDER, score, 1.0)
    bar = score_bar(hit_of(contributions, multipliers))
    assert sum(Decimal(share.printed) for share in bar.shares) == Decimal(bar.printed)
    assert bar.steps[-1].result == pytest.approx(bar.score) if bar.steps else bar.total == pytest.approx(bar.score)
    for share in bar.shares:
        assert share.start >= 0
        assert share.start + share.length <= POINTS + 0.5
        assert abs(share.points - share.contribution * bar.score / bar.total * POINTS) < 1 + 1e-6
    gains = [share for share in bar.shares if share.contribution > 0]
    assert all(one.start <= other.start for one, other in itertools.pairwise(gains))


def test_the_drawn_length_is_the_score():
    bar = score_bar(hit_of([0.4, 0.3], [("importance", 0.5)]))
    first, second = bar.shares
    assert (first.start, first.length) == (0.0, 200.0)
    assert (second.start, second.start + second.length) == (200.0, 350.0)
    assert bar.printed == "0.350"
    assert "keyword +0.150" in bar.told


def test_a_penalty_is_drawn_over_what_it_takes_away():
    bar = score_bar(hit_of([0.5, -0.2]))
    gain, penalty = bar.shares
    assert (gain.start, gain.length) == (0.0, 500.0)
    assert (penalty.start, penalty.length) == (300.0, 200.0)
    assert (penalty.printed, bar.printed) == ("-0.200", "0.300")


def test_what_the_merging_of_layers_took_is_a_step_of_its_own():
    bar = score_bar(hit_of([0.8], [("importance", 0.5)], score=0.3))
    assert [step.name for step in bar.steps] == ["importance", "merge"]
    assert bar.steps[-1].factor == pytest.approx(0.75)
    assert sum(share.points for share in bar.shares) == 300


def test_a_signal_that_is_zero_is_named_and_takes_no_room():
    bar = score_bar(hit_of([0.4, 0.0]))
    assert [share.name for share in bar.shares] == ["vector"]
    assert bar.silent == ("keyword",)


def test_a_layer_that_explains_nothing_still_shows_its_score():
    bar = score_bar(Hit(PASSAGE, 0.25, 0.25, "wiki", ""))
    assert (bar.shares, bar.printed, bar.told) == ((), "0.250", "Score 0.250")


def test_every_signal_and_step_has_words():
    assert set(SIGNAL_WORDS) >= {*SIGNALS, *WEIGHTS}
    assert set(STEP_WORDS) >= {*FACTORS, IMPORTANCE, ORDER, RERANK}
