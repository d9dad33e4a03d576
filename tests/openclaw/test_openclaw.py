"""The plug-in in the real OpenClaw: it owns the slot, recalls before an answer, captures after, and blocks nothing.

``make test-openclaw`` installs OpenClaw and sets ``TERCET_TEST_OPENCLAW`` to where.
"""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest
from chat_stand_in import REPLY, ChatStandIn
from installation import GATEWAY_TOKEN, OpenClaw, Service

INSTALLED = os.environ.get("TERCET_TEST_OPENCLAW")
pytestmark = pytest.mark.skipif(not INSTALLED, reason="OpenClaw is installed by 'make test-openclaw'")

FACT = "I am allergic to hazelnuts, remember that."
QUESTION = "Which nuts am I allergic to?"
SESSION = "agent:main:main"


@pytest.fixture(scope="module")
def model():
    with ChatStandIn() as stand_in:
        yield stand_in


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    home = tmp_path_factory.mktemp("tercet") / "home"
    made = Service(home)
    notes = home.parent / "notes"
    notes.mkdir()
    (notes / "MEMORY.md").write_text("# Kitchen\n\nThe red pan is for fish only.\n", encoding="utf-8")
    made.tercet("index", str(notes))
    made.start()
    yield made
    made.stop()


@pytest.fixture(scope="module")
def openclaw(tmp_path_factory, model, service):
    return OpenClaw(Path(INSTALLED), tmp_path_factory.mktemp("openclaw"), model.url, service.home)


def entries(service):
    service.tercet("index")  # works in what waits
    return service.tercet("list", "--session", SESSION)["entries"]


def test_the_plug_in_is_loaded_and_owns_the_memory_slot(openclaw):
    seen = json.dumps(openclaw.json("plugins", "inspect", "tercet", "--runtime", "--json"))
    assert '"memorySlotSelected": true' in seen
    for tool in ("memory_search", "memory_get", "memory_store", "memory_forget"):
        assert tool in seen
    assert '"hookCount": 2' in seen


def test_a_turn_is_recalled_into_and_captured_and_the_next_recalls_it(openclaw, model, service):
    ran = openclaw.say("Which pan is for fish?")
    assert (ran.returncode, REPLY in ran.stdout) == (0, True), ran.stderr[-2000:]
    assert "<tercet-memory>" in model.texts()[-1]
    assert "The red pan is for fish only." in model.texts()[-1]

    assert openclaw.say(FACT).returncode == 0
    kept = [entry for entry in entries(service) if "hazelnuts" in entry["text"]]
    assert [(entry["session"], entry["anchor"]) for entry in kept] == [(SESSION, SESSION)]

    asked = len(model.requests)
    assert openclaw.say(QUESTION).returncode == 0
    assert any(
        "hazelnuts" in text.split("<tercet-memory>")[-1] for text in model.texts()[asked:] if "<tercet-memory>" in text
    )
    assert not [entry for entry in entries(service) if "red pan" in entry["text"]], "memory fed on itself"


def test_with_the_service_stopped_the_turn_completes_and_is_taken_in_later(openclaw, service):
    service.stop()
    ran = openclaw.say("My sister Lotte moved to Ghent last week.")
    assert (ran.returncode, REPLY in ran.stdout) == (0, True), ran.stderr[-2000:]
    spooled = list((service.home / "spool" / "main").glob("*.json"))
    assert [file.stat().st_mode & 0o777 for file in spooled] == [0o600]
    service.start()
    assert [entry["session"] for entry in entries(service) if "Ghent" in entry["text"]] == [SESSION]
    assert not list((service.home / "spool" / "main").glob("*.json"))


def test_the_gateway_searches_what_the_agent_shares_and_no_one_persons_entries(openclaw):
    gateway = openclaw.gateway()
    try:
        lines = iter(gateway.stdout.readline, "")
        assert any(line.rstrip().endswith("[gateway] ready") for line in lines), "the gateway ended"
        found = json.dumps(
            openclaw.json(
                "gateway", "call", "memory.search", "--token", GATEWAY_TOKEN, "--json",
                "--params", json.dumps({"query": "hazelnuts and the fish pan", "agentId": "main"}),
            )
        )  # fmt: skip
    finally:
        gateway.send_signal(signal.SIGTERM)
        gateway.communicate(timeout=60)
    assert "red pan" in found
    assert "allergic" not in found
