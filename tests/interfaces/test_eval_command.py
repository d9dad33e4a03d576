"""``tercet eval`` from the command line to the report, over real engine, ledger and embedder."""

import json
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
QUESTIONS = ROOT / "examples" / "questions.jsonl"
WORKSPACE = ROOT / "examples" / "workspace"
METRICS = ["mrr@10", "ndcg@10", "recall@5", "recall@10", "hit@1", "hit@5", "hit@10"]
KEYS = {"questions", "metrics", "intervals", "byKind", "byLanguage", "abstention", "latencyMs", "preset", "space"}


@pytest.fixture
def corpus(tmp_path):
    """Two conversations; each question is answered in its own, and the other holds a better decoy."""
    for number, (right, decoy) in enumerate(
        (("ferry at nine", "late"), ("ferry at ten", "the Lisbon ferry leaves")), 1
    ):
        folder = tmp_path / "sets" / f"conv-{number}"
        folder.mkdir(parents=True)
        rows = [
            {"id": "t1", "text": f"we take the {right}", "session": "s", "speaker": "Ana", "timestamp": "2024-05-01"},
            {"id": "t2", "text": f"nothing here, {decoy}", "session": "s", "speaker": "Bo", "timestamp": "2024-05-01"},
        ]
        asked = [
            {"id": "q1", "text": "the Lisbon ferry leaves when?", "gold": ["t1"], "category": "single-hop"},
            {"id": "q2", "text": "which hotel?", "gold": [], "category": "abstention"},
        ]
        for name, items in (("corpus", rows), ("queries", asked)):
            (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, items)), "utf-8")
    return tmp_path / "sets"


def test_the_example_workspace_is_evaluated_with_a_baseline_and_a_fit(tercet_with_model, tmp_path):
    given = ("--folder", str(WORKSPACE), "--cache", str(tmp_path / "cache"), "--baseline", "vector", "--tune", "--json")
    ran = tercet_with_model("eval", str(QUESTIONS), *given, "--preset", "hybrid")
    assert (ran.code, ran.err) == (0, "")
    report = ran.json
    assert set(report) == KEYS | {"baseline", "tuning"}
    assert list(report["metrics"]) == METRICS
    lines = [json.loads(line) for line in QUESTIONS.read_text("utf-8").splitlines()]
    answerable = sum(bool(line["gold"]) for line in lines)
    assert report["questions"] == len(lines)
    assert (report["abstention"]["answerable"], report["abstention"]["unanswerable"]) == (
        answerable,
        len(lines) - answerable,
    )
    assert sum(part["questions"] for part in report["byKind"].values()) == answerable
    assert set(report["abstention"]["byMiss"]) == {"foreign", "near"}
    assert report["metrics"]["mrr@10"] > 0.6
    # A fit is judged on the very order that the search gave.
    assert report["tuning"]["default"] == pytest.approx(report["metrics"]["mrr@10"], abs=1e-4)
    assert report["baseline"]["name"] == "vector"
    assert report["preset"] == "hybrid"
    assert "512" in report["space"]
    assert not tercet_with_model.home.exists()


def test_without_a_folder_the_homes_own_folders_are_asked_and_brought_up_to_date(tercet, tmp_path):
    notes = tmp_path / "notes"
    notes.mkdir()
    note = notes / "ferry.md"
    note.write_text("# Ferry\n\nThe zarzuela ferry leaves at nine.\n", "utf-8")
    assert tercet("index", str(notes)).code == 0
    note.write_text("# Ferry\n\nNothing.\n\n# Boat\n\nThe zarzuela ferry leaves at ten.\n", "utf-8")
    question = {"id": "q", "text": "zarzuela", "gold": [{"path": "ferry.md", "startLine": 7, "endLine": 7}]}
    file = tmp_path / "q.jsonl"
    file.write_text(json.dumps(question), "utf-8")
    report = tercet("eval", str(file), "--json").json
    assert report["metrics"]["hit@1"] == 1.0
    assert report["space"] == "none"


def test_a_folder_of_corpora_is_pooled_and_each_scope_sees_its_own_alone(tercet, corpus):
    report = tercet("eval", "--corpus", str(corpus), "--json").json
    assert report["questions"] == 4
    assert report["abstention"]["unanswerable"] == 2
    # The first conversation holds no better match; in the second the decoy stands first.
    assert {name: part["metrics"]["mrr@10"] for name, part in report["byCorpus"].items()} == {
        "conv-1": 1.0,
        "conv-2": 0.5,
    }
    assert report["macro"]["mrr@10"] == report["metrics"]["mrr@10"] == 0.75
    assert report["metrics"]["recall@10"] == 1.0


def test_one_corpus_file_has_exactly_the_keys_of_the_wire_format(tercet, corpus):
    questions, rows = corpus / "conv-1" / "queries.jsonl", corpus / "conv-1" / "corpus.jsonl"
    assert set(tercet("eval", str(questions), "--corpus", str(rows), "--json").json) == KEYS


def test_constants_and_k_change_what_is_measured(tercet, corpus):
    def metrics(*more):
        return tercet("eval", "--corpus", str(corpus), "--json", *more).json["metrics"]

    assert metrics("--set", "keyword_min_score=1")["hit@10"] == 0.0
    assert set(metrics("--k", "5")) == {"mrr@5", "ndcg@5", "recall@5", "hit@1", "hit@5"}
    assert metrics("--k", "1")["mrr@1"] == 0.5


def test_the_table_is_readable_and_a_refused_fit_is_no_failure(tercet, corpus):
    ran = tercet("eval", "--corpus", str(corpus), "--tune", "--baseline", "bm25")
    assert ran.code == 0
    for words in ("4 questions, 2 of them with an answer", "bm25", "too few", "conv-2"):
        assert words in ran.out


@pytest.mark.parametrize(
    ("arguments", "code", "word"),
    [
        ((), 2, "no questions"),
        (("--corpus", "C", "--folder", "F"), 2, "one of them"),
        (("Q",), 1, "--corpus"),
        (("--corpus", "C", "--preset", "no_such"), 2, "no_such"),
        (("--corpus", "C", "--set", "k1"), 2, "NAME=NUMBER"),
        (("--corpus", "C", "--baseline", "magic"), 2, "magic"),
        (("--corpus", "C", "--k", "0"), 2, "range"),
    ],
)
def test_a_mistake_costs_one_line(tercet, corpus, arguments, code, word):
    places = {"C": corpus, "F": corpus, "Q": corpus / "conv-1" / "queries.jsonl"}
    ran = tercet("eval", *[str(places.get(each, each)) for each in arguments])
    assert (ran.code, ran.out) == (code, "")
    assert word in ran.err
    assert "Traceback" not in ran.err


@pytest.mark.parametrize("asked", [("--baseline", "vector"), ("--mode", "vector")])
def test_vectors_that_nobody_makes_are_not_measured(tercet, corpus, asked):
    ran = tercet("eval", "--corpus", str(corpus), *asked)
    assert (ran.code, ran.out) == (1, "")
    assert "embedding.provider" in ran.err
    assert len(ran.err.splitlines()) == 1


def test_an_evaluation_leaves_no_temporary_home_behind(tercet, corpus, tmp_path, monkeypatch):
    place = tmp_path / "tmp"
    place.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(place))
    assert tercet("eval", "--corpus", str(corpus)).code == 0
    assert list(place.iterdir()) == []


def test_a_dead_embedder_is_a_failure_and_not_a_low_figure(tercet, corpus):
    dead = {"TERCET_EMBEDDING__PROVIDER": "ollama", "TERCET_EMBEDDING__URL": "http://127.0.0.1:9"}
    ran = tercet("eval", "--corpus", str(corpus), "--json", **dead)
    assert (ran.code, ran.out) == (1, "")
    assert "127.0.0.1:9" in ran.err
