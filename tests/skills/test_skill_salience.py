"""``memory_salience.py``: what matters and has not been looked at for long."""

from __future__ import annotations

import json
import os
from datetime import datetime, timedelta

import pytest

NOW = datetime.fromisoformat("2026-03-01T09:00:00+01:00")


def salience(skill, *more):
    ran = skill("memory_salience.py", "--json", "--now", NOW.isoformat(), *more)
    assert ran.code == 0, ran.err
    return {item["path"]: item for item in ran.json["items"]}


@pytest.fixture
def aged(skill):
    """The workspace, every file last edited 28 days ago."""
    for path in skill.workspace.rglob("*.md"):
        edit(path, days=28)
    return skill


def edit(path, days):
    at = (NOW - timedelta(days=days)).timestamp()
    os.utime(path, (at, at))


def log(skill, *searches):
    lines = [
        {"at": (NOW - timedelta(days=days)).isoformat(), "terms": terms, "best": best, "paths": paths}
        for days, terms, best, paths in searches
    ]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (skill.workspace / "memory" / "search_log.jsonl").write_text(text, "utf-8")


def test_topics_weigh_more_than_core_files_and_those_more_than_days(aged):
    items = salience(aged)
    assert [items[p]["kind"] for p in ("memory/projects/ledger.md", "MEMORY.md", "memory/2026-02-08.md")] == [
        "topic",
        "core",
        "daily",
    ]
    scores = [items[p]["score"] for p in ("memory/projects/ledger.md", "MEMORY.md", "memory/2026-02-08.md")]
    assert scores == sorted(scores, reverse=True)
    assert items["MEMORY.md"]["staleness"] == pytest.approx(1 - 2.718281828**-2, abs=1e-3)
    assert items["MEMORY.md"]["prompt"] == "You have not looked at MEMORY.md for 28 days."


def test_an_edit_or_a_search_that_found_it_is_a_look(aged):
    edit(aged.workspace / "MEMORY.md", days=1)
    log(aged, (2, ["ledger"], 0.8, ["memory/projects/ledger.md"]))
    items = salience(aged)
    assert items["MEMORY.md"]["daysUnseen"] == 1
    assert (items["memory/projects/ledger.md"]["daysUnseen"], items["memory/projects/ledger.md"]["found"]) == (2, 1)


def test_what_searches_find_often_matters_more(aged):  # K6
    log(aged, *[(10, ["pin"], 0.8, ["memory/short.md"])] * 5)
    found = salience(aged)["memory/short.md"]
    assert found["importance"] > salience(aged)["memory/zh/备忘.md"]["importance"] + 0.1


def test_a_file_that_bears_on_questions_without_an_answer_is_brought_up(aged):
    log(aged, (3, ["slate", "roofer"], 0.2, []), (4, ["slate", "cost"], 0.1, []), (60, ["slate"], 0.1, []))
    item = salience(aged)["memory/2026-02-08.md"]
    assert item["gaps"] == 2
    assert "bears on 2 questions you asked lately and found no good answer to" in item["prompt"]


def test_a_damaged_log_and_none_are_no_error(aged):
    before = salience(aged)
    (aged.workspace / "memory" / "search_log.jsonl").write_bytes(b'{"at": 3}\n\xff\xfe\nnull\n[]\n')
    assert salience(aged) == before


def test_the_same_moment_gives_the_same_and_top_cuts(aged):
    assert salience(aged) == salience(aged)
    assert len(salience(aged, "--top", "3")) == 3
    lines = aged("memory_salience.py", "--top", "2", "--now", NOW.isoformat()).out.splitlines()
    assert len(lines) == 2
    assert aged("memory_salience.py", "--top", "0").code == 2
