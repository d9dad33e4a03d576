"""The doctor finds what is wrong and mends what can be mended without losing anything."""

from __future__ import annotations

import stat

import pytest


@pytest.fixture
def indexed(tercet, notes):
    assert tercet("index", str(notes)).code == 0
    return tercet


def findings(ran):
    return {each["check"]: each for each in ran.json["findings"]}


def test_a_home_open_to_others_is_found_and_closed(indexed):
    indexed.home.chmod(0o755)
    found = findings(indexed("doctor", "--json"))["home"]
    assert found["verdict"] == "warning"
    assert "--fix" in found["mend"]
    assert findings(indexed("doctor", "--fix", "--json"))["home"]["verdict"] == "fixed"
    assert stat.S_IMODE(indexed.home.stat().st_mode) == 0o700
    assert findings(indexed("doctor", "--json"))["home"]["verdict"] == "ok"


@pytest.mark.parametrize("name", ["ledger.sqlite", "embeddings.sqlite", "lancedb"])
def test_a_file_open_to_others_is_found_and_closed(indexed, name):
    (indexed.home / name).chmod(0o755)
    found = findings(indexed("doctor", "--json"))["home"]
    assert found["verdict"] == "warning"
    assert name in found["detail"]
    assert indexed("doctor", "--fix").code == 0
    assert not stat.S_IMODE((indexed.home / name).stat().st_mode) & 0o077


def test_missing_rows_are_found_and_brought_back(indexed):
    import lancedb

    table = lancedb.connect(str(indexed.home / "lancedb")).open_table("passages")
    table.delete("path = 'MEMORY.md'")
    ran = indexed("doctor", "--json")
    assert ran.code == 1
    assert findings(ran)["index"]["verdict"] == "problem"
    assert "3 passages" in findings(ran)["index"]["detail"]
    ran = indexed("doctor", "--fix", "--json")
    assert ran.code == 0
    assert findings(ran)["index"]["verdict"] == "fixed"
    assert indexed("doctor").code == 0
    assert indexed("search", "ZX-9918", "--json").json["results"][0]["path"] == "MEMORY.md"


def test_an_unfinished_run_is_found_and_finished(indexed, notes):
    import asyncio

    from tercet.adapters.sqlite.ledger import SqliteLedger

    async def announce():
        ledger = await SqliteLedger.open(indexed.home)
        await ledger.manifest.announce("notes", ["table.md"])
        await ledger.close()

    asyncio.run(announce())
    found = findings(indexed("doctor", "--json"))["folder notes"]
    assert found["verdict"] == "warning"
    assert "1 file" in found["detail"]
    assert findings(indexed("doctor", "--fix", "--json"))["folder notes"]["verdict"] == "fixed"
    assert findings(indexed("doctor", "--json"))["folder notes"]["verdict"] == "ok"


def test_a_folder_that_is_away_is_named_with_both_ways_out(indexed, notes):
    notes.rename(notes.parent / "away")
    ran = indexed("doctor", "--json")
    assert ran.code == 1
    found = findings(ran)["folder notes"]
    assert found["verdict"] == "problem"
    assert f"--remove {notes}" in found["mend"]


def test_nothing_indexed_yet_is_a_warning(tercet):
    ran = tercet("doctor", "--json")
    assert ran.code == 0
    assert findings(ran)["folders"]["verdict"] == "warning"
    assert "tercet index DIR" in findings(ran)["folders"]["mend"]


def test_the_round_trip_leaves_no_trace(indexed):
    """G24: one write and read, end to end."""
    before = indexed("status", "--json").json["layers"][0]["rows"]
    assert findings(indexed("doctor", "--json"))["round trip"]["verdict"] == "ok"
    assert indexed("status", "--json").json["layers"][0]["rows"] == before
    assert indexed("search", "doctor writes this passage", "--json").json["results"] == []
