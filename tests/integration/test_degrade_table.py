"""What is down, and what still answers: each row with the real thing broken, everything else at work.

The home holds a Markdown folder, an entry and a note, each about the boat, so that every answer shows
which of the three came through.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time

import pytest

from tercet.testing.chat_server import ChatServer
from tercet.testing.embedding_server import EmbeddingServer, hashed_words
from tercet.testing.rerank_server import RerankServer

DEADLINE_S = 20.0
QUERY = "boat Albatros berth"
ENTRY = "The boat Albatros gets a new berth in May."
NOTE = "The boat Albatros was built in 1931."


@pytest.fixture
def server():
    with EmbeddingServer(hashed_words()) as server:
        yield server


@pytest.fixture
def whole(tercet, notes, server):
    """A home with all three layers and an embedder that is a service."""
    tercet.environment = {
        "TERCET_EMBEDDING__PROVIDER": "openai",
        "TERCET_EMBEDDING__URL": f"{server.url}/v1",
        "TERCET_EMBEDDING__MODEL": "m",
        "TERCET_EMBEDDING__TIMEOUT_S": "1",
        "TERCET_EMBEDDING__QUERY_TIMEOUT_S": "1",
    }
    assert tercet("index", str(notes)).code == 0
    assert tercet("remember", ENTRY).code == 0
    assert tercet("wiki", "new", "Albatros", "--body", NOTE).code == 0
    assert answer(tercet) == ({"MEMORY.md", "Albatros.md", None}, None)
    return tercet


def answer(tercet, *options):
    """Return the paths of the hits (None for an entry) and what was degraded, within the deadline."""
    begun = time.monotonic()
    ran = tercet("search", QUERY, "--json", *options)
    assert ran.code == 0, ran.err
    assert time.monotonic() - begun < DEADLINE_S
    return {hit["path"] for hit in ran.json["results"]}, ran.json["degraded"]


EVERYTHING = {"MEMORY.md", "Albatros.md", None}


def test_embedder_stopped(whole, server, notes, write_notes):
    server.close()
    found, degraded = answer(whole)
    assert found == EVERYTHING
    assert "Answered by words alone." in degraded
    write_notes(notes, {"new.md": "A second boat Albatros lies at berth 12.\n"})
    assert whole("index").code == 0
    assert answer(whole)[0] == {*EVERYTHING, "new.md"}


def test_embedder_stopped_and_a_turn_captured_waits_and_is_found_by_its_words(whole, server, tmp_path):
    server.fail_with(503, None)
    said = tmp_path / "said.jsonl"
    said.write_text(json.dumps({"role": "user", "content": "I sold the boat Albatros berth to Joris."}) + "\n")
    ran = whole("capture", str(said), "--json")
    assert (ran.code, ran.json["kept"], ran.json["waiting"]) == (0, 0, 1)
    assert "Joris" in whole("search", QUERY, "--json").out
    server.fail_with(None, None)
    assert whole("index").code == 0
    listed = [entry["text"] for entry in whole("list", "--json").json["entries"]]
    assert [text for text in listed if "Joris" in text] == ["I sold the boat Albatros berth to Joris."]


@pytest.mark.parametrize("damage", ["removed", "rubbish", "a file"])
def test_vector_store_broken(whole, damage):
    store = whole.home / "lancedb"
    if damage == "rubbish":
        for file in store.rglob("*"):
            if file.is_file():
                file.write_bytes(os.urandom(64))
    else:
        shutil.rmtree(store)
        if damage == "a file":
            store.write_text("not a store")
    found, degraded = answer(whole)
    assert found == EVERYTHING
    assert "from the files and the journal" in degraded
    assert whole("remember", "The boat Albatros is called Alba by the children.").code == 0
    assert "Alba" in whole("search", QUERY, "--json").out
    if damage == "a file":
        store.unlink()
    assert whole("index", "--rebuild").code == 0
    found, degraded = answer(whole)
    assert (found, degraded) == (EVERYTHING, None)
    assert "Alba by" in whole("search", QUERY, "--json").out


def test_vector_store_made_read_only(whole):
    """Also for root, who may write everywhere: without that right of his."""
    store = whole.home / "lancedb"
    for place in (*store.rglob("*"), store):
        place.chmod(0o500 if place.is_dir() else 0o400)
    limited = ["setpriv", "--bounding-set=-dac_override", "--inh-caps=-dac_override"] if os.geteuid() == 0 else []
    if limited and shutil.which("setpriv") is None:
        pytest.skip("root writes everywhere, and there is no setpriv to take that from him")
    arguments = ["search", QUERY, "--json", "--home", str(whole.home)]
    try:
        ran = subprocess.run(
            [*limited, sys.executable, "-m", "tercet.interfaces.cli", *arguments],
            env={**os.environ, **whole.environment},
            capture_output=True,
            encoding="utf-8",
            timeout=60,
            check=False,
        )
    finally:
        for place in (store, *store.rglob("*")):
            place.chmod(0o700 if place.is_dir() else 0o600)
    assert ran.returncode == 0, ran.stderr
    result = json.loads(ran.stdout)
    assert {hit["path"] for hit in result["results"]} == EVERYTHING
    assert "from the files and the journal" in result["degraded"]


def test_reranker_stopped(whole):
    with RerankServer() as reranker:
        whole.environment |= {"TERCET_RERANK__PROVIDER": "http", "TERCET_RERANK__URL": reranker.url}
        assert answer(whole) == (EVERYTHING, None)
    found, degraded = answer(whole)
    assert found == EVERYTHING
    assert "fused order" in degraded.lower()


def test_language_model_stopped(whole, tmp_path):
    with ChatServer() as model:
        whole.environment |= {
            "TERCET_EXTRACTION__PROVIDER": "openai",
            "TERCET_EXTRACTION__URL": model.url,
            "TERCET_EXTRACTION__MODEL": "m",
            "TERCET_CAPTURE__EXTRACTOR": "model",
        }
    said = tmp_path / "said.jsonl"
    said.write_text(json.dumps({"role": "user", "content": "I am allergic to hazelnuts."}) + "\n")
    ran = whole("capture", str(said), "--json")
    assert (ran.code, ran.json["kept"]) == (0, 1)
    assert "The rules selected instead." in ran.json["degraded"]
    assert "hazelnuts" in whole("list").out


def test_vault_unreadable(whole):
    vault = whole.home / "vault" / "main"
    vault.rename(vault.with_name("aside"))
    vault.write_text("a file where the folder of notes should be")
    found, degraded = answer(whole)
    assert found == EVERYTHING
    assert "Answered from what was indexed before." in degraded
    vault.unlink()
    vault.with_name("aside").rename(vault)
    assert answer(whole) == (EVERYTHING, None)


def test_every_layer_off_and_the_agent_still_answers(whole):
    for layer in ("memory-lancedb", "memory-wiki", "active-memory"):
        assert whole("plugins", "disable", layer).code == 0
    assert answer(whole) == (set(), None)
    recalled = whole("recall", QUERY, "--json").json
    assert (recalled["text"], recalled["skippedReason"]) == ("", "nothing_relevant")
    status = whole("status", "--json").json
    assert status["layers"] == []
    assert whole("status").code == 0
    ran = whole("index")
    assert (ran.code, "tercet plugins enable memory-lancedb" in ran.err) == (1, True)
    for layer in ("memory-lancedb", "memory-wiki", "active-memory"):
        assert whole("plugins", "enable", layer).code == 0
    assert answer(whole) == (EVERYTHING, None)
