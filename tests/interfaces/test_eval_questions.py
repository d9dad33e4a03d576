"""Questions that measure nothing, or not what their author means: said, not scored."""

import json


def test_an_answer_in_a_file_that_is_not_indexed_is_said(tercet, notes, tmp_path):
    assert tercet("index", str(notes)).code == 0
    lines = [
        {"id": "q1", "text": "Albatros", "gold": [{"path": "MEMORY.md", "startLine": 1, "endLine": 9}]},
        {"id": "q2", "text": "oolong", "gold": [{"path": "memroy.md", "startLine": 1, "endLine": 9}]},
    ]
    file = tmp_path / "q.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    (warning,) = tercet("eval", str(file), "--json").json["warnings"]
    assert "1 of 2" in warning
    assert "memroy.md" in warning
    assert "memroy.md" in tercet("eval", str(file)).out


def test_a_home_with_nothing_in_it_is_not_measured(tercet, tmp_path):
    file = tmp_path / "q.jsonl"
    file.write_text(json.dumps({"id": "q", "text": "t", "gold": [{"path": "a.md", "startLine": 1}]}), "utf-8")
    ran = tercet("eval", str(file))
    assert (ran.code, ran.out) == (1, "")
    assert "tercet index DIR" in ran.err


def test_only_a_corpus_is_parted_by_conversation(tercet, tmp_path):
    file = tmp_path / "q.jsonl"
    file.write_text("{}", "utf-8")
    ran = tercet("eval", str(file), "--by-conversation")
    assert ran.code == 2
    assert "--corpus" in ran.err
