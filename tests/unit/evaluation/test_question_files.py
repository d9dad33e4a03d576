"""Reading questions and corpora: what is passed over, what is refused, and where."""

import json
import time
from datetime import UTC, datetime, timedelta

import pytest

from tercet.errors import InvalidInputError, NotFoundError
from tercet.evaluation.corpora import read_corpora, row_id
from tercet.evaluation.questions import Span, read_questions


@pytest.fixture
def write(tmp_path):
    def make(name, *rows):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows), "utf-8")
        return file

    return make


def test_unknown_keys_are_passed_over_and_known_ones_read(write):
    row = {
        "id": "a",
        "text": "怎么",
        "gold": ["x", {"path": "p.md", "startLine": 2, "endLine": 3}, "x"],
        "kind": "list",
    }
    file = write("q.jsonl", {**row, "answer": "42", "demo": True, "asked_at": "2026-02-01T08:00:00+08:00"}, "")
    (question,) = read_questions(file, group="set")
    assert question.gold == ("x", Span("p.md", 2, 3))
    assert (question.kind, question.language, question.group) == ("list", "cjk", "set")
    assert question.asked_at == datetime(2026, 2, 1, tzinfo=UTC)


def test_a_time_without_a_zone_is_read_as_utc_wherever_it_is_run(write, monkeypatch):
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    try:
        (question,) = read_questions(write("q.jsonl", {"id": "a", "text": "t", "asked_at": "2024-04-25"}))
    finally:
        monkeypatch.undo()
        time.tzset()
    assert question.asked_at == datetime(2024, 4, 25, tzinfo=UTC)
    assert question.asked_at.utcoffset() == timedelta(0)


def test_category_stands_in_for_kind_and_lang_wins_over_the_script(write):
    file = write("q.jsonl", {"id": 7, "text": "was?", "gold": [3], "category": "simple", "lang": "de", "conv": "c1"})
    (question,) = read_questions(file)
    assert (question.id, question.gold, question.kind, question.language, question.group) == (
        "7",
        ("3",),
        "simple",
        "de",
        "c1",
    )


@pytest.mark.parametrize(
    "fields",
    [
        {"gold": []},
        {},
        {"gold": None},
        {"gold": ["x"], "adversarial": True},
        {"gold": ["x"], "kind": "unanswerable"},
        {"gold": ["x"], "category": "abstention"},
    ],
)
def test_these_questions_have_no_answer(write, fields):
    (question,) = read_questions(write("q.jsonl", {"id": "a", "text": "what?", **fields}))
    assert question.gold == ()


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("{", "no JSON"),
        ("[1]", "no JSON object"),
        ({"text": "what?"}, "'id'"),
        ({"id": "a", "text": "  "}, "'text'"),
        ({"id": "a", "text": "t", "gold": "x"}, "no list"),
        ({"id": "a", "text": "t", "gold": [{"path": "p", "startLine": 0}]}, "startLine"),
        ({"id": "a", "text": "t", "gold": [{"path": "p", "startLine": 5, "endLine": 4}]}, "startLine"),
        ({"id": "a", "text": "t", "asked_at": "yesterday"}, "ISO"),
        ({"id": "first", "text": "t"}, "unique"),
    ],
)
def test_a_wrong_line_is_refused_with_its_number(write, line, word):
    file = write("q.jsonl", {"id": "first", "text": "t"}, line)
    with pytest.raises(InvalidInputError, match=word) as caught:
        read_questions(file)
    assert "q.jsonl:2" in str(caught.value)


def test_an_absent_and_an_empty_file_are_refused(write, tmp_path):
    with pytest.raises(NotFoundError, match="not there"):
        read_questions(tmp_path / "none.jsonl")
    with pytest.raises(InvalidInputError, match="no question"):
        read_questions(write("q.jsonl", ""))


def rows_of_two_sessions():
    rows = [("a", "s1"), ("b", "s2"), ("c", "s1")]
    return [
        {"id": i, "text": f"text {i}", "session": s, "speaker": "Ana", "path": "s.md", "timestamp": "2024-03-01"}
        for i, s in rows
    ]


def test_turns_are_numbered_within_their_session_and_carry_no_path(write):
    corpus = write("set/corpus.jsonl", *rows_of_two_sessions())
    questions = write("set/queries.jsonl", {"id": "q", "text": "who?", "gold": ["c"]})
    (found,) = read_corpora(corpus, questions, "main")
    assert [(row_id(p), p.session, p.ordinal, p.kind, p.path) for p in found.passages] == [
        ("a", "s1", 0, "entry", ""),
        ("b", "s2", 0, "entry", ""),
        ("c", "s1", 1, "entry", ""),
    ]
    assert found.now == datetime(2024, 3, 1, tzinfo=UTC)
    assert found.scope.anchor.startswith("eval:")


def test_rows_of_one_path_and_no_session_are_chunks_of_that_file(write):
    second = {"id": "b", "text": "three", "path": "p.md"}
    corpus = write("corpus.jsonl", {"id": "a", "text": "one\ntwo", "path": "p.md", "header": "Title"}, second)
    (found,) = read_corpora(corpus, write("q.jsonl", {"id": "q", "text": "t", "gold": ["a"]}), "main")
    passage, other = found.passages
    assert other.kind == "chunk"
    assert (passage.kind, passage.path, passage.header, passage.start_line, passage.end_line) == (
        "chunk",
        "p.md",
        "Title",
        1,
        2,
    )


@pytest.mark.parametrize(
    ("path", "kept"),
    [
        ("notes/2024-03-01 dentist.md", "notes/2024-03-01 dentist.md"),
        ("set/91fa4bd8-7362-5326-8891-e6a95cf2f22e.md", ""),
        ("set/4983.md", ""),
    ],
)
def test_the_only_row_of_a_path_is_a_document_of_its_own(write, path: str, kept: str):
    corpus = write("corpus.jsonl", {"id": "a", "text": "one", "path": path, "header": "Title"})
    (found,) = read_corpora(corpus, write("q.jsonl", {"id": "q", "text": "t", "gold": ["a"]}), "main")
    (passage,) = found.passages
    assert (passage.kind, passage.path, passage.header, passage.start_line) == ("entry", kept, "Title", 0)


def test_a_folder_of_sets_gives_each_its_own_scope_even_with_equal_ids(write, tmp_path):
    for name in ("conv-1", "conv-2"):
        write(f"{name}/corpus.jsonl", {"id": "a", "text": name})
        write(f"{name}/queries.jsonl", {"id": "q", "text": "t", "gold": ["a"]})
    first, second = read_corpora(tmp_path, None, "main")
    assert (first.name, second.name) == ("conv-1", "conv-2")
    assert first.scope != second.scope
    assert first.passages[0].id != second.passages[0].id
    assert row_id(first.passages[0]) == row_id(second.passages[0]) == "a"


def test_by_conversation_parts_one_file_and_its_questions(write):
    corpus = write("corpus.jsonl", {"id": "a", "text": "t", "conv": "x"}, {"id": "b", "text": "t", "conv": "y"})
    questions = write("q.jsonl", {"id": "q", "text": "t", "gold": ["b"], "conv": "y"})
    (found,) = read_corpora(corpus, questions, "main", by_conversation=True)
    assert [row_id(p) for p in found.passages] == ["b"]
    with pytest.raises(InvalidInputError, match="no passage"):
        read_corpora(corpus, write("q2.jsonl", {"id": "q", "text": "t", "conv": "z"}), "main", by_conversation=True)


def test_gold_that_the_corpus_does_not_hold_is_refused(write):
    corpus = write("corpus.jsonl", {"id": "a", "text": "t"})
    with pytest.raises(InvalidInputError, match="not in the corpus"):
        read_corpora(corpus, write("q.jsonl", {"id": "q", "text": "t", "gold": ["b"]}), "main")
    with pytest.raises(InvalidInputError, match="lines of a file"):
        read_corpora(
            corpus, write("q2.jsonl", {"id": "q", "text": "t", "gold": [{"path": "p", "startLine": 1}]}), "main"
        )


def test_a_folder_without_a_corpus_and_doubled_ids_are_refused(write, tmp_path):
    questions = write("q.jsonl", {"id": "q", "text": "t"})
    with pytest.raises(NotFoundError, match=r"corpus\.jsonl"):
        read_corpora(tmp_path, questions, "main")
    with pytest.raises(InvalidInputError, match="twice"):
        read_corpora(write("c.jsonl", {"id": "a", "text": "t"}, {"id": "a", "text": "u"}), questions, "main")
