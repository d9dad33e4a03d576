"""Who is let in: tokens, names, origins, sizes; and that a refusal tells nothing."""

from __future__ import annotations

import json
import socket
import stat

import httpx2
import pytest

from tercet.errors import ConfigurationError, InvalidInputError
from tercet.interfaces.http.guard import Addresses
from tercet.interfaces.http.tokens import Tokens

REMEMBERED = "ZX-9918"
ROUTES = [
    ("POST", "/v1/search"),
    ("POST", "/v1/recall"),
    ("POST", "/v1/capture"),
    ("GET", "/v1/memories"),
    ("POST", "/v1/memories"),
    ("GET", "/v1/memories/x"),
    ("PATCH", "/v1/memories/x"),
    ("DELETE", "/v1/memories/x"),
    ("GET", "/v1/memories/x/history"),
    ("POST", "/v1/memories/forget"),
    ("POST", "/v1/memories/undo"),
    ("GET", "/v1/files?ref=MEMORY.md"),
    ("GET", "/v1/status"),
    ("GET", "/metrics"),
    ("POST", "/mcp"),
    ("GET", "/mcp"),
    ("GET", "/nosuch"),
]


@pytest.fixture(scope="module")
def bound(service):
    """Tokens bound to an agent, and to a person and a group of one."""
    tokens = Tokens(service.home)
    return {
        "agent": tokens.add("an agent", "guest"),
        "person": tokens.add("a person", "main", "telegram:7"),
        "group": tokens.add("a group", "main", "discord:channel:9"),
    }


def bearer(grant):
    return {"Authorization": f"Bearer {grant.token}"}


@pytest.mark.parametrize("authorization", ["", "Bearer", "Bearer wrong", "Basic dGVyY2V0OnRlcmNldA=="])
def test_without_the_right_token_nothing_is_answered(service, authorization):
    for method, path in ROUTES:
        answer = service.ask(method, path, {"query": "Albatros"}, headers={"Authorization": authorization})
        assert answer.status_code == 401, path
        assert answer.headers["WWW-Authenticate"].startswith("Bearer")
        assert REMEMBERED not in answer.text
        assert service.token not in answer.text


def test_health_and_schema_need_no_token_and_tell_no_memory(service):
    for path in ("/healthz", "/openapi.json"):
        answer = service.get(path, headers={"Authorization": ""})
        assert answer.status_code == 200
        assert str(service.home) not in answer.text
        assert service.token not in answer.text


@pytest.mark.parametrize("path", ["/healthz", "/v1/search", "/mcp"])
@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "evil.example:80", "127.0.0.1:1", "a@127.0.0.1", ""]
)
def test_a_foreign_host_is_refused_with_the_right_token_too(service, path, host):
    answer = service.post(path, {"query": "Albatros"}, headers={"Host": host})
    assert answer.status_code in {400, 421}
    assert REMEMBERED not in answer.text


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "http://127.0.0.1:1", "file://", "http://127.0.0.1.evil.example"]
)
def test_a_foreign_page_is_refused(service, origin):
    answer = service.post("/v1/search", {"query": "Albatros"}, headers={"Origin": origin})
    assert answer.status_code == 403
    assert REMEMBERED not in answer.text


def test_our_own_names_are_known(service):
    port = service.url.rpartition(":")[2]
    for host in (f"localhost:{port}", f"127.0.0.1:{port}", "LOCALHOST", f"[::1]:{port}"):
        assert service.get("/healthz", headers={"Host": host}).status_code == 200, host
    assert service.get("/healthz", headers={"Origin": service.url}).status_code == 200


def test_behind_a_proxy_a_name_of_its_own_needs_no_port():
    ours = Addresses(frozenset({"127.0.0.1", "localhost", "memory.example"}), 8372)
    assert ours.knows_origin("https://memory.example")
    assert ours.knows_origin("http://localhost:8372")
    assert not ours.knows_origin("http://localhost")
    assert Addresses(frozenset({"localhost"}), 80).knows_origin("http://localhost")


def test_an_authority_is_taken_apart_whole():
    ours = Addresses(frozenset({"127.0.0.1", "::1"}), 8372)
    assert ours.knows("127.0.0.1:8372")
    assert ours.knows("[::1]:8372")
    for strange in (
        "127.0.0.1:8372/x",
        "user@127.0.0.1:8372",
        "127.0.0.1:99999999",
        "[::1",
        "127.0.0.1:x",
        "127.0.0.1?x",
    ):
        assert not ours.knows(strange), strange


@pytest.mark.parametrize(
    "ref",
    [
        "../home/tokens.json",
        "notes:../home/tokens.json",
        "notes:zh/../../home/tokens.json",
        "/etc/passwd",
        "notes:/etc/passwd",
        "..\\home\\tokens.json",
        "notes:%2e%2e/home/tokens.json",
        "file:///etc/passwd",
        "MEMORY.md\u0000../home/tokens.json",
    ],
)
def test_no_path_leads_out_of_the_indexed_folders(service, ref):
    answer = service.get("/v1/files", params={"ref": ref})
    assert answer.status_code in {400, 404}
    assert service.token not in answer.text
    assert "root:" not in answer.text


def test_a_link_out_of_the_folder_is_not_followed(service):
    (service.home.parent / "notes" / "link.md").symlink_to(service.home / "tokens.json")
    service.post("/v1/search", {"query": "token"})
    answer = service.get("/v1/files", params={"ref": "notes:link.md"})
    assert answer.status_code == 404


def test_a_body_too_large_is_refused_whether_its_length_is_told_or_not(service):
    large = json.dumps({"query": "x" * (5 * 1024 * 1024)}).encode()
    json_type = {"Content-Type": "application/json"}
    assert service.ask("POST", "/v1/search", content=large, headers=json_type).status_code == 413
    pieces = (large[start : start + 65_536] for start in range(0, len(large), 65_536))
    assert service.ask("POST", "/v1/search", content=pieces, headers=json_type).status_code == 413
    endless = (b"x" * 65_536 for _ in range(10_000))
    with pytest.raises(httpx2.HTTPError):
        service.ask("POST", "/v1/search", content=endless, headers=json_type).raise_for_status()
    assert service.post("/v1/search", {"query": "Albatros"}).status_code == 200


def test_a_token_of_an_agent_reaches_that_agent_alone(service, bound):
    headers = bearer(bound["agent"])
    assert service.post("/v1/memories", {"text": "The guest likes figs."}, headers=headers).json()
    listed = service.get("/v1/memories", headers=headers).json()["entries"]
    assert [entry["text"] for entry in listed] == ["The guest likes figs."]
    assert service.get("/v1/memories", params={"agent": "guest"}).json()["entries"] == listed
    refused = service.post("/v1/search", {"query": "Albatros", "agent": "main"}, headers=headers)
    assert refused.status_code == 403
    assert service.post("/v1/search", {"query": "Albatros"}, headers=headers).json()["results"] == []


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/v1/search", {"query": "x"}),
        ("POST", "/v1/recall", {"message": "x"}),
        ("POST", "/v1/capture", {"messages": []}),
        ("POST", "/v1/memories", {"text": "x y z"}),
        ("POST", "/v1/memories/forget", {"query": "x"}),
        ("PATCH", "/v1/memories/x", {"text": "x y z"}),
    ],
)
def test_a_token_of_a_session_refuses_another_session(service, bound, method, path, body):
    for other in ("telegram:8", "main", "agent:main:main", "nonsense"):
        answer = service.ask(method, path, {**body, "sessionKey": other}, headers=bearer(bound["person"]))
        assert answer.status_code == 403, other
        assert "telegram:7" not in answer.text


def test_a_token_of_a_session_sees_its_own_and_no_other_entry(service, bound):
    headers = bearer(bound["person"])
    own = service.post("/v1/memories", {"text": "Seven likes figs."}, headers=headers).json()["entry"]
    assert own["anchor"] == "telegram:7"
    thread = service.post("/v1/search", {"query": "figs", "sessionKey": "telegram:7:thread:2"}, headers=headers)
    assert [hit["id"] for hit in thread.json()["results"]] == [own["id"]]
    theirs = service.post("/v1/memories", {"text": "Eight likes dates.", "sessionKey": "telegram:8"}).json()["entry"]
    owners = service.post("/v1/memories", {"text": "The owner likes plums."}).json()["entry"]
    for entry in (theirs, owners):
        for path in (
            f"/v1/memories/{entry['id']}",
            f"/v1/memories/{entry['id']}/history",
            f"/v1/files?ref={entry['id']}",
        ):
            answer = service.get(path, headers=headers)
            assert answer.status_code == 404, path
            assert "likes" not in answer.text
        assert service.ask("DELETE", f"/v1/memories/{entry['id']}", headers=headers).status_code == 404
        assert service.post("/v1/memories/forget", {"ids": [entry["id"]]}, headers=headers).status_code == 404
    assert service.get(f"/v1/files?ref={own['id']}", headers=headers).json()["text"] == "Seven likes figs."
    assert "berth" in service.get("/v1/files?ref=MEMORY.md", headers=headers).text


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/v1/memories/forget", {"session": "telegram:8"}),
        ("POST", "/v1/memories/forget", {"anchor": "telegram:8"}),
        ("POST", "/v1/memories/forget", {"anchor": "owner"}),
        ("POST", "/v1/memories/undo", {}),
        ("GET", "/v1/status", None),
        ("GET", "/metrics", None),
    ],
)
def test_a_token_of_a_session_does_nothing_to_the_whole_agent(service, bound, method, path, body):
    assert service.ask(method, path, body, headers=bearer(bound["person"])).status_code == 403


def test_a_token_of_a_group_reads_no_file(service, bound):
    headers = bearer(bound["group"])
    assert service.get("/v1/files?ref=MEMORY.md", headers=headers).status_code == 404
    for wider in ({}, {"sharedOnly": True}):
        body = {"query": "Albatros berth", **wider}
        assert service.post("/v1/search", body, headers=headers).json()["results"] == []


def test_a_new_token_acts_at_once_and_a_removed_one_no_more(service):
    tokens = Tokens(service.home)
    grant = tokens.add("short-lived")
    assert service.get("/v1/status", headers=bearer(grant)).status_code == 200
    left = [each for each in json.loads(tokens.path.read_text())["tokens"] if each["name"] != "short-lived"]
    tokens.path.write_text(json.dumps({"tokens": left}))
    assert service.get("/v1/status", headers=bearer(grant)).status_code == 401


@pytest.mark.parametrize("damage", ["open to others", "no list"])
def test_a_file_of_tokens_that_cannot_be_used_is_told_without_its_place(service, damage):
    tokens = service.home / "tokens.json"
    before = tokens.read_bytes()
    if damage == "no list":
        tokens.write_text('{"tokens": "x"}')
    else:
        tokens.write_bytes(before + b" ")
        tokens.chmod(0o644)
    try:
        answer = service.ask("POST", "/v1/search", {"query": "Albatros"}, headers={"Authorization": "Bearer x"})
        assert (answer.status_code, answer.json()["error"]["type"]) == (500, "ConfigurationError")
        assert str(service.home) not in answer.text
        assert service.post("/v1/search", {"query": "Albatros"}).status_code == 500
    finally:
        tokens.write_bytes(before)
        tokens.chmod(0o600)
    assert service.post("/v1/search", {"query": "Albatros"}).status_code == 200


def test_files_of_the_home_are_for_their_owner_alone(service):
    for name in ("service.json", "tokens.json"):
        assert stat.S_IMODE((service.home / name).stat().st_mode) == 0o600


def test_a_file_of_tokens_that_others_may_read_is_refused(tmp_path):
    tokens = Tokens(tmp_path)
    tokens.add("one")
    tokens.path.chmod(0o644)
    with pytest.raises(ConfigurationError, match="chmod 600"):
        Tokens(tmp_path).all()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"tokens": [{"name": "x", "token": "short"}]}',
        '{"tokens": [{"name": "x"}]}',
        '{"tokens": [{"name": "x", "token": "0123456789abcdef", "session": "telegram:1"}]}',
        '{"tokens": [{"name": "x", "token": "0123456789abcdef", "agent": "NOT ONE"}]}',
    ],
)
def test_a_file_that_is_no_list_of_tokens_lets_nobody_in(tmp_path, text):
    tokens = Tokens(tmp_path)
    tokens.path.write_text(text)
    tokens.path.chmod(0o600)
    with pytest.raises(ConfigurationError, match="no list of tokens"):
        tokens.grant_of("0123456789abcdef")


def test_a_token_is_bound_to_a_session_only_with_its_agent(tmp_path):
    with pytest.raises(InvalidInputError, match="agent"):
        Tokens(tmp_path).add("x", None, "telegram:1")
    Tokens(tmp_path).add("x", "main", "telegram:1")
    with pytest.raises(InvalidInputError, match="'x'"):
        Tokens(tmp_path).add("x")


def test_rubbish_and_a_hanging_client_stop_nobody(service):
    address = ("127.0.0.1", int(service.url.rpartition(":")[2]))
    hanging = [socket.create_connection(address) for _ in range(100)]
    for place, each in enumerate(hanging):
        each.sendall(
            [b"", b"POST /v1/search HTTP/1.1\r\n", b"\x00\xff" * 100, b"GET / HTTP/1.1\r\nHost: x\r\n"][place % 4]
        )
    assert service.post("/v1/search", {"query": "Albatros"}).json()["results"]
    for each in hanging:
        each.close()
