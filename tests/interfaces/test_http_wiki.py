"""Notes over HTTP and MCP: written, found, replaced only as they were read, and kept to those who may see them."""

from __future__ import annotations

import pytest

from tercet.config import load_settings
from tercet.errors import WriteConflictError
from tercet.interfaces.client.opening import open_memory
from tercet.interfaces.client.synchronous import ServiceMemory
from tercet.interfaces.http.tokens import Tokens


@pytest.fixture(scope="module")
def albatros(service):
    body = "Her berth is 47. See [[Harbour]].\n"
    made = service.post("/v1/wiki/notes", {"title": "Albatros", "body": body, "type": "entity", "tags": ["boat"]})
    assert made.status_code == 201
    return made.json()


def test_a_note_is_shown_found_and_linked(service, albatros):
    shown = service.get("/v1/wiki/notes", params={"ref": "albatros"}).json()
    assert shown == albatros
    assert (shown["title"], shown["type"], shown["tags"], shown["anchor"]) == ("Albatros", "entity", ["boat"], None)
    found = service.post("/v1/wiki/search", {"query": "berth Albatros", "limit": 1}).json()["results"]
    assert [hit["layer"] for hit in found] == ["wiki"]
    links = service.get("/v1/wiki/links", params={"ref": "Albatros"}).json()
    assert [end["target"] for end in links["dead"]] == ["Harbour"]
    assert service.get("/v1/wiki/lint").json()["findings"]


def test_an_addition_drops_nothing_and_a_stale_edit_is_refused(service):
    first = service.post("/v1/wiki/append", {"title": "Kite", "heading": "Log", "text": "Flew on Monday."}).json()
    second = service.post("/v1/wiki/append", {"title": "Kite", "heading": "Log", "text": "Fell on Tuesday."}).json()
    assert "Monday" in second["text"]
    stale = {"ref": "Kite", "text": first["text"], "expected": first["sha256"]}
    refused = service.ask("PUT", "/v1/wiki/notes", stale)
    assert refused.status_code == 409
    assert refused.json()["error"]["type"] == "WriteConflictError"
    fresh = {**stale, "text": second["text"].replace("Tuesday", "Wednesday"), "expected": second["sha256"]}
    assert "Wednesday" in service.ask("PUT", "/v1/wiki/notes", fresh).json()["text"]


def test_what_is_no_note_is_not_found(service):
    for ref in ("nosuch", "../tokens.json", "/etc/passwd", "../../home/tokens"):
        answer = service.get("/v1/wiki/notes", params={"ref": ref})
        assert answer.status_code in {400, 404}, ref
        assert service.token not in answer.text


def test_a_session_writes_its_own_notes_and_reads_shared_ones(service, albatros):
    grant = Tokens(service.home).add("seven", "main", "telegram:7")
    headers = {"Authorization": f"Bearer {grant.token}"}
    made = service.post("/v1/wiki/notes", {"title": "Secret plan", "body": "Buy figs."}, headers=headers).json()
    assert made["anchor"] == "telegram:7"
    assert service.get("/v1/wiki/notes", params={"ref": "Albatros"}, headers=headers).json() == albatros
    shared = {"ref": "Albatros", "text": albatros["text"] + "More.\n", "expected": albatros["sha256"]}
    assert service.ask("PUT", "/v1/wiki/notes", shared, headers=headers).status_code == 400
    elsewhere = {"ref": "Secret plan", "sessionKey": "telegram:8"}
    assert service.get("/v1/wiki/notes", params=elsewhere).status_code == 404
    assert service.get("/v1/wiki/notes", params=elsewhere, headers=headers).status_code == 403


def test_the_client_gives_the_same_notes(service, albatros):
    settings = load_settings({"home": str(service.home), "embedding": {"provider": "none"}})
    with open_memory(settings) as memory:
        assert isinstance(memory, ServiceMemory)
        notes = memory.core.wiki
        found = memory.run(notes.show("Albatros"))
        assert (found.text, found.sha256, found.note.title) == (albatros["text"], albatros["sha256"], "Albatros")
        assert [hit.passage.path for hit in memory.run(notes.search("berth Albatros"))][:1] == [albatros["path"]]
        added = memory.run(notes.append("Albatros", "Log", "Painted.", ["the yard"]))
        with pytest.raises(WriteConflictError):
            memory.run(notes.replace("Albatros", found.text, found.sha256))
        assert memory.run(notes.replace("Albatros", found.text, added.sha256)).text == found.text
