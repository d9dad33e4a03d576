"""The two searches: their forms, what they say when something is missing, and the service they prefer."""

from __future__ import annotations

import json

import pytest

from tercet.testing.embedding_server import SERVER_ERROR
from tercet.testing.model_server import Answer, ModelServer


class TercetStandIn(ModelServer):
    """Answers as the service does."""

    def answer(self, request):
        if request.path == "/healthz":
            return Answer(json={"ok": True, "instance": "i1"})
        hits = [
            {"id": "e1", "path": None, "startLine": None, "endLine": None, "score": 0.9, "snippet": "A.", "header": ""},
            {"id": "c1", "path": "m.md", "startLine": 3, "endLine": 4, "score": 0.5, "snippet": "B.", "header": "H"},
        ]
        return Answer(json={"results": hits, "degraded": None, "tookMs": 1.0})


@pytest.fixture
def service(skill):
    with TercetStandIn() as running:
        skill.home.mkdir()
        place = skill.home / "service.json"
        place.write_text(json.dumps({"url": running.url, "pid": 1, "token": "t0ken", "instance": "i1"}))
        place.chmod(0o600)
        yield running


def test_the_json_is_that_of_memory_search(skill):
    skill.index()
    found = skill.search("roofer slates", 2)
    assert found["degraded"] is None
    assert len(found["results"]) == 2
    first = found["results"][0]
    assert set(first) == {"path", "startLine", "endLine", "score", "snippet", "header"}
    assert (first["path"], first["startLine"], first["header"]) == ("memory/2026-02-08.md", 1, "Sunday")
    assert "roofer" in first["snippet"]
    scores = [each["score"] for each in found["results"]]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)


def test_the_parts_that_are_shown_add_up_to_the_score(skill):  # R30
    skill.index()
    ran = skill("search_memory.py", "where does the boat lie", "1")
    head, parts = ran.out.splitlines()[:2]
    inside, factor = parts.strip().removeprefix("(").split(") x ")
    total = sum(float(each.split()[1]) * float(each.split()[3]) for each in inside.split("  "))
    assert total * float(factor) == pytest.approx(float(head.split()[2]), abs=0.02)


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("what happened on 8 February", "memory/2026-02-08.md"),
        ("Dec 20", "memory/deep/2025-12-20-party.md"),  # D1, D11
        ("妈妈 生日", "memory/zh/备忘.md"),  # C1, C3, C11
        ("PostgreSQL", "memory/projects/ledger.md"),
        ("4711", "memory/short.md"),
    ],
)
def test_the_right_place_stands_first(skill, query, path):
    skill.index()
    assert skill.search(query, 1)["results"][0]["path"] == path


@pytest.mark.parametrize("query", ["Feb 30", "999999999 days ago", "grammar 5 rules"])  # D2, D3, D8
def test_what_is_no_date_is_none_and_no_error(skill, query):
    skill.index()
    assert all(each["score"] < 0.7 for each in skill.search(query)["results"])


def test_without_an_index_it_says_so_and_answers_by_words(skill):  # G26
    found = skill.search("roofer")
    assert found["results"][0]["path"] == "memory/2026-02-08.md"
    assert found["degraded"].startswith("memory/vectors.json is not there: run 'python3 ")


def test_a_damaged_index_is_named_and_the_files_are_searched(skill):
    (skill.workspace / "memory" / "vectors.json").write_text('{"format": "tercet-enhan', "utf-8")
    found = skill.search("roofer")
    assert found["results"]
    assert "cannot be read" in found["degraded"]


def test_without_ollama_words_alone_are_searched_and_that_is_said(skill):  # G1
    skill.index()
    skill.server.fail_with(SERVER_ERROR, None)
    found = skill.search("where does the boat lie")
    assert found["results"][0]["path"] == "MEMORY.md"
    assert found["degraded"].endswith("Answered by words alone.")
    skill.server.close()
    assert "does not answer" in skill.search("boat")["degraded"]


def test_a_question_of_another_length_is_a_plain_word_and_no_garbage(skill):  # G3
    skill.index()
    skill.server.distort = lambda rows: [row[:16] for row in rows]
    found = skill.search("boat")
    assert "returned 16 numbers, the index holds 48" in found["degraded"]
    assert found["results"][0]["path"] == "MEMORY.md"


def test_files_that_changed_since_are_counted(skill):  # G15
    skill.index()
    (skill.workspace / "memory" / "short.md").unlink()
    (skill.workspace / "memory" / "new.md").write_text("New.\n", "utf-8")
    assert skill.search("boat")["degraded"].startswith("2 files changed since the last indexing")


def test_nothing_in_common_is_no_result(skill):  # R31
    skill.index()
    skill.server.fail_with(SERVER_ERROR, None)
    assert skill.search("xylophone")["results"] == []
    assert skill("search_memory.py", "xylophone").out == "Nothing found.\n"


@pytest.mark.parametrize("arguments", [[], [""], ["boat", "0"], ["boat", "many"]])
def test_a_wrong_command_line_is_told_in_one_line(skill, arguments):  # P6
    ran = skill("search_memory.py", *arguments)
    assert ran.code == 2
    assert "Traceback" not in ran.err


def test_a_running_service_is_asked_instead(skill, service):
    found = skill.search("anything", 7)
    assert [each["path"] for each in found["results"]] == ["e1", "m.md"]
    asked = service.posted()[-1]
    assert (asked.path, asked.body, asked.authorization) == (
        "/v1/search",
        {"query": "anything", "limit": 7},
        "Bearer t0ken",
    )
    shown = skill("search_memory.py", "anything").out
    assert "2. m.md:3-4  0.500  H" in shown
    assert "1. e1  0.900" in shown


@pytest.mark.parametrize("fault", ["dead", "failing", "a stranger", "readable by others", "another machine", "no JSON"])
def test_a_service_that_is_none_is_passed_over(skill, service, fault):
    skill.index()
    place = skill.home / "service.json"
    if fault == "dead":
        service.close()
    elif fault == "failing":
        service.fail_with(SERVER_ERROR, None)
    elif fault == "a stranger":
        place.write_text(json.dumps({"url": service.url, "pid": 1, "token": "t0ken", "instance": "i2"}))
    elif fault == "readable by others":
        place.chmod(0o644)
    elif fault == "another machine":
        place.write_text(json.dumps({"url": "http://example.com", "pid": 1, "token": "t0ken"}))
    else:
        place.write_text("{")
    assert skill.search("slates")["results"][0]["path"] == "memory/2026-02-08.md"
    assert fault == "failing" or not service.posted()


def test_searches_are_logged_by_their_terms_and_nothing_that_may_be_secret(skill):
    skill.index()
    skill.search("the slates and sk-4f9a8b7c6d5e4f3a2b1c0d9e8f7a")
    log = (skill.workspace / "memory" / "search_log.jsonl").read_text("utf-8")
    line = json.loads(log)
    assert "slate" in line["terms"]
    assert "4f9a8b7c6d5e4f3a2b1c0d9e8f7a" not in log
    assert "memory/2026-02-08.md" in line["paths"]
    assert (skill.workspace / "memory" / "search_log.jsonl").stat().st_mode & 0o777 == 0o600


def test_a_question_goes_with_the_prefix_of_the_model(skill):  # G29
    skill.index()
    skill.search("where does the boat lie")
    assert "search_query: where does the boat lie" in skill.server.texts()
