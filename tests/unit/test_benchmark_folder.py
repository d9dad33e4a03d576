"""The memory-folder benchmark: its counts, its frozen content and every gold line.

Published figures refer to the digest in the README; a change of content without a new digest, or
of a note without its questions, fails here.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from datetime import datetime
from pathlib import Path
from typing import Any  # questions are JSON lines of mixed values

import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks" / "memory-folder"
WORKSPACE = FOLDER / "workspace"
CHINESE = re.compile(r"[\u4e00-\u9fff]")
SHARED_KINDS = {
    "keyword",
    "paraphrase",
    "cross-lingual",
    "temporal-absolute",
    "temporal-relative",
    "near-duplicate",
    "multi-place",
    "unanswerable",
}
OWN_KINDS = {"table", "list", "latest-value", "short-zh"}

if not FOLDER.is_dir():
    pytest.skip("benchmarks/memory-folder is not part of the source archive", allow_module_level=True)

Question = dict[str, Any]


def load_questions() -> list[Question]:
    text = (FOLDER / "questions.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def notes() -> dict[str, str]:
    return {
        path.relative_to(WORKSPACE).as_posix(): path.read_text(encoding="utf-8") for path in WORKSPACE.rglob("*.md")
    }


def span_text(span: dict[str, Any]) -> str:
    lines = NOTES[span["path"]].splitlines()
    assert 1 <= span["startLine"] <= span["endLine"] <= len(lines), span
    return "\n".join(lines[span["startLine"] - 1 : span["endLine"]])


def content_digest() -> str:
    """SHA-256 over the questions and every note in path order, newlines normalised."""
    digest = hashlib.sha256((FOLDER / "questions.jsonl").read_text(encoding="utf-8").encode())
    for name, text in sorted(NOTES.items()):
        digest.update(f"\0{name}\0{text}".encode())
    return digest.hexdigest()


NOTES = notes()
QUESTIONS = load_questions()
ANSWERABLE = [question for question in QUESTIONS if question["kind"] != "unanswerable"]


def test_folder_covers_a_year_in_two_languages() -> None:
    assert len(NOTES) >= 120
    daily = [name for name in NOTES if re.fullmatch(r"memory/\d{4}-\d\d-\d\d\.md", name)]
    assert len(daily) >= 60
    months = [f"2025-{month:02}" for month in range(9, 13)] + [f"2026-{month:02}" for month in range(1, 9)]
    assert sorted({name[7:14] for name in daily}) == months
    chinese = sum(len(CHINESE.findall(text)) > len(text) / 4 for text in NOTES.values())
    assert 0.25 <= chinese / len(NOTES) <= 0.35


def test_daily_notes_name_the_right_weekday() -> None:
    english = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
    for name, text in NOTES.items():
        if match := re.fullmatch(r"memory/(\d{4}-\d\d-\d\d)\.md", name):
            weekday = datetime.fromisoformat(match[1]).weekday()
            heading = text.splitlines()[0]
            assert english[weekday] in heading or "星期" + "一二三四五六日"[weekday] in heading, name


def test_question_counts() -> None:
    assert len(QUESTIONS) >= 160
    kinds = Counter(question["kind"] for question in QUESTIONS)
    assert set(kinds) == SHARED_KINDS | OWN_KINDS
    assert min(kinds.values()) >= 8
    misses = Counter(question["miss"] for question in QUESTIONS if question["kind"] == "unanswerable")
    assert 0.14 <= misses.total() / len(QUESTIONS) <= 0.17
    assert abs(misses["near"] - misses["foreign"]) <= 2
    assert set(misses) == {"near", "foreign"}


def test_ids_and_texts_are_unique() -> None:
    assert len({question["id"] for question in QUESTIONS}) == len(QUESTIONS)
    assert len({question["text"] for question in QUESTIONS}) == len(QUESTIONS)


def test_readme_states_the_counts_and_the_digest_of_what_is_here() -> None:
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    table = dict(re.findall(r"(?m)^\| ([a-z-]+) \| (\d+) \|$", readme))
    kinds = Counter(question["kind"] for question in QUESTIONS)
    assert {kind: int(count) for kind, count in table.items()} == dict(kinds)
    assert f"{len(NOTES)} notes" in readme
    assert f"{len(QUESTIONS)} questions" in readme
    assert content_digest() in readme


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
    if question["kind"] == "multi-place":
        assert len(question["gold"]) >= 2


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question["id"])
def test_languages_and_times_are_told_rightly(question: Question) -> None:
    if question["lang"] == "zh":
        assert CHINESE.search(question["text"])
    else:
        # An English question may carry a Chinese name, no more.
        assert len(CHINESE.findall(question["text"])) <= 3
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


@pytest.mark.parametrize(
    "question", [q for q in QUESTIONS if q["kind"] in {"keyword", "short-zh"}], ids=lambda question: question["id"]
)
def test_every_line_with_an_exact_term_counts_as_a_right_place(question: Question) -> None:
    right = {
        (span["path"], number)
        for span in question["gold"] + question["also_acceptable"]
        for number in range(span["startLine"], span["endLine"] + 1)
    }
    holding = {
        (name, number)
        for name, text in NOTES.items()
        for number, line in enumerate(text.splitlines(), start=1)
        if question["text"] in line
    }
    assert holding <= right
