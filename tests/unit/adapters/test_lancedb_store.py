"""What a store on disk may look like when it is opened, and what the engine says of it."""

from __future__ import annotations

import json
import shutil
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tercet.adapters.lancedb import LanceEngine
from tercet.adapters.lancedb.spaces import SpaceBook, vector_column
from tercet.adapters.spaces import describe
from tercet.errors import EngineUnavailableError, InvalidInputError, StoreFormatError
from tercet.model import Space
from tercet.testing.samples import SPACE, both, ids, opened, ours, row, theirs, vector

EAST = vector(1, 0, 0, 0)


def bytes_below(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
async def store(tmp_path):
    """A folder with two rows a tenant in it."""
    async with opened(LanceEngine(str(tmp_path / "store"))) as engine:
        await engine.upsert([*both("1", "word", vector=EAST), *both("2", "word")])
    return tmp_path / "store"


async def failing(engine, operation):
    """Return the one-line message with which every operation fails while the engine is closed after."""
    try:
        with pytest.raises(EngineUnavailableError) as caught:
            await operation()
        probe = await engine.probe()
        assert not probe
        assert not probe.permanent
    finally:
        await engine.close()
    assert "\n" not in str(caught.value)
    assert ".rs:" not in str(caught.value)
    return str(caught.value)


async def test_a_missing_store_is_made_with_private_folders(tmp_path):
    folder = tmp_path / "home" / "deep" / "store"
    async with opened(LanceEngine(str(folder))) as engine:
        assert await engine.scan(ours()) == []
    for made in (folder, folder.parent, folder.parent.parent):
        assert stat.S_IMODE(made.stat().st_mode) == 0o700


@pytest.mark.parametrize("table", ["passages", "spaces"])
@pytest.mark.parametrize("damage", ["rubbish", "empty", "no manifests"])
async def test_a_damaged_store_is_named_and_never_created_over(store, table, damage):
    """L19: data that cannot be read is not an absent store."""
    versions = store / f"{table}.lance" / "_versions"
    if damage == "no manifests":
        shutil.rmtree(versions)
    for manifest in versions.glob("*.manifest"):
        manifest.write_bytes(b"" if damage == "empty" else b"rubbish")
    before = bytes_below(store)
    engine = LanceEngine(str(store))
    message = await failing(engine, lambda: engine.open(SPACE))
    assert str(store) in message
    assert "tercet index --rebuild" in message
    assert bytes_below(store) == before


async def test_a_lost_space_table_is_not_made_anew_over_vectors(store):
    shutil.rmtree(store / "spaces.lance")
    engine = LanceEngine(str(store))
    assert "spaces" in await failing(engine, lambda: engine.open(SPACE))
    assert not (store / "spaces.lance").exists()


async def test_damaged_data_fails_reads_in_one_line(store):
    for data in (store / "passages.lance" / "data").iterdir():
        data.write_bytes(b"rubbish")
    engine = LanceEngine(str(store))
    await engine.open(SPACE)
    try:
        for operation in (engine.scan(ours()), engine.get(["a/1"]), engine.text_topk(["word"], 5, ours())):
            with pytest.raises(EngineUnavailableError) as caught:
                await operation
            assert "\n" not in str(caught.value)
    finally:
        await engine.close()


async def test_a_file_in_place_of_the_folder(tmp_path):
    (tmp_path / "store").write_text("not a folder", encoding="utf-8")
    engine = LanceEngine(str(tmp_path / "store"))
    assert "store" in await failing(engine, lambda: engine.open(SPACE))
    assert (tmp_path / "store").read_text(encoding="utf-8") == "not a folder"


_OPEN_AS_NOBODY = """
import asyncio, os, sys
# Everything is imported first: nobody may not read an interpreter that lies in root's own folder.
import lancedb, lancedb.expr, lancedb.index, lancedb.query, numpy, pyarrow
from tercet.adapters.lancedb import LanceEngine
from tercet.errors import EngineUnavailableError
if os.geteuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
    assert os.geteuid() != 0
async def main():
    try:
        await LanceEngine(sys.argv[1]).open(None)
    except EngineUnavailableError as error:
        print(error)
asyncio.run(main())
"""


def test_a_folder_without_permission():
    # Root reads everything, so the store is opened by a process that has become nobody, in a place
    # that anyone may enter, unlike pytest's own.
    with tempfile.TemporaryDirectory(prefix="tercet-test-") as place:
        Path(place).chmod(0o755)
        store = Path(place) / "store"
        store.mkdir(mode=0o000)
        command = [sys.executable, "-c", _OPEN_AS_NOBODY, str(store)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    assert "not a folder that this user may read" in done.stdout


async def test_a_store_taken_away_while_open_is_not_made_again_by_a_write(store):
    engine = LanceEngine(str(store))
    await engine.open(SPACE)
    shutil.rmtree(store)
    with pytest.raises(EngineUnavailableError):
        await engine.scan(ours())
    await failing(engine, lambda: engine.upsert([row("a/3")]))
    assert not store.exists()


async def test_a_kill_inside_the_very_first_commit_is_mended(tmp_path):
    """Folders and a transaction without any manifest or data hold nothing that could be lost."""
    half = tmp_path / "store" / "passages.lance" / "_transactions"
    half.mkdir(parents=True)
    (half / "0-uuid.txn").write_bytes(b"half")
    async with opened(LanceEngine(str(tmp_path / "store"))) as engine:
        await engine.upsert(both("1", "word"))
        assert ids(await engine.scan(theirs())) == ["b/1"]


async def test_a_newer_format_is_left_alone(store):
    import lancedb
    import pyarrow as pa

    spaces = lancedb.connect(str(store)).open_table("spaces")
    newer = pa.Table.from_pylist([{"name": "#format", "json": "99", "state": "format"}], schema=SpaceBook.schema())
    spaces.merge_insert("name").when_matched_update_all().execute(newer)
    before = bytes_below(store)
    engine = LanceEngine(str(store))
    with pytest.raises(StoreFormatError, match="format 99"):
        await engine.open(SPACE)
    await engine.close()
    assert bytes_below(store) == before


async def test_a_space_with_an_unknown_field_is_from_a_newer_version(store):
    import lancedb
    import pyarrow as pa

    spaces = lancedb.connect(str(store)).open_table("spaces")
    described = json.dumps({"provider": "p", "model": "m", "dimensions": 4, "matryoshka": 2})
    newer = {"name": vector_column(SPACE), "json": described, "state": "active"}
    spaces.merge_insert("name").when_matched_update_all().execute(
        pa.Table.from_pylist([newer], schema=SpaceBook.schema())
    )
    engine = LanceEngine(str(store))
    with pytest.raises(StoreFormatError, match="matryoshka"):
        await engine.open(SPACE)
    await engine.close()


def test_every_field_of_a_space_makes_another_column_and_is_told():
    changed = [
        Space("x", "first", 4),
        Space("contract", "x", 4),
        Space("contract", "first", 5),
        Space("contract", "first", 4, revision="r"),
        Space("contract", "first", 4, document_prefix="d"),
        Space("contract", "first", 4, query_prefix="q"),
        Space("contract", "first", 4, pooling="cls"),
        Space("contract", "first", 4, max_tokens=9),
        SPACE,
    ]
    assert len({vector_column(space) for space in changed}) == len(changed)
    assert len({describe(space) for space in changed}) == len(changed)


async def test_texts_that_are_no_unicode_are_refused(store):
    async with opened(LanceEngine(str(store))) as engine:
        for bad in (row("a/3", "half \ud83e"), row("a/\ud83e"), row("a/3", terms=("\ud83e",))):
            with pytest.raises(InvalidInputError):
                await engine.upsert([bad])
        with pytest.raises(InvalidInputError, match="empty"):
            await engine.upsert([row("")])
        assert (await engine.stats()).rows == 4


def test_importing_the_engine_loads_no_heavy_library():
    code = "import sys, tercet.adapters.lancedb; print({'lancedb', 'pyarrow', 'numpy'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, encoding="utf-8")
    assert done.stdout.strip() == "set()"


async def test_a_damaged_store_can_be_thrown_away_without_opening_it(store):
    for manifest in (store / "passages.lance" / "_versions").glob("*.manifest"):
        manifest.write_bytes(b"rubbish")
    engine = LanceEngine(str(store))
    assert engine.has_store()
    await engine.discard()
    assert not engine.has_store()
    # The lock of its opening stays: another process may hold it right now.
    assert [path.name for path in store.iterdir()] == [".opening.lock"]
    async with opened(engine):
        assert await engine.scan(ours()) == []
