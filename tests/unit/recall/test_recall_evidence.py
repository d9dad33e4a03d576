"""Turns that only stand among others say nothing by themselves."""

from datetime import UTC, datetime

import pytest

from tercet.model import Explanation, Hit, Passage, Scope, SignalPart
from tercet.recall.evidence import with_own_evidence

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)


def turn(text, *, ordinal=1, explained=True, **signals):
    parts = tuple(SignalPart(name, value, 1.0, value) for name, value in signals.items())
    passage = Passage(text, "entry", Scope("main", "telegram:1"), text, session="s" if ordinal else "", ordinal=ordinal)
    return Hit(passage, 0.3, 0.3, "semantic", text, Explanation("tuned", parts, (), ()) if explained else None)


def kept(message, *hits):
    return [hit.passage.text for hit in with_own_evidence(hits, message, NOW)]


@pytest.mark.parametrize("message", ["how is the weather today?", "今天天气怎么样"])
def test_small_talk_that_only_shares_a_day_is_left_out(message):
    assert kept(message, turn("I was bored today", vector=0.35), turn("Have a good day", vector=0.3)) == []


def test_a_shared_word_or_a_near_meaning_is_evidence():
    assert len(kept("what weather did we have?", turn("The weather was bad"), turn("It rained", vector=0.45))) == 2


@pytest.mark.parametrize(
    "message",
    ["how is the weather today?", "What a sunny day!", "Is it going to rain tomorrow?", "nice weather, isn't it"],
)
def test_in_a_chat_about_the_weather_only_what_is_near_in_meaning_stays(message):
    small_talk = turn("Nice weather on such a sunny day, it is going to rain", vector=0.3, date=1.0)
    fact = turn("I hate rain", ordinal=0)
    assert kept(message, small_talk, turn("Rain", vector=0.45), fact) == ["Rain", "I hate rain"]


def test_turns_of_another_day_that_was_asked_for_stay_and_those_of_today_do_not():
    dated = turn("We met the roofer", date=1.0)
    assert kept("what happened on 7 May 2026?", dated) == ["We met the roofer"]
    assert kept("what weather today?", dated) == []


def test_only_turns_are_looked_at():
    hits = [turn("I like quails", ordinal=0), turn("I like quails", explained=False)]
    assert len(kept("what is my job", *hits)) == 2


def test_nothing_but_dates_leaves_everything():
    assert kept("yesterday?", turn("We met the roofer")) == ["We met the roofer"]
