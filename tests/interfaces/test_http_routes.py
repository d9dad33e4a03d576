"""What the service answers: the same as the command line, in JSON, over every route."""

from __future__ import annotations

import pytest


def error_of(answer):
    return answer.json()["error"]


def test_a_search_finds_what_the_command_line_finds(service):
    found = service.post("/v1/search", {"query": "Albatros berth", "limit": 3}).json()
    assert found["degraded"] is None
    first = found["results"][0]
    assert (first["path"], first["startLine"], first["root"]) == ("MEMORY.md", 1, "notes")
    assert set(first) == {
        "id", "layer", "path", "startLine", "endLine", "score", "relevance", "snippet", "header", "root", "kind",
        "category", "importance", "origin", "timestamp",
    }  # fmt: skip


def test_options_of_a_search_act(service):
    explained = service.post("/v1/search", {"query": "Albatros", "explain": True, "preset": "classic"}).json()
    assert explained["results"][0]["explanation"]["preset"] == "classic"
    whole = service.post("/v1/search", {"query": "Albatros", "whole": True}).json()
    assert "berth 47" in whole["results"][0]["passage"]["text"]
    assert service.post("/v1/search", {"query": "Albatros", "categories": ["decision"]}).json()["results"] == []


def test_names_with_underscores_are_taken_too(service):
    one = service.post("/v1/search", {"query": "Albatros", "min_score": 0.99}).json()["results"]
    other = service.post("/v1/search", {"query": "Albatros", "minScore": 0.99}).json()["results"]
    assert one == other == []


def test_a_recall_is_the_section_of_a_prompt(service):
    section = service.post("/v1/recall", {"message": "Where does the boat Albatros lie?"}).json()
    assert "berth 47" in section["text"]
    assert section["tokens"] <= 1200
    assert service.post("/v1/recall", {"message": "hello"}).json()["skippedReason"] == "greeting"


def test_a_file_is_read_by_the_ref_of_a_hit(service):
    hit = service.post("/v1/search", {"query": "Albatros"}).json()["results"][0]
    ref = f"{hit['root']}:{hit['path']}#L{hit['startLine']}-L{hit['endLine']}"
    read = service.get("/v1/files", params={"ref": ref}).json()
    assert read["text"] == hit["snippet"].rstrip("\n")
    assert service.get("/v1/files", params={"ref": hit["id"]}).json() == read
    one = service.get("/v1/files", params={"ref": "MEMORY.md", "start": 3, "lines": 1}).json()
    assert one["text"] == "## Boat"


def test_a_memory_is_stored_read_corrected_forgotten_and_brought_back(service):
    added = service.post("/v1/memories", {"text": "Ada keeps bees in Ghent.", "category": "fact"})
    assert added.status_code == 201
    old = added.json()["entry"]["id"]
    changed = service.ask("PATCH", f"/v1/memories/{old}", {"text": "Ada keeps bees in Bruges.", "importance": 0.9})
    new = changed.json()["entry"]
    assert (new["text"], new["importance"], new["category"]) == ("Ada keeps bees in Bruges.", 0.9, "fact")
    assert service.get(f"/v1/memories/{old}").json()["entry"]["supersededBy"] == new["id"]
    history = service.get(f"/v1/memories/{new['id']}/history").json()["entries"]
    assert [entry["id"] for entry in history] == [old, new["id"]]
    assert [entry["id"] for entry in service.get("/v1/memories").json()["entries"]] == [new["id"]]

    gone = service.ask("DELETE", f"/v1/memories/{new['id']}").json()
    assert gone["removed"] == [new["id"]]
    assert service.get("/v1/memories").json()["entries"] == []
    assert service.post("/v1/memories/undo", {}).json() == {"restored": [new["id"]]}
    assert len(service.get("/v1/memories").json()["entries"]) == 1


def test_a_replaced_entry_is_not_corrected_again(service):
    old = service.post("/v1/memories", {"text": "The gate code is 1234."}).json()["entry"]["id"]
    new = service.ask("PATCH", f"/v1/memories/{old}", {"text": "The gate code is 5678."}).json()["entry"]["id"]
    again = service.ask("PATCH", f"/v1/memories/{old}", {"text": "The gate code is 9999."})
    assert again.status_code == 400
    assert new in error_of(again)["message"]


def test_a_forget_by_query_only_shows_until_it_is_confirmed(service):
    service.post("/v1/memories", {"text": "The plumber is called Pieter."})
    shown = service.post("/v1/memories/forget", {"query": "plumber Pieter"}).json()
    assert [entry["text"] for entry in shown["candidates"]] == ["The plumber is called Pieter."]
    assert shown["removed"] == []
    done = service.post("/v1/memories/forget", {"query": "plumber Pieter", "confirm": True}).json()
    assert done["removed"] == [shown["candidates"][0]["id"]]


def test_two_agents_and_two_people_are_kept_apart(service):
    service.post("/v1/memories", {"text": "The safe is behind the painting.", "agent": "other"})
    service.post("/v1/memories", {"text": "The safe is under the stairs.", "sessionKey": "telegram:1"})

    def texts(**params):
        return [entry["text"] for entry in service.get("/v1/memories", params=params).json()["entries"]]

    assert texts(agent="other") == ["The safe is behind the painting."]
    assert texts(sessionKey="telegram:1") == ["The safe is under the stairs."]
    assert texts(session_key="telegram:2") == []
    found = service.post("/v1/search", {"query": "Where is the safe?", "sessionKey": "telegram:2"}).json()
    assert not [hit for hit in found["results"] if "safe" in hit["snippet"]]


def test_a_host_that_does_not_say_who_asks_finds_what_is_shared(service):
    service.post("/v1/memories", {"text": "The owner dreams of an Albatros."})
    found = service.post("/v1/search", {"query": "Albatros", "sharedOnly": True}).json()["results"]
    assert {hit["kind"] for hit in found} == {"chunk"}


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "kind"),
    [
        ("POST", "/v1/search", {"query": " "}, 400, "InvalidInputError"),
        ("POST", "/v1/search", {"query": "x", "limit": 0}, 400, "InvalidInputError"),
        ("POST", "/v1/search", {"query": "x", "limit": "5"}, 400, "InvalidInputError"),
        ("POST", "/v1/search", {"query": "x", "nosuch": 1}, 400, "InvalidInputError"),
        ("POST", "/v1/search", {"query": "x", "now": "2026-01-01T00:00:00"}, 400, "InvalidInputError"),
        ("POST", "/v1/search", {"query": "x", "weights": {"nosuch": 1.0}}, 400, "InvalidInputError"),
        ("POST", "/v1/search", {"query": "x", "sessionKey": "nochannel"}, 400, "IdentityError"),
        ("POST", "/v1/search", {"query": "x", "agent": "Not An Agent"}, 400, "InvalidInputError"),
        ("POST", "/v1/memories/forget", {}, 400, "InvalidInputError"),
        ("GET", "/v1/memories/nosuch", None, 404, "NotFoundError"),
        ("GET", "/v1/files?ref=nosuch.md", None, 404, "NotFoundError"),
        ("GET", "/v1/files", None, 400, "InvalidInputError"),
        ("GET", "/v1/nosuch", None, 404, "HttpError"),
        ("PUT", "/v1/memories", None, 405, "MethodRefusedError"),
    ],
)
def test_a_wrong_request_is_refused_in_one_line(service, method, path, body, status, kind):
    answer = service.ask(method, path, body)
    assert answer.status_code == status
    assert error_of(answer)["type"] == kind
    assert "\n" not in error_of(answer)["message"]


def test_what_is_no_json_is_refused(service):
    for content in (b"", b"{", b"[1]", b"\xff\xfe", b'{"query": NaN}', b'{"query": "\\ud800"}', b"[" * 100_000):
        answer = service.ask("POST", "/v1/search", content=content, headers={"Content-Type": "application/json"})
        assert answer.status_code == 400, content[:20]
    form = service.ask("POST", "/v1/search", content=b"query=x", headers={"Content-Type": "text/plain"})
    assert form.status_code == 415


def test_the_status_names_folders_and_settings_and_no_secret(service):
    status = service.get("/v1/status").json()
    assert status["folders"][0]["label"] == "notes"
    assert service.token not in service.get("/v1/status").text


def test_the_metrics_count_requests_and_recalls(service):
    service.post("/v1/recall", {"message": "hello"})
    text = service.get("/metrics").text
    assert 'tercet_recalls_total{outcome="greeting"}' in text
    assert 'route="/v1/recall"' in text


def test_an_edit_is_found_by_the_next_search(service):
    (service.home.parent / "notes" / "new.md").write_text("# Kite\n\nThe kite is red as a lobster.\n", encoding="utf-8")
    found: list[str] = []
    for _ in range(100):  # the watch may be taking in an earlier change just now
        found = [hit["path"] for hit in service.post("/v1/search", {"query": "kite lobster"}).json()["results"]]
        if "new.md" in found:
            break
    assert found[0] == "new.md"
