"""The index of notes in SQLite: the contract, and what a file on disk may have become."""

import sqlite3

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tercet.adapters.sqlite.note_index import SqliteNoteIndex
from tercet.adapters.sqlite.note_index_format import TABLES
from tercet.errors import StoreFormatError
from tercet.testing.note_index_contract import EVERYONE, NoteIndexContract, indexed
from tercet.text.terms import terms


async def opened(directory, recipe="r1"):
    index = SqliteNoteIndex(directory, "main")
    await index.open(recipe)
    return index


class TestSqliteNoteIndex(NoteIndexContract):
    @pytest.fixture
    async def index(self, tmp_path):
        index = await opened(tmp_path / "home")
        yield index
        await index.close()


@pytest.fixture
async def left(tmp_path):
    """The place of an index that holds one note and was closed."""
    index = await opened(tmp_path)
    await index.apply([indexed("a.md", "tea")])
    await index.close()
    return tmp_path


async def files_of(directory, recipe="r1"):
    index = await opened(directory, recipe)
    try:
        return list(await index.files())
    finally:
        await index.close()


async def test_what_was_indexed_is_there_again(left):
    assert await files_of(left) == ["a.md"]


async def test_another_recipe_begins_empty_and_stays_so_for_itself(left):
    assert await files_of(left, "r2") == []
    index = await opened(left, "r2")
    await index.apply([indexed("b.md", "tea")])
    await index.close()
    assert await files_of(left, "r2") == ["b.md"]


async def test_a_file_of_rubbish_is_thrown_away(left):
    place = left / "wiki-main.sqlite"
    place.write_bytes(b"not a database at all" * 500)
    assert await files_of(left) == []
    assert not place.with_name("wiki-main.sqlite.damaged").exists()


async def test_a_file_without_its_tables_is_made_anew(left):
    with sqlite3.connect(left / "wiki-main.sqlite") as connection:
        connection.execute("DROP TABLE named_value")
    connection.close()
    assert await files_of(left) == []


async def test_damage_inside_is_told_and_discard_mends_it(left):
    with sqlite3.connect(left / "wiki-main.sqlite") as connection:
        connection.execute("DROP TABLE note_content")
    connection.close()
    index = await opened(left)
    with pytest.raises(StoreFormatError, match="made again from the notes"):
        await index.notes()
    await index.discard()
    assert await index.notes() == []
    await index.close()


async def test_another_programs_database_is_left_alone(tmp_path):
    with sqlite3.connect(tmp_path / "wiki-main.sqlite") as connection:
        connection.execute("CREATE TABLE theirs (x)")
    connection.close()
    with pytest.raises(StoreFormatError, match="another program"):
        await opened(tmp_path)
    with sqlite3.connect(tmp_path / "wiki-main.sqlite") as connection:
        assert connection.execute("SELECT count(*) FROM theirs").fetchone() == (0,)
    connection.close()


async def test_two_agents_have_two_files(tmp_path):
    main, other = await opened(tmp_path), SqliteNoteIndex(tmp_path, "other")
    await other.open("r1")
    await main.apply([indexed("a.md", "tea")])
    assert await other.files() == {}
    await main.close()
    await other.close()


async def test_two_processes_see_what_the_other_took_in(tmp_path):
    one, two = await opened(tmp_path), await opened(tmp_path)
    await one.apply([indexed("a.md", "tea")])
    assert list(await two.files()) == ["a.md"]
    await two.apply([], ["a.md"])
    assert await one.files() == {}
    assert (await one.statistics(["tea"], EVERYONE)).documents == 0
    await one.close()
    await two.close()


async def test_others_may_not_read_it(left):
    assert (left / "wiki-main.sqlite").stat().st_mode & 0o077 == 0


@given(st.text(max_size=60))
@example("C++ C# .NET a_b a-b a.b a/b a\\b a@b a::b x&y O'Neill 'quoted' \"so\" 1,234.5 İ ß ǅ ﬁ")
def test_fts5_cuts_where_the_terms_were_cut_and_nowhere_else(text):
    connection = sqlite3.connect(":memory:")
    for statement in TABLES:
        connection.execute(statement)
    connection.execute("INSERT INTO note_terms (body) VALUES (?)", ("  ".join(terms(text)),))
    kept = {term for (term,) in connection.execute("SELECT term FROM note_vocabulary")}
    connection.close()
    assert kept == set(terms(text))
