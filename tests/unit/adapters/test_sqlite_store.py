"""The two SQLite files on disk: modes, formats, damage, locks, and what a second handle sees."""

import asyncio
import sqlite3
import stat
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tercet.adapters.sqlite import connection
from tercet.adapters.sqlite.connection import Database
from tercet.adapters.sqlite.ledger import SqliteLedger
from tercet.adapters.sqlite.schema import EMBEDDINGS, LEDGER, StoreFormat
from tercet.adapters.sqlite.term_counts import pack_terms, unpack_terms
from tercet.errors import InvalidInputError, LedgerBusyError, StoreFormatError, TransientError
from tercet.model import Reach, Scope
from tercet.ports.ledger import RootRecord
from tercet.testing.ledger_contract import file_of, vector_of

MINE = Scope("main")


async def open_with_root(home: Path) -> SqliteLedger:
    ledger = await SqliteLedger.open(home)
    await ledger.manifest.add_root(RootRecord("notes", "/notes", MINE))
    return ledger


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


async def test_everything_is_there_after_a_reopen(tmp_path: Path) -> None:
    ledger = await open_with_root(tmp_path)
    await ledger.manifest.commit_files(MINE, file_of("notes", "a.md", {"1": "x y"}), (), "notes")
    await ledger.manifest.announce("notes", ["b.md"])
    await ledger.cache.put("s", {"k": vector_of(1, 2)})
    await ledger.set_value("space", "s")
    await ledger.close()
    await ledger.close()
    assert names(tmp_path) == ["embeddings.sqlite", "ledger.sqlite"]
    again = await SqliteLedger.open(tmp_path)
    assert list(await again.manifest.files("notes")) == ["a.md"]
    assert await again.manifest.unfinished("notes") == ["b.md"]
    assert (await again.terms.statistics(Reach("main"), ["x"])).document_frequency == {"x": 1}
    assert (await again.cache.get("s", ["k"]))["k"].tolist() == [1, 2]
    assert await again.get_value("space") == "s"
    await again.close()


async def test_folder_and_files_are_private(tmp_path: Path) -> None:
    ledger = await open_with_root(tmp_path / "a" / "b")
    await ledger.cache.put("s", {"k": vector_of(1)})
    assert {mode(tmp_path / "a"), mode(tmp_path / "a" / "b")} == {0o700}
    files = set(names(tmp_path / "a" / "b"))
    assert files >= {"ledger.sqlite", "ledger.sqlite-wal", "embeddings.sqlite-wal"}
    assert {mode(tmp_path / "a" / "b" / name) for name in files} == {0o600}
    await ledger.close()


@pytest.mark.parametrize("store", [LEDGER, EMBEDDINGS])
async def test_a_newer_file_is_refused_and_left_alone(tmp_path: Path, store: StoreFormat) -> None:
    await (await SqliteLedger.open(tmp_path)).close()
    path = tmp_path / store.file_name
    with sqlite3.connect(path) as other:
        other.execute("PRAGMA user_version = 99")
    other.close()
    before = path.read_bytes()
    with pytest.raises(StoreFormatError, match=rf"{store.file_name} has format 99.*update Tercet"):
        await SqliteLedger.open(tmp_path)
    assert path.read_bytes() == before


async def test_a_damaged_ledger_is_named_and_never_made_anew(tmp_path: Path) -> None:
    """L19: nothing is created over data."""
    path = tmp_path / LEDGER.file_name
    path.write_bytes(b"memories " * 1000)
    with pytest.raises(StoreFormatError, match=rf"{LEDGER.file_name} is damaged .*: {LEDGER.mend[:12]}"):
        await SqliteLedger.open(tmp_path)
    assert path.read_bytes() == b"memories " * 1000


def test_a_file_that_another_makes_meanwhile_is_no_strangers(tmp_path: Path) -> None:
    """Two processes make one home: the other's commit falls between any two looks of this one."""
    place = str(tmp_path / "l.sqlite")

    class Overtaken(sqlite3.Connection):
        looked = False

        def execute(self, sql: str) -> SimpleNamespace:  # type: ignore[override]  # the two looks alone
            (seen,) = super().execute(sql).fetchall()
            if not self.looked:
                self.looked = True
                with sqlite3.connect(place) as other:
                    other.executescript(f"CREATE TABLE t (x); PRAGMA application_id = {LEDGER.application_id}")
                other.close()
            return SimpleNamespace(fetchone=lambda: seen)

    looking = sqlite3.connect(place, factory=Overtaken)
    store = Database(tmp_path, LEDGER, durable=True, busy_timeout_s=1, readers=1)
    store._check_ours(looking)
    looking.close()


async def test_a_damaged_cache_is_set_aside_and_made_anew(tmp_path: Path) -> None:
    path = tmp_path / EMBEDDINGS.file_name
    path.write_bytes(b"memories " * 1000)
    handles = await asyncio.gather(*[SqliteLedger.open(tmp_path) for _ in range(3)])
    await handles[0].cache.put("s", {"k": vector_of(1)})
    for ledger in handles:
        assert set(await ledger.cache.get("s", ["k"])) == {"k"}
    aside = tmp_path / "embeddings.sqlite.damaged"
    assert aside.read_bytes() == b"memories " * 1000
    await handles[0].cache.forget(["k"])
    assert not aside.exists(), "what is forgotten is in no file that was kept"
    for ledger in handles:
        await ledger.close()


async def test_damage_deep_in_the_cache_costs_only_the_vectors(tmp_path: Path) -> None:
    ledger = await SqliteLedger.open(tmp_path)
    await ledger.cache.put("s", {f"k{n}": vector_of(*[1.0] * 500) for n in range(200)})
    await ledger.close()
    path = tmp_path / EMBEDDINGS.file_name
    data = bytearray(path.read_bytes())
    data[8 * 4096 :] = b"\xff" * (len(data) - 8 * 4096)
    path.write_bytes(data)
    ledger = await SqliteLedger.open(tmp_path)
    assert await ledger.cache.get("s", [f"k{n}" for n in range(200)]) == {}
    await ledger.cache.put("s", {"k": vector_of(1)})
    assert set(await ledger.cache.get("s", ["k"])) == {"k"}
    await ledger.close()
    assert (tmp_path / "embeddings.sqlite.damaged").stat().st_size == len(data)


async def test_damage_found_later_is_said_too(tmp_path: Path) -> None:
    ledger = await open_with_root(tmp_path)
    files = {}
    for n in range(300):
        files |= file_of("notes", f"{n}.md", {f"p{n}": f"term{n} other{n}"})
    await ledger.manifest.commit_files(MINE, files, (), "notes")
    await ledger.close()
    path = tmp_path / "ledger.sqlite"
    data = bytearray(path.read_bytes())
    data[45 * 4096 :] = b"\xff" * (len(data) - 45 * 4096)
    path.write_bytes(data)
    ledger = await SqliteLedger.open(tmp_path)
    with pytest.raises(StoreFormatError, match=r"ledger\.sqlite is damaged"):
        await ledger.terms.faults()
    await ledger.close()


async def test_another_programs_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE theirs (x)")
    other.close()
    before = path.read_bytes()
    with pytest.raises(StoreFormatError, match="another program's database"):
        await SqliteLedger.open(tmp_path)
    assert path.read_bytes() == before


async def test_an_older_file_is_brought_up(tmp_path: Path) -> None:
    """L18: a format moves on by migrations, and keeps what was there."""

    def read_all(opened: sqlite3.Connection) -> list[tuple[object, ...]]:
        return opened.execute("SELECT * FROM thing").fetchall()

    first = StoreFormat("test", "t.sqlite", 7, (("CREATE TABLE thing (x)", "INSERT INTO thing VALUES (1)"),), "")
    second = replace(first, migrations=(*first.migrations, ("ALTER TABLE thing ADD COLUMN y DEFAULT 2",)))
    for store, rows in ((first, [(1,)]), (second, [(1, 2)]), (second, [(1, 2)])):
        database = Database(tmp_path, store, durable=True, busy_timeout_s=1, readers=1)
        await database.open()
        assert await database.read(read_all) == rows
        await database.close()


async def test_a_failed_migration_leaves_the_old_format(tmp_path: Path) -> None:
    first = StoreFormat("test", "t.sqlite", 7, (("CREATE TABLE thing (x)",),), "mend it")
    broken = replace(first, migrations=(*first.migrations, ("DROP TABLE thing", "CREATE nonsense")))
    for store, fails in ((first, False), (broken, True), (first, False)):
        database = Database(tmp_path, store, durable=True, busy_timeout_s=1, readers=1)
        if fails:
            with pytest.raises(StoreFormatError, match="mend it"):
                await database.open()
        else:
            await database.open()
            assert await database.read(lambda c: c.execute("SELECT count(*) FROM thing").fetchone()) == (0,)
        await database.close()


async def test_a_lock_held_too_long_is_a_transient_error(tmp_path: Path) -> None:
    """X3: a lock is not called corruption, and readers do not wait for it."""
    await (await open_with_root(tmp_path)).close()
    ledger = await SqliteLedger.open(tmp_path, busy_timeout_s=0.05)
    other = sqlite3.connect(tmp_path / "ledger.sqlite", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(LedgerBusyError, match=r"ledger\.sqlite for more than 0\.05 s"):
        await ledger.set_value("a", "b")
    assert await ledger.manifest.files("notes") == {}
    other.execute("ROLLBACK")
    other.close()
    await ledger.set_value("a", "b")
    assert await ledger.get_value("a") == "b"
    await ledger.close()


async def test_a_second_handle_sees_every_change_at_once(tmp_path: Path) -> None:
    """X10: the list of files is kept in memory, and yet never stale."""
    one, two = await open_with_root(tmp_path), await SqliteLedger.open(tmp_path)

    async def sizes() -> dict[str, int]:
        """Ask both, so that each holds the list when the next change comes."""
        seen = [await handle.manifest.files("notes") for handle in (one, two)]
        assert seen[0] == seen[1]
        return {path: record.size for path, record in seen[0].items()}

    assert await sizes() == {}
    for size in (1, 2):
        await one.manifest.commit_files(MINE, file_of("notes", "a.md", {"1": "x"}, size=size), (), "notes")
        assert await sizes() == {"a.md": size}
    await two.manifest.touch_files([replace((await two.manifest.files("notes"))["a.md"], size=3)])
    assert await sizes() == {"a.md": 3}
    await one.manifest.announce("notes", ["a.md"])
    assert await sizes() == {}
    await one.manifest.commit_files(MINE, file_of("notes", "a.md", {}), ["b.md"], "notes")
    assert await sizes() == {"a.md": 1}
    await two.manifest.reset()
    assert await sizes() == {}
    await one.close()
    await two.close()


async def test_two_that_open_a_new_home_at_once_wait_for_each_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """X9: SQLite's switch to WAL fails at once when another connection writes, whatever its time-out."""
    other = sqlite3.connect(tmp_path / "ledger.sqlite", isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    waited: list[float] = []

    def sleep(seconds: float) -> None:
        waited.append(seconds)
        if other.in_transaction:
            other.execute("ROLLBACK")

    monkeypatch.setattr(connection.time, "sleep", sleep)
    ledger = await SqliteLedger.open(tmp_path)
    assert waited
    await ledger.set_value("a", "b")
    await ledger.close()
    other.close()


async def test_many_writes_at_once_all_arrive(tmp_path: Path) -> None:
    """X11: 50 concurrent stores, 50 rows."""
    ledger = await open_with_root(tmp_path)
    await asyncio.gather(
        *(
            ledger.manifest.commit_files(MINE, file_of("notes", f"{n}.md", {str(n): "x y"}), (), "notes")
            for n in range(50)
        )
    )
    found = await ledger.terms.statistics(Reach("main"), ["x"])
    assert (found.documents, found.total_length, dict(found.document_frequency)) == (50, 100, {"x": 50})
    await ledger.close()


async def test_the_embedding_cache_keeps_the_newest(tmp_path: Path) -> None:
    ledger = await SqliteLedger.open(tmp_path, cache_rows=3)
    await ledger.cache.put("s", {key: vector_of(n) for n, key in enumerate("abc")})
    await ledger.cache.put("s", {"a": vector_of(9)})
    await ledger.cache.put("t", {"d": vector_of(1), "e": vector_of(2)})
    assert {key: v.item() for key, v in (await ledger.cache.get("s", list("abcde"))).items()} == {"a": 9}
    assert sorted(await ledger.cache.get("t", list("abcde"))) == ["d", "e"]
    await ledger.close()


async def test_a_lost_embedding_cache_costs_only_the_vectors(tmp_path: Path) -> None:
    ledger = await open_with_root(tmp_path)
    await ledger.cache.put("s", {"a": vector_of(1)})
    await ledger.close()
    (tmp_path / "embeddings.sqlite").unlink()
    ledger = await SqliteLedger.open(tmp_path)
    assert await ledger.cache.get("s", ["a"]) == {}
    assert await ledger.manifest.roots("main") == [RootRecord("notes", "/notes", MINE)]
    await ledger.close()


async def test_a_forgotten_word_leaves_the_file(tmp_path: Path) -> None:
    """P5: the bytes go with the text, not only the rows."""
    ledger = await open_with_root(tmp_path)
    await ledger.manifest.commit_files(MINE, file_of("notes", "a.md", {"1": "kumquatsecret plain"}), (), "notes")
    await ledger.manifest.commit_files(MINE, file_of("notes", "b.md", {"2": "plain"}), (), "notes")
    await ledger.manifest.commit_files(MINE, {}, ["a.md"], "notes")
    await ledger.close()
    data = (tmp_path / "ledger.sqlite").read_bytes()
    assert b"plain" in data
    assert b"kumquatsecret" not in data
    assert pack_terms(["kumquatsecret", "plain"]) not in data


async def test_a_full_disk_is_transient_and_loses_nothing(tmp_path: Path) -> None:
    ledger = await open_with_root(tmp_path)
    await ledger.manifest.commit_files(MINE, file_of("notes", "a.md", {"1": "x"}), (), "notes")
    await ledger._ledger.write(lambda c: c.execute("PRAGMA max_page_count = 1"))
    big = file_of("notes", "a.md", {str(n): f"word{n}" for n in range(2, 5000)})
    with pytest.raises(TransientError, match=r"ledger\.sqlite cannot be used now .*full"):
        await ledger.manifest.commit_files(MINE, big, (), "notes")
    assert await ledger.manifest.passages("notes", ["a.md"]) == {"a.md": ["1"]}
    await ledger._ledger.write(lambda c: c.execute("PRAGMA max_page_count = 1000000"))
    await ledger.manifest.commit_files(MINE, big, (), "notes")
    assert await ledger.manifest.passage_count() == 4998
    assert await ledger.terms.faults() == []
    await ledger.close()


async def test_half_a_character_is_refused_and_nothing_written(tmp_path: Path) -> None:
    ledger = await open_with_root(tmp_path)
    with pytest.raises(InvalidInputError, match="half a character"):
        await ledger.set_value("a", "x\ud800")
    files = file_of("notes", "a.md", {"1": "x"}) | file_of("notes", "b.md", {"2": "y\udcff"})
    with pytest.raises(InvalidInputError, match="half a character"):
        await ledger.manifest.commit_files(MINE, files, (), "notes")
    assert await ledger.manifest.files("notes") == {}
    await ledger.close()


async def test_a_closed_ledger_says_so(tmp_path: Path) -> None:
    ledger = await SqliteLedger.open(tmp_path)
    await ledger.close()
    with pytest.raises(TransientError, match="closed"):
        await ledger.set_value("a", "b")


async def test_wrong_counts_are_found(tmp_path: Path) -> None:
    ledger = await open_with_root(tmp_path)
    await ledger.manifest.commit_files(MINE, file_of("notes", "a.md", {"1": "x y"}), (), "notes")
    assert await ledger.terms.faults() == []
    with sqlite3.connect(tmp_path / "ledger.sqlite") as other:
        other.execute("UPDATE term_count SET documents = 2 WHERE term = 'x'")
    other.close()
    assert await ledger.terms.faults() == ["The term counts of main (shared) differ from its passages."]
    await ledger.close()


@settings(max_examples=50)
@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]))))
def test_packed_terms_come_back(terms: list[str]) -> None:
    assert unpack_terms(pack_terms(terms)) == sorted(set(terms))
