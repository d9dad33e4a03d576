"""Several processes over one home: two index runs at once, a reader during a rebuild, a watcher (X2, X3, X7, F3)."""

from __future__ import annotations

import json
import signal
import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from tercet.testing.embedding_server import EmbeddingServer, hashed_words


@pytest.fixture
def server():
    with EmbeddingServer(hashed_words()) as server:
        yield server


@pytest.fixture
def remote(tercet, server):
    tercet.environment = {"TERCET_EMBEDDING__PROVIDER": "ollama", "TERCET_EMBEDDING__URL": server.url}
    return tercet


@contextmanager
def at_most(seconds, process):
    """Kill a process that hangs, so that whoever reads from it wakes up."""
    timer = threading.Timer(seconds, process.kill)
    timer.start()
    try:
        yield process
    finally:
        timer.cancel()
        if process.poll() is None:
            process.kill()
        process.wait()
        process.stdout.close()
        process.stderr.close()


def test_two_index_runs_at_once_both_end_well_and_embed_once(remote, notes, server):
    server.hold()
    first = remote.start("index", str(notes), "--json")
    assert server.arrived.acquire(timeout=60), "the process never asked the embedder"
    second = remote.start("index", str(notes), "--json")
    with at_most(120, first), at_most(120, second):
        assert "waiting for it" in second.stderr.readline()
        server.release()
        one, two = json.load(first.stdout), json.load(second.stdout)
        assert (first.wait(), second.wait()) == (0, 0)
    assert (one["embedded"], two["embedded"], two["changed"]) == (4, 0, 0)
    assert one["files"] == two["files"] == 4
    assert remote("doctor").code == 0


def test_killed_in_the_middle_of_embedding_the_real_command_goes_on_next_time(remote, notes, server):
    remote.environment["TERCET_INDEX__BATCH_CHUNKS"] = "2"
    embed = server.embed
    asked = []

    def embed_and_hold(texts):
        asked.append(texts)
        if len(asked) == 2:
            server.hold()
        return embed(texts)

    server.embed = embed_and_hold
    process = remote.start("index", str(notes), "--json")
    with at_most(120, process):
        while len(asked) < 2:
            assert server.arrived.acquire(timeout=60), "the process never asked the embedder"
        process.send_signal(signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL
    server.embed = embed
    server.release()
    report = remote("index", "--json").json
    assert (report["files"], report["chunks"], report["waiting"]) == (4, 4, 0)
    assert remote("doctor").code == 0
    assert remote("search", "ZX-9918", "--json").json["results"][0]["path"] == "MEMORY.md"


def test_a_search_does_not_wait_for_an_index_run(remote, notes, server, write_notes):
    remote("index", str(notes))
    write_notes(notes, {"new.md": "an okapi\n"})
    server.hold()
    server.arrived = threading.Semaphore(0)
    process = remote.start("index", "--json")
    with at_most(120, process):
        assert server.arrived.acquire(timeout=60), "the process never asked the embedder"
        answer = remote("search", "ZX-9918", "--mode", "keyword", "--json", TERCET_EMBEDDING__QUERY_TIMEOUT_S="0.2")
        assert answer.json["results"][0]["path"] == "MEMORY.md"
        server.release()
        assert process.wait() == 0
    assert remote("search", "okapi", "--json").json["results"][0]["path"] == "new.md"


def test_a_reader_never_sees_an_empty_store_while_it_is_rebuilt(tercet, notes, write_notes):
    from tercet.app import build
    from tercet.config import load_settings
    from tercet.model import SearchOptions

    write_notes(notes, {f"n{n}.md": f"# Note {n}\n\nwombat {n}\n" for n in range(30)})
    settings = {"home": str(tercet.home), "embedding": {"provider": "none"}, "index": {"batch_chunks": 2}}
    with build(load_settings(settings)) as writer, build(load_settings(settings)) as reader:
        writer.index([str(notes)])
        seen = []
        with ThreadPoolExecutor(1) as pool:
            rebuilt = pool.submit(writer.index, rebuild=True)
            while not rebuilt.done() or not seen:
                hits = reader.search("ZX-9918", SearchOptions(limit=1))
                seen.append((hits[0].passage.path, hits.degraded))
                assert reader.read("MEMORY.md").total_lines == 9
            assert rebuilt.result().chunks == 34
        assert set(seen) == {("MEMORY.md", None)}


def test_a_file_is_read_by_its_path_while_its_record_is_away(tercet, notes):
    """A rebuild takes the records out first; so does nothing to files that were never indexed, or are passed by."""
    (notes / ".tercetignore").write_text("secret.md\n", encoding="utf-8")
    (notes / "secret.md").write_text("not for reading\n", encoding="utf-8")
    assert tercet("index", str(notes)).code == 0
    with sqlite3.connect(tercet.home / "ledger.sqlite") as ledger:
        ledger.execute("DELETE FROM passage")
        ledger.execute("DELETE FROM file")
    ledger.close()
    ran = tercet("read", "MEMORY.md", TERCET_INDEX__REFRESH_FILES="0")
    assert (ran.code, "Albatros" in ran.out) == (0, True)
    for path in ("secret.md", "../secret.md", "nothing.md"):
        assert tercet("read", path, TERCET_INDEX__REFRESH_FILES="0").code == 1


def test_watch_follows_edits_renames_and_deletions_and_ends_with_ctrl_c(tercet, notes, write_notes):
    process = tercet.start("index", str(notes), "--watch", "--json")
    with at_most(120, process):
        reports = reading(process.stdout)
        assert next(reports)["files"] == 4
        assert "Watching" in process.stderr.readline()
        # No pause: what changes while the watch begins must not be lost.
        write_notes(notes, {"new.md": "an okapi\n"})
        assert until(reports, lambda each: each["files"] == 5)
        (notes / "new.md").rename(notes / "newer.md")
        assert until(reports, lambda each: each["removed"] == 1)
        (notes / "deep" / "er").mkdir(parents=True)
        write_notes(notes, {"deep/er/x.md": "a quagga\n"})
        assert until(reports, lambda each: each["files"] == 6)
        (notes / "newer.md").unlink()
        assert until(reports, lambda each: each["files"] == 5)
        answer = tercet("search", "quagga", "--json", TERCET_INDEX__REFRESH_FILES="0").json
        assert answer["results"][0]["path"] == "deep/er/x.md"
        process.send_signal(signal.SIGINT)
        assert process.stderr.read() == ""
        assert process.wait() == 0


def reading(stream):
    """Yield JSON values from a stream as they come, one a line."""
    for line in stream:
        yield json.loads(line)


def until(reports, holds):
    return next((each for each in reports if holds(each)), None)


def test_ctrl_c_ends_an_index_run_at_once_with_one_line_and_the_next_goes_on(remote, notes, server):
    server.hold()
    process = remote.start("index", str(notes))
    with at_most(120, process):
        assert server.arrived.acquire(timeout=60), "the process never asked the embedder"
        process.send_signal(signal.SIGINT)
        assert process.stderr.read().strip() == "tercet: interrupted"
        assert process.wait() == 130
    server.release()
    assert remote("index", "--json").json["chunks"] == 4
