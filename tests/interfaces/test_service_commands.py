"""The command line uses a running service by itself, and prints the same as without one, to the byte."""

from __future__ import annotations

import re
from contextlib import contextmanager

import pytest

from tercet.interfaces.cli import run as run_command

OLDER = "Ada kept wasps in Bruges."
ENTRY = "Ada keeps bees in Ghent."
READING = [
    ["search", "Albatros berth"],
    ["search", "Albatros berth", "--json", "--explain", "-n", "1"],
    ["search", "妈妈的生日", "--json", "--preset", "classic", "--min-score", "0"],
    ["search", "Ada bees", "--session", "telegram:1"],
    ["search", "Ada bees", "--session", "telegram:2", "--category", "fact"],
    ["search", "Albatros", "--layer", "wiki"],
    ["search", "Albatros", "--mode", "vector"],
    ["search", "x", "--session", "nochannel"],
    ["search", " "],
    ["recall", "Where does the boat Albatros lie?"],
    ["recall", "Where does the boat Albatros lie?", "--json", "--budget", "100", "--now", "2026-03-01"],
    ["recall", "hello"],
    ["list", "--session", "telegram:1"],
    ["list", "--session", "telegram:1", "--json", "--since", "2020-01-01"],
    ["list", "--session", "telegram:3"],
    ["list", "--agent", "other", "--json"],
    ["history", "ID"],
    ["history", "ID", "--json", "--session", "telegram:1"],
    ["history", "nosuch"],
    ["read", "MEMORY.md"],
    ["read", "notes:MEMORY.md#L3-L5", "--json"],
    ["read", "MEMORY.md", "--from", "9999"],
    ["read", "../home/tokens.json"],
    ["forget", "--query", "Ada bees", "--session", "telegram:1"],
    ["forget", "nosuch"],
    ["undo", "nosuch"],
    ["undo"],
    ["status"],
    ["salience", "--now", "2126-01-01"],
    ["salience", "--now", "2126-01-01", "--json", "--top", "1"],
    ["crossref", "build", "--full"],
    ["crossref", "build", "--full", "--json", "--threshold", "0.5", "--session", "telegram:1"],
    ["crossref", "build", "--threshold", "2"],
    ["crossref", "show", "MEMORY.md"],
    ["crossref", "show", "ID", "--json", "--session", "telegram:1"],
    ["crossref", "show", "nosuch.md"],
    ["crossref", "graph"],
    ["crossref", "graph", "--json", "--session", "telegram:1"],
    ["crossref", "graph", "--format", "json"],
    ["crossref", "graph", "--format", "graphml"],
    ["search", "Ada bees", "--session", "telegram:1", "--related", "3", "--json"],
    ["search", "Albatros berth", "--related", "3", "--session", "telegram:3"],
]


@contextmanager
def without(service):
    """Hide the service."""
    file = service.home / "service.json"
    file.rename(service.home / "hidden")
    yield
    (service.home / "hidden").rename(file)


def requests_of(service):
    counted = re.findall(r'^tercet_requests_total\{.*route="/v1/.* (\d+)', service.get("/metrics").text, re.MULTILINE)
    return sum(int(count) for count in counted)


@pytest.fixture
def run(service, capsys, monkeypatch):
    monkeypatch.setenv("TERCET_EMBEDDING__PROVIDER", "none")

    def run(*arguments):
        code = run_command([*arguments, "--home", str(service.home)])
        out, err = capsys.readouterr()
        return code, steady(out), err

    return run


def steady(text):
    """Leave out what is another number each time: the time it took, what each process has counted."""
    text = re.sub(r'"tookMs": [\d.]+', '"tookMs": 0', text)
    return re.sub(r"^ {10}(capture|recall)\.\S+ \d+\n", "", text, flags=re.MULTILINE)


@pytest.fixture(scope="module")
def entry(service):
    old = service.post("/v1/memories", {"text": OLDER, "sessionKey": "telegram:1"}).json()["entry"]["id"]
    body = {"text": ENTRY, "sessionKey": "telegram:1", "supersedes": [old]}
    entry = service.post("/v1/memories", body).json()["entry"]["id"]
    for session in ({}, {"sessionKey": "telegram:1"}):
        service.post("/v1/crossref/build", session)
    return entry


@pytest.mark.parametrize("arguments", READING, ids=" ".join)
def test_a_command_prints_the_same_with_and_without_a_service(service, run, entry, arguments):
    command = [entry if each == "ID" else each for each in arguments]
    before = requests_of(service)
    served = run(*command)
    asked = requests_of(service) - before
    with without(service):
        own = run(*command)
    assert served == own
    assert asked == (0 if served[0] == 2 else 1)  # a wrong command line is told without asking anybody


def test_what_is_written_through_the_service_is_there_without_it_and_back(service, run):
    code, out, _ = run("remember", "The kiln fires on Tuesdays.", "--session", "telegram:5")
    assert code == 0
    entry_id = out.split()[0]
    with without(service):
        assert run("list", "--session", "telegram:5") == (0, out, "")
        assert run("forget", entry_id)[0] == 0
    assert run("list", "--session", "telegram:5") == (0, "", "Nothing is stored.\n")
    assert run("undo", entry_id) == (0, f"restored {entry_id}\n", "")
    with without(service):
        assert run("list", "--session", "telegram:5") == (0, out, "")
