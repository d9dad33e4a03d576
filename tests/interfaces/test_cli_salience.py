"""``tercet salience``: the real command over real folders."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tercet.access_notes import GOOD_SCORE

EXAMPLE = Path(__file__).parents[2] / "examples" / "workspace"
NOW = ("--now", "2023-12-12T22:13:20+00:00")
"""28 days after the notes were written; what a test looks at, it looks at later, that is right now."""


@pytest.fixture
def indexed(tercet, notes):
    assert tercet("index", str(notes)).code == 0
    return tercet


def items(tercet, *arguments):
    return tercet("salience", *NOW, *arguments, "--json").json["items"]


def test_it_has_the_documented_keys(indexed, notes):
    found = items(indexed)
    assert [each["ref"] for each in found] == [
        "notes:table.md",
        "notes:zh/备忘.md",
        "notes:MEMORY.md",
        "notes:daily/2026-01-09.md",
    ]
    importance = 0.8 * (0.5 + 0.15 * (notes / "table.md").stat().st_size / 4000)
    assert found[0] == {
        "ref": "notes:table.md",
        "kind": "topic",
        "score": round(importance * 0.8646647, 4),
        "importance": round(importance, 4),
        "staleness": 0.8647,
        "daysUnseen": 28.0,
        "accesses": 0,
        "questions": [],
        "prompt": "You have not looked at table.md for 28 days.",
    }
    assert items(indexed) == found
    assert items(indexed, "--top", "1") == found[:1]
    assert indexed("read", found[0]["ref"]).code == 0


def test_it_prints_a_line_an_item(indexed):
    lines = indexed("salience", *NOW, "--top", "2").out.splitlines()
    assert lines[0] == "0.348  You have not looked at table.md for 28 days."
    assert len(lines) == 2


def test_search_read_and_a_question_in_vain_count(indexed):
    """Each through the command a user types."""
    assert indexed("search", "Where does the boat Albatros lie, berth 47?", "--json").json["results"]
    assert indexed("read", "notes:table.md#L1-L3").code == 0
    vain = "Which chimney sweep did the roofer recommend for the church in Delft?"
    assert 0 < indexed("search", vain, "--min-score", "0", "--json").json["results"][0]["score"] < GOOD_SCORE
    found = {each["ref"]: each for each in items(indexed)}
    assert found["notes:MEMORY.md"]["accesses"] == found["notes:table.md"]["accesses"] == 1
    assert found["notes:table.md"]["daysUnseen"] == 0
    assert found["notes:daily/2026-01-09.md"]["prompt"] == (
        "You have not looked at daily/2026-01-09.md for 28 days; "
        f'it may bear on "{vain}", which you asked once and did not find.'
    )


def test_entries_count_and_forgotten_ones_do_not(indexed):
    entry = indexed("remember", "My locker at the pool is number 12.", "--importance", "1", "--json").json["entry"]
    far = ("--now", "2090-01-01T00:00+00:00")
    first = indexed("salience", *far, "--json").json["items"][0]
    assert (first["kind"], first["ref"]) == ("entry", entry["id"])
    assert first["prompt"].startswith('You have not looked at "My locker at the pool is number 12." for ')
    assert indexed("forget", entry["id"]).code == 0
    assert "entry" not in {each["kind"] for each in indexed("salience", *far, "--json").json["items"]}


def test_an_empty_memory_and_wrong_options(tercet):
    assert items(tercet) == []
    assert tercet("salience").err == "Nothing is remembered.\n"
    assert tercet("salience", "--top", "0").code == 2
    assert tercet("salience", "--now", "soon").code == 2


def test_the_example_workspace(tercet, tmp_path, age):
    """What is durable comes first: topics, then the agent's own files, the days last."""
    folder = Path(shutil.copytree(EXAMPLE, tmp_path / "workspace"))
    age(folder)
    assert tercet("index", str(folder)).code == 0
    found = items(tercet, "--top", "100")
    assert len(found) == len(list(folder.rglob("*.md")))
    assert {each["kind"] for each in found[:10]} == {"topic"}
    assert {each["kind"] for each in found[-10:]} == {"daily"}
    assert [each["score"] for each in found] == sorted((each["score"] for each in found), reverse=True)
    assert items(tercet, "--top", "100") == found
