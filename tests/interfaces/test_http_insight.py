"""Salience and cross-references over HTTP: the same as in process, within what a token may see."""

from __future__ import annotations

import pytest

from tercet.interfaces.http.tokens import Tokens

NOW = "2126-01-01T00:00:00+00:00"
"""Long after the files were written: they are stale."""


@pytest.fixture
def built(service):
    return service.post("/v1/crossref/build", {}).json()


@pytest.fixture
def person(service):
    return {"Authorization": f"Bearer {Tokens(service.home).add('a person', 'main', 'telegram:77').token}"}


def test_salience_says_what_is_stale_and_why(service):
    found = service.get("/v1/salience", params={"top": 1, "now": NOW}).json()
    [item] = found["items"]
    assert item["staleness"] == 1.0
    assert item["prompt"].startswith("You have not looked at ")
    assert "item" not in item
    assert service.get("/v1/salience", params={"top": 0}).status_code == 400


def test_the_graph_is_built_shown_and_counted(service, built):
    graph = service.get("/v1/crossref/graph").json()
    assert {"ref": "notes:MEMORY.md", "kind": "file"} in graph["nodes"]
    figures = service.get("/v1/crossref/statistics").json()
    assert (figures["nodes"], figures["edges"]) == (len(graph["nodes"]), len(graph["edges"]))
    assert (figures["nodes"], figures["edges"]) == (built["nodes"], built["edges"])
    shown = service.get("/v1/crossref/neighbours", params={"ref": "MEMORY.md"}).json()
    assert shown["ref"] == "notes:MEMORY.md"


def test_the_neighbours_of_an_entry_name_what_it_replaced(service):
    old = service.post("/v1/memories", {"text": "The kettle boils at dawn."}).json()["entry"]["id"]
    body = {"text": "The kettle boils at dusk.", "supersedes": [old]}
    new = service.post("/v1/memories", body).json()["entry"]["id"]
    service.post("/v1/crossref/build", {"full": True})
    shown = service.get("/v1/crossref/neighbours", params={"ref": new}).json()
    [neighbour] = [each for each in shown["neighbours"] if each["ref"] == old]
    assert neighbour["evidence"][-1]["kind"] == "supersedes"
    hits = service.post("/v1/search", {"query": "kettle dusk", "related": 3}).json()["results"]
    [hit] = [hit for hit in hits if hit["id"] == new]
    assert [each["ref"] for each in hit["related"] if "supersedes" in each["kinds"]] == [old]


def test_what_is_in_no_graph_is_not_found(service, built):
    assert service.get("/v1/crossref/neighbours", params={"ref": "nosuch.md"}).status_code == 404
    missing = service.get("/v1/crossref/graph", params={"sessionKey": "telegram:78"})
    assert (missing.status_code, missing.json()["error"]["type"]) == (404, "NotFoundError")
    assert "crossref build" in missing.json()["error"]["message"]


def test_a_token_of_a_session_sees_its_own_graph_and_no_salience(service, built, person):
    own = service.post("/v1/memories", {"text": "My cat is Momo.", "sessionKey": "telegram:77"}).json()["entry"]["id"]
    other = service.post("/v1/memories", {"text": "My dog is Rex.", "sessionKey": "telegram:79"}).json()["entry"]["id"]
    service.post("/v1/crossref/build", {}, headers=person)
    nodes = {node["ref"] for node in service.get("/v1/crossref/graph", headers=person).json()["nodes"]}
    assert own in nodes
    assert other not in nodes
    assert service.get("/v1/salience", headers=person).status_code == 403
    for path in ("graph", "statistics", "neighbours"):
        asked = {"sessionKey": "telegram:79", "ref": own} if path == "neighbours" else {"sessionKey": "telegram:79"}
        assert service.get(f"/v1/crossref/{path}", params=asked, headers=person).status_code == 403
    refused = service.post("/v1/crossref/build", {"sessionKey": "telegram:79"}, headers=person)
    assert refused.status_code == 403
