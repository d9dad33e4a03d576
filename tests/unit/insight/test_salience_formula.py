"""Salience: worked numbers, and laws that hold for any item."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tercet.insight.kinds import kind_of
from tercet.insight.salience import KIND_WEIGHTS, Item, Question, bears_on, importance, most_salient, salience

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
ASKED = Question("Where is the key?", frozenset({"key"}), 1, frozenset({"p"}))


def item(ref: str = "r:a.md", **more: object) -> Item:
    fields = {"name": "a.md", "kind": "topic", "weight": 0.8, "size": 2000, "changed_at": NOW - timedelta(days=14)}
    return Item(ref=ref, **(fields | more))


items = st.builds(
    item,
    kind=st.sampled_from(["topic", "core", "daily", "entry"]),
    weight=st.floats(0, 1),
    size=st.integers(0, 100_000),
    changed_at=st.integers(-400, 5).map(lambda days: NOW + timedelta(days=days)),
    accesses=st.integers(0, 20),
    accessed_at=st.none() | st.integers(-400, 5).map(lambda days: NOW + timedelta(days=days)),
    questions=st.lists(
        st.builds(Question, st.text(max_size=5), st.just(frozenset("x")), st.integers(1, 9), st.just(frozenset("p")))
    ).map(tuple),
)


def test_the_worked_example():
    """.8 * (.5 + .15 * 2000/4000 + .15 * 1/5 + .2 * 2/3), and 1 - 1/e after 14 days."""
    asked_twice = replace(ASKED, times=2)
    found = salience(item(accesses=1, accessed_at=NOW - timedelta(days=14), questions=(asked_twice,)), NOW)
    assert found.importance == pytest.approx(0.8 * (0.5 + 0.075 + 0.03 + 0.2 * 2 / 3))
    assert found.staleness == pytest.approx(0.6321206)
    assert found.score == pytest.approx(0.8 * 0.7383333 * 0.6321206)
    assert found.days_unseen == 14


def test_an_entry_is_full_size_at_400_characters_and_brings_its_own_weight():
    assert importance(item(kind="entry", weight=0.9, size=400)) == pytest.approx(0.9 * 0.65)
    assert importance(item(kind="topic", weight=0.9, size=400)) == pytest.approx(0.9 * 0.515)


def test_topics_weigh_more_than_core_files_and_those_more_than_days():
    assert KIND_WEIGHTS == {"topic": 0.8, "core": 0.7, "daily": 0.4}


def test_kinds_are_told_by_the_path():
    own = ("MEMORY.md", ".claude/memory/MEMORY.md", "user.md", "CLAUDE.md", "README.zh-TW.md", "skills/x/SKILL.md")
    assert {kind_of(path) for path in own} == {"core"}
    assert kind_of("Templates/City Template.md") == kind_of("agent/templates/notes/day.md") == "core"
    assert kind_of("guides/templates.md") == "topic"
    assert kind_of("memory/2026-02-14.md") == kind_of("2026-02-14-evening.md") == "daily"
    assert kind_of("memory/2026-02-14/plan.md") == kind_of("weekly/2026-W04.md") == kind_of("people/maud.md") == "topic"


def test_what_was_seen_last_counts_change_or_access():
    seen = item(changed_at=NOW - timedelta(days=40), accessed_at=NOW - timedelta(days=2))
    assert salience(seen, NOW).days_unseen == 2
    assert salience(replace(seen, changed_at=NOW - timedelta(days=1)), NOW).days_unseen == 1
    assert salience(replace(seen, accessed_at=NOW + timedelta(days=1)), NOW).staleness == 0


def test_equal_scores_are_ordered_by_importance_then_size_then_ref():
    """Files written in one go differ by milliseconds, which must not order them."""
    new = [
        item("r:b.md", size=10, changed_at=NOW - timedelta(seconds=1)),
        item("r:a.md", size=10, changed_at=NOW),
        item("r:big.md", size=4000, changed_at=NOW),
        item("r:bigger.md", size=9000, changed_at=NOW),
    ]
    found = most_salient(new, NOW, 9)
    assert [each.item.ref for each in found] == ["r:bigger.md", "r:big.md", "r:a.md", "r:b.md"]
    assert most_salient(reversed(new), NOW, 2) == found[:2]
    assert most_salient([], NOW, 9) == []


def test_what_holds_a_word_of_a_question_may_have_been_meant():
    assert bears_on(ASKED, {"key", "door"})
    assert not bears_on(ASKED, {"door"})
    assert not bears_on(ASKED, set())


@settings(max_examples=40)
@given(items, st.integers(0, 300))
def test_scores_are_in_range_and_rise_with_time(one: Item, days: int):
    now, later = salience(one, NOW), salience(one, NOW + timedelta(days=days))
    assert 0 <= now.score <= later.score <= 1
    assert now.importance == later.importance


@settings(max_examples=40)
@given(items, st.integers(1, 5))
def test_more_of_anything_good_is_never_less_salient(one: Item, more: int):
    score = salience(one, NOW).score
    assert salience(replace(one, accesses=one.accesses + more), NOW).score >= score
    assert salience(replace(one, size=one.size + 100 * more), NOW).score >= score
    assert salience(replace(one, questions=(*one.questions, ASKED)), NOW).score >= score
    assert salience(replace(one, changed_at=one.changed_at - timedelta(days=more)), NOW).score >= score
