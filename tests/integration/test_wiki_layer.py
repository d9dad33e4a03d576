"""The wiki over a real folder: what is written there by anybody is found, as new as it is."""

import asyncio
import os
import sqlite3
from datetime import UTC, datetime, timedelta

import pytest

from tercet.adapters.sqlite.note_index import SqliteNoteIndex
from tercet.adapters.vault import FolderVault
from tercet.errors import VaultUnavailableError
from tercet.layers.wiki.layer import WikiLayer, WikiParts
from tercet.model import SearchOptions, TimeRange

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
ANNA = "telegram:1"


class Clock:
    def __init__(self):
        self.at = NOW

    def now(self):
        return self.at


class CountingVault(FolderVault):
    """Knows which files were read."""

    def __init__(self, *given):
        super().__init__(*given)
        self.read_paths = []

    async def read(self, path):
        self.read_paths.append(path)
        return await super().read(path)


class Wiki:
    """A layer over a folder, with what a test does to the folder."""

    def __init__(self, place):
        self.folder = place / "vault"
        self.home = place / "home"
        self.clock = Clock()
        self.vault = CountingVault(self.folder, "main")
        self.layer = self.opened()

    def opened(self):
        return WikiLayer(WikiParts("main", self.vault, SqliteNoteIndex(self.home, "main"), self.clock))

    def write(self, path, text, at=1_700_000_000):
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
        os.utime(file, (at, at))
        return file

    async def paths(self, query, **options):
        return [hit.passage.path for hit in await self.layer.search(query, SearchOptions(**options))]


@pytest.fixture
async def wiki(tmp_path):
    wiki = Wiki(tmp_path)
    yield wiki
    await wiki.layer.close()


# -- what is found ----------------------------------------------------------------------------


async def test_a_note_is_found_by_title_alias_tag_heading_body_and_front_matter(wiki):
    wiki.write(
        "boat.md",
        "---\ntitle: Albatros\naliases: [Seagull]\ntags: [sailing]\nharbourmaster: Frieda\n---\n## Winter berth\n\nCode ZX-9918.\n",
    )
    wiki.write("other.md", "# Tea\n\nShe drinks oolong.\n")
    for word in ("albatros", "seagulls", "sailing", "winter", "zx-9918", "frieda", "boat"):
        assert await wiki.paths(word) == ["boat.md"]


async def test_a_hit_points_at_the_lines_that_answer(wiki):
    filler = "".join(f"## Part {n}\n\nNothing of interest in part {n} of this log.\n\n" * 3 for n in range(20))
    wiki.write("log.md", f"---\ntitle: Log\n---\n{filler}## Engine\n\nThe engine was serviced in Kiel.\n\n{filler}")
    (hit,) = await wiki.layer.search("engine serviced", SearchOptions(limit=1))
    lines = (wiki.folder / "log.md").read_text("utf-8").split("\n")
    pointed = "\n".join(lines[hit.passage.start_line - 1 : hit.passage.end_line])
    assert "serviced in Kiel" in pointed
    assert hit.passage.end_line - hit.passage.start_line < 40
    assert "serviced in Kiel" in hit.snippet
    assert len(hit.snippet) <= 700


async def test_chinese_titles_and_questions_meet(wiki):
    wiki.write("人/王小明.md", "---\ntype: entity\n---\n生日是三月初八，住在台北。\n")
    wiki.write("人/李華.md", "# 李華\n\n喜歡烏龍茶。\n")
    assert (await wiki.paths("王小明的生日是哪一天？"))[0] == "人/王小明.md"
    assert (await wiki.paths("誰喜歡烏龍茶"))[0] == "人/李華.md"


async def test_a_contested_claim_ranks_lower_and_says_so(wiki):
    told = "---\ntitle: {}\nclaims:\n  - id: {}\n    text: The boat lies at berth {}.\n    status: {}\n---\nThe boat and its berth.\n"
    wiki.write("a.md", told.format("First", "c1", 47, "contested"))
    wiki.write("b.md", told.format("Second", "c2", 12, "supported"))
    sure, doubtful = await wiki.layer.search("boat berth", SearchOptions(explain=True))
    assert (sure.passage.path, doubtful.passage.path) == ("b.md", "a.md")
    assert doubtful.score < sure.score
    assert doubtful.explanation.notes == ("claim contested: The boat lies at berth 47.",)
    assert ("disputed", 0.5) in doubtful.explanation.multipliers
    assert doubtful.snippet.startswith("[claim contested: The boat lies at berth 47.]\n")
    assert "contested" not in sure.snippet


async def test_types_and_times_narrow_a_search(wiki):
    wiki.write("anna.md", "---\ntype: entity\nupdated: 2026-05-02\n---\ntea\n")
    wiki.write("tea.md", "---\ntype: concept\ncreated: 2026-04-01\n---\ntea\n")
    wiki.write("undated.md", "tea\n")
    may = datetime(2026, 5, 1, tzinfo=UTC)
    assert await wiki.paths("tea", categories=("concept",)) == ["tea.md"]
    assert await wiki.paths("tea", time_range=TimeRange(may, None)) == ["anna.md"]
    (hit,) = await wiki.layer.search("tea", SearchOptions(categories=("entity",)))
    assert (hit.passage.category, hit.passage.timestamp) == ("entity", datetime(2026, 5, 2, tzinfo=UTC))


async def test_search_by_meaning_alone_has_nothing_here(wiki):
    wiki.write("a.md", "tea\n")
    assert await wiki.paths("tea", mode="vector") == []
    assert await wiki.paths("tea", mode="keyword") == ["a.md"]
    assert not await wiki.layer.probe_embedding_availability()
    assert not await wiki.layer.probe_vector_availability()


# -- as new as the files ----------------------------------------------------------------------


async def test_an_edit_in_another_editor_is_found_at_once(wiki):
    wiki.write("a.md", "The code is 1111.\n")
    assert await wiki.paths("code") == ["a.md"]
    wiki.write("a.md", "The password is 2222.\n", at=1_700_000_500)
    wiki.write("b/new.md", "A new code.\n")
    assert await wiki.paths("code") == ["b/new.md"]
    assert await wiki.paths("password") == ["a.md"]


async def test_a_deleted_and_a_moved_note_leave_their_old_place(wiki):
    wiki.write("a.md", "tea\n")
    moved = wiki.write("b.md", "tea\n")
    assert sorted(await wiki.paths("tea")) == ["a.md", "b.md"]
    (wiki.folder / "a.md").unlink()
    moved.rename(wiki.folder / "c.md")
    assert await wiki.paths("tea") == ["c.md"]


async def test_an_edit_of_equal_size_within_the_clocks_tick_is_found(wiki):
    at = int(NOW.timestamp())
    wiki.write("a.md", "code 1111\n", at)
    assert await wiki.paths("1111") == ["a.md"]
    wiki.write("a.md", "code 2222\n", at)
    assert await wiki.paths("2222") == ["a.md"]
    assert await wiki.paths("1111") == []


async def test_what_did_not_change_is_not_read_again(wiki):
    wiki.write("a.md", "tea\n")
    wiki.write("b.md", "tea\n")
    await wiki.paths("tea")
    wiki.vault.read_paths.clear()
    wiki.write("b.md", "more tea\n", at=1_700_000_500)
    await wiki.paths("tea")
    assert wiki.vault.read_paths == ["b.md"]


async def test_a_young_note_is_read_once_more_and_then_left_alone(wiki):
    wiki.write("a.md", "tea\n", at=int(NOW.timestamp()))
    await wiki.paths("tea")
    wiki.clock.at = NOW + timedelta(minutes=1)
    wiki.vault.read_paths.clear()
    for _ in range(3):
        assert await wiki.paths("tea") == ["a.md"]
    assert wiki.vault.read_paths == ["a.md"]


async def test_another_process_need_not_read_what_was_taken_in(wiki):
    wiki.write("a.md", "tea\n")
    await wiki.paths("tea")
    await wiki.layer.close()
    wiki.vault.read_paths.clear()
    wiki.layer = wiki.opened()
    assert await wiki.paths("tea") == ["a.md"]
    assert wiki.vault.read_paths == []


@pytest.mark.parametrize("damage", ["missing", "rubbish", "empty", "no tables"])
async def test_a_lost_index_is_made_again_from_the_notes(wiki, damage):
    wiki.write("a.md", "tea\n")
    await wiki.paths("tea")
    await wiki.layer.close()
    place = wiki.home / "wiki-main.sqlite"
    if damage == "no tables":
        with sqlite3.connect(place) as connection:
            connection.execute("DROP TABLE note_key")
        connection.close()
    else:
        place.unlink()
        if damage != "missing":
            place.write_bytes(b"rubbish" * 2000 if damage == "rubbish" else b"")
    wiki.layer = wiki.opened()
    result = await wiki.layer.search("tea", SearchOptions())
    assert [hit.passage.path for hit in result] == ["a.md"]
    assert result.degraded is None
    assert (await wiki.layer.text_of("a")).text == "tea\n"


async def test_damage_met_in_the_middle_of_a_search_costs_nothing(wiki):
    wiki.write("a.md", "tea\n")
    await wiki.paths("tea")
    with sqlite3.connect(wiki.home / "wiki-main.sqlite") as connection:
        connection.execute("DROP TABLE note_content")
    connection.close()
    assert await wiki.paths("tea") == ["a.md"]


async def test_an_unreadable_vault_answers_from_what_was_indexed_and_says_so(wiki):
    wiki.write("a.md", "tea\n")
    await wiki.paths("tea")
    wiki.folder.rename(wiki.folder.with_name("away"))
    wiki.folder.write_text("a file where the folder was")
    result = await wiki.layer.search("tea", SearchOptions())
    assert [hit.passage.path for hit in result] == ["a.md"]
    assert "vault" in result.degraded
    assert not (await wiki.layer.status()).healthy


async def test_notes_that_cannot_be_read_are_counted_but_not_named(wiki):
    wiki.write("a.md", "tea\n")
    secret = await wiki.layer.new("Her secret", anchor=ANNA)
    read = wiki.vault.read

    async def refused(path):
        if path == secret.note.path:
            msg = f"{path} may not be read"
            raise VaultUnavailableError(msg)
        return await read(path)

    wiki.vault.read = refused
    result = await wiki.layer.search("tea", SearchOptions())
    assert [hit.passage.path for hit in result] == ["a.md"]
    assert result.degraded == "1 note could not be read: mend the permissions."


async def test_a_search_does_not_wait_for_all_of_a_large_vault(wiki):
    assert await wiki.paths("tea") == []
    for number in range(5):
        wiki.write(f"{number}.md", "tea\n")
    started, go_on = asyncio.Event(), asyncio.Event()
    listed = wiki.vault.files

    async def slow():
        started.set()
        await go_on.wait()
        return await listed()

    wiki.vault.files = slow
    result = await wiki.layer.search("tea", SearchOptions(deadline_s=0.2))
    assert started.is_set()
    assert list(result) == []
    assert result.degraded == "Changed notes are still being taken in."
    go_on.set()
    assert len(await wiki.paths("tea")) == 5


async def test_searches_side_by_side_see_the_same_new_note(wiki):
    wiki.write("a.md", "tea\n")
    found = await asyncio.gather(*(wiki.paths("tea") for _ in range(8)))
    assert found == [["a.md"]] * 8
    assert wiki.vault.read_paths == ["a.md"]


async def test_two_processes_take_in_one_vault_together(wiki):
    for number in range(30):
        wiki.write(f"{number}.md", f"tea number {number}\n")
    other = wiki.opened()
    both = await asyncio.gather(*(layer.search("tea", SearchOptions(limit=50)) for layer in (wiki.layer, other)))
    assert [len(result) for result in both] == [30, 30]
    wiki.write("7.md", "coffee\n", at=1_700_000_500)
    assert len(await other.search("tea", SearchOptions(limit=50))) == 29
    assert len(await wiki.paths("tea", limit=50)) == 29
    await other.close()


async def test_a_rebuild_that_was_cut_short_goes_on_where_it_was(wiki, monkeypatch):
    monkeypatch.setattr("tercet.layers.wiki.freshness.BATCH", 2)
    for number in range(6):
        wiki.write(f"{number}.md", "tea\n")
    read, cut = wiki.vault.read, asyncio.Event()

    async def read_two(path):
        if len(wiki.vault.read_paths) >= 2:
            cut.set()
            await asyncio.Event().wait()
        return await read(path)

    wiki.vault.read = read_two
    searching = asyncio.create_task(wiki.paths("tea"))
    await cut.wait()
    await wiki.layer.close()
    with pytest.raises(asyncio.CancelledError):
        await searching
    wiki.vault.read = read
    wiki.vault.read_paths.clear()
    wiki.layer = wiki.opened()
    assert len(await wiki.paths("tea")) == 6
    assert len(wiki.vault.read_paths) == 4
