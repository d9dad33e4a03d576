"""Stores that are gone, broken, full or not ours to write: said plainly, and mended by the next run."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tercet.testing.embedding_server import EmbeddingServer, hashed_words


def search(tercet, query="ZX-9918"):
    ran = tercet("search", query, "--json")
    assert ran.code == 0, ran.err
    return [hit["path"] for hit in ran.json["results"]], ran.json["degraded"]


def is_one_line(text):
    return text.startswith("tercet: ") and text.count("\n") == 1


@pytest.fixture
def server():
    with EmbeddingServer(hashed_words()) as server:
        yield server


@pytest.fixture
def indexed(tercet, notes):
    assert tercet("index", str(notes)).code == 0
    return tercet


def test_a_deleted_store_is_searched_in_the_files_and_healed_from_the_cache(tercet, notes, write_notes, server):
    tercet.environment = {"TERCET_EMBEDDING__PROVIDER": "ollama", "TERCET_EMBEDDING__URL": server.url}
    tercet("index", str(notes))
    shutil.rmtree(tercet.home / "lancedb")
    for _ in range(2):
        paths, degraded = search(tercet)
        assert paths == ["MEMORY.md"]
        assert "from the files" in degraded
        assert "tercet index" in degraded
    # Neither looking nor a changed file may leave a half-filled store that looks whole.
    write_notes(notes, {"new.md": "The parrot is called Bosun.\n"})
    assert search(tercet, "Bosun")[0] == ["new.md"]
    assert tercet("status").code == 0
    assert tercet("doctor").code == 1
    assert search(tercet)[0] == ["MEMORY.md"]
    report = tercet("index", "--json").json
    assert (report["chunks"], report["embedded"]) == (5, 1)
    paths, degraded = search(tercet)
    assert (paths[0], degraded) == ("MEMORY.md", None)


def test_a_store_lost_while_a_memory_is_open_comes_back_without_a_restart(indexed, notes):
    from tercet.app import build
    from tercet.config import load_settings

    settings = {"home": str(indexed.home), "embedding": {"provider": "none"}}
    with build(load_settings(settings)) as memory:
        assert memory.search("ZX-9918").degraded is None
        shutil.rmtree(indexed.home / "lancedb")
        assert "from the files" in memory.search("ZX-9918").degraded
        assert indexed("index").code == 0
        assert memory.search("ZX-9918").degraded is None
        assert memory.search("ZX-9918")[0].passage.path == "MEMORY.md"


@pytest.mark.parametrize("what", ["manifests", "data", "everything"])
def test_a_corrupt_store_answers_from_the_files_until_it_is_rebuilt(indexed, what):
    store = indexed.home / "lancedb"
    (store / "mine.txt").write_text("not a table")
    pattern = {"manifests": "*.lance/**/_versions/*", "data": "*.lance/**/data/*", "everything": "*.lance/**/*"}[what]
    for path in store.glob(pattern):
        if path.is_file():
            path.write_bytes(b"garbage")
    paths, degraded = search(indexed)
    assert paths == ["MEMORY.md"]
    assert "--rebuild" in degraded
    assert "\n" not in degraded
    assert indexed("status").code == 0
    assert indexed("doctor").code == 1
    ran = indexed("index", "--rebuild", "--json")
    assert ran.code == 0, ran.err
    assert ran.json["chunks"] == 4
    assert search(indexed) == (["MEMORY.md"], None)
    assert indexed("doctor").code == 0
    assert (store / "mine.txt").read_text() == "not a table", "a rebuild deletes tables, not what lies beside them"


def test_a_store_address_that_is_a_file_is_said(tercet, notes, tmp_path):
    (tmp_path / "file").write_text("no store")
    ran = tercet("index", str(notes), TERCET_STORE__URL=str(tmp_path / "file"))
    assert ran.code == 1
    assert is_one_line(ran.err)
    assert (tmp_path / "file").read_text() == "no store"


def test_a_deleted_ledger_starts_anew_and_leaves_no_ghosts(indexed, notes):
    for path in indexed.home.glob("ledger.sqlite*"):
        path.unlink()
    (notes / "table.md").unlink()
    assert search(indexed, "kompas") == ([], indexed("search", "kompas", "--json").json["degraded"])
    assert indexed("index", str(notes), "--json").json["chunks"] == 3
    assert search(indexed, "kompas")[0] == []
    assert search(indexed) == (["MEMORY.md"], None)
    assert indexed("doctor").code == 0


def test_an_empty_home_says_that_nothing_is_indexed_and_makes_no_store(tercet):
    paths, degraded = search(tercet)
    assert paths == []
    assert "tercet index DIR" in degraded
    assert not (tercet.home / "lancedb").exists()


def test_a_broken_cache_of_vectors_stops_nothing_and_the_doctor_names_it(indexed):
    (indexed.home / "embeddings.sqlite").write_bytes(b"no database at all, however long it is" * 40)
    assert search(indexed) == (["MEMORY.md"], None)
    assert indexed("index").code == 0
    ran = indexed("doctor")
    assert ran.code == 0
    assert "embeddings.sqlite.damaged" in ran.out
    assert "fixed    embedding cache" in indexed("doctor", "--fix").out
    assert "embedding cache" not in indexed("doctor").out


def test_a_broken_ledger_is_named_in_one_line(indexed):
    name = "ledger.sqlite"
    (indexed.home / name).write_bytes(b"no database at all, however long it is" * 40)
    for arguments in (("search", "x"), ("index",), ("status",), ("doctor",)):
        ran = indexed(*arguments)
        assert ran.code == 1
        assert is_one_line(ran.err), ran.err
        assert name in ran.err


@pytest.fixture
def small_disk(tmp_path):
    """A file system of its own of 3 MB; only root may make one."""
    place = tmp_path / "small"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(place)]
    made = subprocess.run(mount, capture_output=True, text=True, check=False)
    if made.returncode:
        pytest.skip(f"NOT TESTED: a small file system cannot be mounted here ({made.stderr.strip()})")
    yield place
    subprocess.run(["umount", "-l", place], check=True)


def test_a_full_disk_is_said_loses_nothing_and_the_next_run_completes(tercet, notes, small_disk, write_notes):
    tercet.home = small_disk / "home"
    assert tercet("index", str(notes)).code == 0
    ballast = small_disk / "ballast"
    free = shutil.disk_usage(small_disk).free
    ballast.write_bytes(b"x" * max(0, free - 20_000))
    write_notes(notes, {f"more/{n}.md": f"# Note {n}\n\n" + f"quokka{n} " * 400 for n in range(40)})
    ran = tercet("index")
    assert ran.code == 1
    assert is_one_line(ran.err), ran.err
    assert "space" in ran.err.lower() or "full" in ran.err.lower(), ran.err
    ran = tercet("search", "ZX-9918")
    assert "MEMORY.md" in ran.out or is_one_line(ran.err), "an answer, or a plain word why there is none"
    ballast.unlink()
    ran = tercet("index", "--json")
    assert ran.code == 0, ran.err
    assert ran.json["files"] == 44
    assert search(tercet, "quokka17")[0][0] == "more/17.md"
    assert tercet("doctor").code == 0


def test_a_read_only_home_says_so_in_one_line(tercet, notes, small_disk):
    tercet.home = small_disk / "home"
    assert tercet("index", str(notes)).code == 0
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
    for arguments in (("index", str(notes)), ("search", "ZX-9918"), ("status",)):
        ran = tercet(*arguments)
        assert ran.code == 1
        assert is_one_line(ran.err), ran.err
        assert str(Path(tercet.home)) in ran.err
