"""The wiki over a real folder: what is written anywhere is found, by whom it may be, and nothing is lost."""

import asyncio
import os
import sqlite3
from datetime import UTC, datetime, timedelta

import pytest

from tercet.adapters.sqlite.note_index import SqliteNoteIndex
from tercet.adapters.vault import FolderVault
from tercet.errors import AmbiguousRefError, InvalidInputError, NotFoundError, VaultUnavailableError, WriteConflictError
from tercet.layers.wiki.layer import WikiLayer, WikiParts
from tercet.model import Reach, SearchOptions, TimeRange

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
ANNA, BEN, GROUP = "telegram:1", "telegram:2", "telegram:group:9"


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


# -- whose notes ------------------------------------------------------------------------------


async def test_a_reach_sees_shared_notes_and_its_own(wiki):
    await wiki.layer.new("Shared", body="tea")
    await wiki.layer.new("Hers", body="tea", anchor=ANNA)
    await wiki.layer.new("His", body="tea", anchor=BEN)
    seen = {
        (): [],
        ("",): ["Shared"],
        ("", ANNA): ["Hers", "Shared"],
        (BEN,): ["His"],
        (GROUP,): [],
        ("", GROUP): ["Shared"],
    }
    for anchors, titles in seen.items():
        hits = await wiki.layer.search("tea", SearchOptions(reach=Reach("main", anchors)))
        assert sorted(hit.passage.header for hit in hits) == titles
        hers = wiki.layer.text_of("Hers", Reach("main", anchors))
        if ANNA in anchors:
            assert (await hers).note.scope.anchor == ANNA
        else:
            with pytest.raises(NotFoundError):
                await hers
    assert await wiki.paths("tea", reach=Reach("other", ("", ANNA))) == []


async def test_a_private_note_lies_in_its_anchors_folder_and_stays_out_of_links_and_lint(wiki):
    hers = await wiki.layer.new("Hers", body="See [[Shared]].", anchor=ANNA)
    shared = await wiki.layer.new("Shared", body="See [[Hers]].")
    assert hers.note.path.startswith("private/")
    assert "/" not in shared.note.path
    seen = await wiki.layer.links("Shared", Reach("main"))
    assert seen.back == ()
    assert [end.link.target for end in seen.dead] == ["Hers"]
    both = await wiki.layer.links("Shared", Reach("main", ("", ANNA)))
    assert [end.from_path for end in both.back] == [hers.note.path]
    assert {finding.path for finding in await wiki.layer.lint(Reach("main"))} <= {shared.note.path}


async def test_a_session_reads_shared_notes_but_does_not_write_them(wiki):
    shared = await wiki.layer.new("Shared", body="tea")
    reach = Reach("main", ("", ANNA))
    with pytest.raises(InvalidInputError, match="shared with everyone"):
        await wiki.layer.replace("Shared", "her secret", shared.sha256, reach)
    added = await wiki.layer.append("Shared", "2026-06-01", "her secret", anchor=ANNA)
    assert added.note.path.startswith("private/")
    assert "secret" not in (wiki.folder / shared.note.path).read_text("utf-8")


# -- writing ----------------------------------------------------------------------------------


async def test_two_notes_of_one_title_are_two_files(wiki):
    first = await wiki.layer.new("Tea", body="green")
    second = await wiki.layer.new("tea", body="black")
    assert first.note.path != second.note.path
    assert first.note.id != second.note.id
    assert (await wiki.layer.text_of("TEA")).text == first.text
    assert (await wiki.layer.text_of(second.note.id)).text == second.text


async def test_a_name_that_several_notes_have_is_ambiguous(wiki):
    wiki.write("a/x.md", "# Tea\n")
    wiki.write("b/y.md", "---\naliases: [TEA]\n---\n")
    with pytest.raises(AmbiguousRefError, match=r"say which, a/x\.md, b/y\.md"):
        await wiki.layer.text_of("tea")
    assert (await wiki.layer.text_of("b/y")).note.path == "b/y.md"


@pytest.mark.parametrize("title", ["茶", "🦜", "...", "../../x", "Index", "CON", "x" * 300, "a/b: c?", "-", "C++"])
async def test_any_title_makes_a_note_that_is_found_by_it(wiki, title):
    made = await wiki.layer.new(title, body="something")
    assert (await wiki.layer.text_of(title)).note.path == made.note.path
    assert (wiki.folder / made.note.path).resolve().is_relative_to(wiki.folder.resolve())
    with pytest.raises(InvalidInputError):
        await wiki.layer.new("  \n")


@pytest.mark.parametrize(
    "ref", ["boat", "Boat", "boat.md", "sea/boat", "wiki:sea/boat.md", "b-1", "Albatros", "albatros"]
)
async def test_a_note_is_called_by_id_path_title_or_alias(wiki, ref):
    wiki.write("sea/boat.md", "---\nid: b-1\naliases: [Albatros]\n---\none\ntwo\nthree\n")
    if ref == "boat.md":
        wiki.write("boat.md", "another\n")
        assert (await wiki.layer.text_of(ref)).text == "another\n"
        return
    assert (await wiki.layer.text_of(ref)).note.path == "sea/boat.md"
    read = await wiki.layer.read_file(f"{ref}#L5-L6")
    assert (read.text, read.start_line, read.end_line, read.total_lines) == ("one\ntwo", 5, 6, 7)


async def test_an_edit_is_written_and_a_second_editor_is_told(wiki):
    made = await wiki.layer.new("Tea", body="green")
    mine = await wiki.layer.replace("Tea", made.text + "mine\n", made.sha256)
    with pytest.raises(WriteConflictError):
        await wiki.layer.replace("Tea", made.text + "theirs\n", made.sha256)
    assert (wiki.folder / made.note.path).read_text("utf-8") == made.text + "mine\n"
    assert await wiki.paths("mine") == [mine.note.path]


async def test_front_matter_that_an_edit_breaks_is_refused_with_its_line(wiki):
    wiki.write("a.md", "---\ntitle: Tea\n---\nbody\n")
    before = await wiki.layer.text_of("a.md")
    with pytest.raises(InvalidInputError, match=r"line [34]: "):
        await wiki.layer.replace("a.md", "---\ntitle: Tea\ntags: [a, b\n---\nbody\n", before.sha256)
    with pytest.raises(InvalidInputError, match="empty"):
        await wiki.layer.replace("a.md", " \n", before.sha256)
    assert (wiki.folder / "a.md").read_text("utf-8") == before.text


async def test_a_note_that_was_odd_before_may_still_be_edited(wiki):
    odd = "---\ndate: {{date}}\n---\nbody\n"
    wiki.write("template.md", odd)
    before = await wiki.layer.text_of("template")
    assert before.note.problems
    await wiki.layer.replace("template", odd + "more\n", before.sha256)
    assert (wiki.folder / "template.md").read_text("utf-8") == odd + "more\n"


async def test_append_makes_the_note_then_adds_to_it_and_drops_nothing(wiki):
    first = await wiki.layer.append("Anna", "2026-05-30", "Likes tea.", ["chat:1"], type="entity")
    wiki.clock.at = NOW + timedelta(days=1)
    second = await wiki.layer.append("anna", "2026-05-31", "Moved to Kiel.", ["chat:2", "chat:1"])
    assert second.note.path == first.note.path
    assert second.note.sources == ("chat:1", "chat:2")
    assert second.note.updated == wiki.clock.at
    assert second.note.type == "entity"
    body = second.text.index("Likes tea.")
    assert second.text.index("## 2026-05-30") < body < second.text.index("## 2026-05-31") < second.text.index("Moved")


@pytest.mark.parametrize("title", ["wiki: how to", "Room #L3", "C#", "  spaced   out ", "note-1", "王小明", "🦜"])
async def test_append_finds_the_note_that_it_made_whatever_its_title(wiki, title):
    first = await wiki.layer.append(title, "Monday", "One.")
    second = await wiki.layer.append(title, "Tuesday", "Two.")
    assert second.note.path == first.note.path


async def test_append_keeps_what_somebody_else_writes_meanwhile(wiki):
    made = await wiki.layer.new("Anna", body="Likes tea.")
    write, file = wiki.vault.write, wiki.folder / made.note.path

    async def interrupted(path, text, *, expected_sha256):
        wiki.vault.write = write
        file.write_text(file.read_text("utf-8") + "\nBy another hand.\n", "utf-8")
        return await write(path, text, expected_sha256=expected_sha256)

    wiki.vault.write = interrupted
    await wiki.layer.append("Anna", "Today", "Moved to Kiel.")
    text = file.read_text("utf-8")
    assert all(part in text for part in ("Likes tea.", "By another hand.", "Moved to Kiel."))


async def test_append_to_broken_front_matter_adds_the_text_all_the_same(wiki):
    broken = "---\ntitle: Anna\ntags: [a, b\n---\nLikes tea.\n"
    wiki.write("Anna.md", broken)
    added = await wiki.layer.append("Anna", "Today", "Moved to Kiel.", ["chat:1"])
    assert added.text.startswith(broken)
    assert "Moved to Kiel." in added.text


async def test_many_appends_at_once_make_one_note_with_all_of_them(wiki):
    await asyncio.gather(*(wiki.layer.append("Anna", f"Part {n}", f"Fact number {n}.") for n in range(8)))
    (only,) = wiki.folder.glob("*.md")
    text = only.read_text("utf-8")
    assert all(f"Fact number {n}." in text for n in range(8))


# -- for a prompt -----------------------------------------------------------------------------


async def test_a_prompt_gets_the_notes_that_the_message_names_first(wiki):
    wiki.write("Anna Müller.md", "---\naliases: [Annie]\n---\nAn engineer.\n")
    wiki.write("boat.md", "# The boat\n\nAnna repaired the rudder of the boat in the harbour.\n")
    wiki.write("tea.md", "# Oolong\n\nUnrelated.\n")
    wiki.write("It.md", "A novel.\n")

    async def titles(message, reach=None):
        return [hit.passage.path for hit in await wiki.layer.prompt_notes(message, reach, NOW, 3)]

    assert (await titles("How is Anna Müller doing?"))[0] == "Anna Müller.md"
    assert (await titles("How is annie doing?"))[0] == "Anna Müller.md"
    assert await titles("Who repaired the rudder in the harbour, was it Annie?") == ["Anna Müller.md", "boat.md"]
    assert await titles("Is it raining?") == []
    assert await titles("How is Annie?", Reach("main", (ANNA,))) == []
    assert await titles("  ") == []


async def test_a_prompt_gets_no_note_from_the_future(wiki):
    wiki.write("Anna.md", "---\ncreated: 2026-06-02\n---\nAn engineer.\n")
    assert await wiki.layer.prompt_notes("Anna", None, NOW, 3) == []
    assert await wiki.layer.prompt_notes("Anna", None, NOW + timedelta(days=1), 3)
