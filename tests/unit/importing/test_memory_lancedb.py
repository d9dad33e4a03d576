"""Rows of the old table as facts of one agent; what a row lacks or has wrong costs that row alone."""

from datetime import UTC, datetime

import pytest

from tercet.importing.memory_lancedb import agent_of, facts_of

ROW = {
    "id": "0b7c",
    "text": "I drink oolong",
    "importance": 0.9,
    "category": "preference",
    "createdAt": 1_767_600_000_000,
    "agentId": "main",
}


def test_a_row_is_a_fact_with_its_provenance_and_time():
    (fact,) = facts_of([ROW], "main").facts
    assert (fact.source, fact.text, fact.category, fact.importance) == (
        "memory-lancedb:0b7c",
        "I drink oolong",
        "preference",
        0.9,
    )
    assert fact.said_at == datetime(2026, 1, 5, 8, tzinfo=UTC)


def test_rows_of_others_are_counted_with_the_way_to_get_them():
    rows = [ROW, ROW | {"id": "2", "agentId": "Work Bot"}, ROW | {"id": "3", "agentId": "work-bot"}]
    ours, theirs = facts_of(rows, "main"), facts_of(rows, "work-bot")
    assert len(ours.facts) == 1
    assert ours.skipped == (("of the agent work-bot: import it with --agent work-bot", 2),)
    assert [fact.source for fact in theirs.facts] == ["memory-lancedb:2", "memory-lancedb:3"]


@pytest.mark.parametrize("owner", [None, "", "  ", "MAIN"])
def test_a_row_of_nobody_is_the_main_agents(owner):
    assert agent_of(owner) == "main"
    without = {key: value for key, value in ROW.items() if key != "agentId"}
    assert facts_of([ROW | {"agentId": owner}, without | {"id": "2"}], "main").skipped == ()
    assert facts_of([without], "work").facts == ()


@pytest.mark.parametrize(
    ("text", "identifier", "why"), [(" \n", "1", "no text"), (None, "1", "no text"), ("a", None, "no id")]
)
def test_a_row_without_text_or_id_is_skipped_and_said(text, identifier, why):
    read = facts_of([ROW, ROW | {"text": text, "id": identifier}], "main")
    assert (len(read.facts), read.skipped) == (1, ((why, 1),))


def test_values_out_of_range_are_mended_and_cost_no_row():
    odd = [
        {"importance": 7, "category": "core", "createdAt": float("inf")},
        {"importance": float("nan"), "category": None, "createdAt": 10**30},
        {"importance": "high", "category": ["fact"], "createdAt": -5},
    ]
    facts = facts_of([ROW | each | {"id": str(number)} for number, each in enumerate(odd)], "main").facts
    assert [(fact.importance, fact.category, fact.said_at) for fact in facts] == [
        (1.0, "other", None),
        (0.7, "other", None),
        (0.7, "other", None),
    ]


def test_the_oldest_comes_first_so_that_the_newer_supersedes():
    rows = [ROW | {"id": "new", "createdAt": 2_000_000_000_000}, ROW | {"id": "old", "createdAt": 1_000_000_000_000}]
    assert [fact.source for fact in facts_of(rows, "main").facts] == ["memory-lancedb:old", "memory-lancedb:new"]
