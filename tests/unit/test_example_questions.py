"""The example workspace and the gold lines of its questions, checked against the files themselves.

The questions were frozen before any search was run over them; these tests hold only that every
gold span exists and carries the words its answer rests on.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from datetime import datetime
from pathlib import Path
from typing import Any  # questions are JSON lines of mixed values

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
WORKSPACE = EXAMPLES / "workspace"
CHINESE = re.compile(r"[\u4e00-\u9fff]")
KINDS = {
    "keyword",
    "file-name",
    "table",
    "paraphrase",
    "short-zh",
    "cross-lingual",
    "temporal-absolute",
    "temporal-relative",
    "list",
    "latest-value",
    "near-duplicate",
    "multi-place",
    "unanswerable",
}
MARKUP = [r"(?m)^```", r"(?m)^\|.+\|$", r"\A---\n", r"(?m)^on: \d", r"\[\[.+\]\]", r"(?m)^aliases:"]

Question = dict[str, Any]


def load_questions() -> list[Question]:
    text = (EXAMPLES / "questions.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def span_text(span: dict[str, Any]) -> str:
    lines = (WORKSPACE / span["path"]).read_text(encoding="utf-8").splitlines()
    assert 1 <= span["startLine"] <= span["endLine"] <= len(lines), span
    return "\n".join(lines[span["startLine"] - 1 : span["endLine"]])


QUESTIONS = load_questions()
ANSWERABLE = [question for question in QUESTIONS if question["kind"] != "unanswerable"]


def test_workspace_has_the_files_of_a_real_one() -> None:
    files = {path.relative_to(WORKSPACE).as_posix() for path in WORKSPACE.rglob("*.md")}
    assert len(files) >= 24
    assert {"MEMORY.md", "USER.md", "AGENTS.md"} <= files
    assert sum(name.startswith(".claude/memory/") for name in files) == 2
    daily = [name for name in files if re.fullmatch(r"memory/\d{4}-\d\d-\d\d\.md", name)]
    assert len({name[7:14] for name in daily}) >= 4, "daily notes cover several months"
    assert any(CHINESE.search(name) for name in files)


@pytest.mark.parametrize("pattern", MARKUP)
def test_workspace_holds_each_kind_of_markup(pattern: str) -> None:
    assert any(re.search(pattern, path.read_text(encoding="utf-8")) for path in WORKSPACE.rglob("*.md"))


def test_ids_and_texts_are_unique_and_five_are_for_the_demo() -> None:
    assert len(QUESTIONS) >= 30
    assert len({question["id"] for question in QUESTIONS}) == len(QUESTIONS)
    assert len({question["text"] for question in QUESTIONS}) == len(QUESTIONS)
    demo = [question for question in QUESTIONS if question.get("demo")]
    kinds = sorted(question["kind"] for question in demo)
    assert kinds == ["keyword", "paraphrase", "paraphrase", "table", "temporal-absolute"]
    assert any(question["lang"] == "zh" for question in demo)


def test_each_kind_is_asked_at_least_twice_except_multi_place() -> None:
    kinds = Counter(question["kind"] for question in QUESTIONS)
    assert set(kinds) == KINDS
    assert all(count >= 2 for kind, count in kinds.items() if kind != "multi-place")


@pytest.mark.parametrize("question", ANSWERABLE, ids=lambda question: question["id"])
def test_gold_lines_hold_the_words_of_the_answer(question: Question) -> None:
    assert question["answer"]
    assert question["holds"]
    gold = "\n".join(span_text(span) for span in question["gold"])
    for words in question["holds"]:
        assert words in gold
    for span in question["also_acceptable"]:
        assert span_text(span).strip()
        assert span not in question["gold"]


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question["id"])
def test_languages_and_times_are_told_rightly(question: Question) -> None:
    assert bool(CHINESE.search(question["text"])) == (question["lang"] == "zh")
    if question["kind"] == "temporal-relative":
        assert datetime.fromisoformat(question["asked_at"]).utcoffset() is not None
    else:
        assert question["asked_at"] is None
    if question["kind"] == "cross-lingual":
        assert {question["lang"], question["doc_lang"]} == {"en", "zh"}
    if question["kind"] == "unanswerable":
        assert not question["gold"]
        assert not question["also_acceptable"]
        assert question["answer"] is None
