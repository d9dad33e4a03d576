"""Whose notes they are, how they are written, and which are for a prompt; over a real folder."""

import asyncio
import os
from datetime import UTC, datetime, timedelta

import pytest

from tercet.adapters.sqlite.note_index import SqliteNoteIndex
from tercet.adapters.vault import FolderVault
from tercet.errors import AmbiguousRefError, InvalidInputError, NotFoundError, WriteConflictError
from tercet.layers.wiki.layer import WikiLayer, WikiParts
from tercet.model import Reach, SearchOptions

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
ANNA, BEN, GROUP = "telegram:1", "telegram:2", "telegram:group:9"


class Clock:
    def __init__(self):
        self.at = NOW

    def now(self):
        return self.at


class Wiki:
    """A layer over a folder, with what a test does to the folder."""

    def __init__(self, place):
        self.folder = place / "vault"
        self.clock = Clock()
        self.vault = FolderVault(self.folder, "main")
        self.layer = WikiLayer(WikiParts("main", self.vault, SqliteNoteIndex(place / "home", "main"), self.clock))

    def write(self, path, text):
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
        os.utime(file, (1_700_000_000, 1_700_000_000))

    async def paths(self, query, **options):
        return [hit.passage.path for hit in await self.layer.search(query, SearchOptions(**options))]


@pytest.fixture
async def wiki(tmp_path):
    wiki = Wiki(tmp_path)
    yield wiki
    await wiki.layer.close()


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
    wiki.write("Books.md", "A list.\n")

    async def titles(message, reach=None):
        return [hit.passage.path for hit in await wiki.layer.prompt_notes(message, reach, NOW, 3)]

    assert (await titles("How is Anna Müller doing?"))[0] == "Anna Müller.md"
    assert (await titles("How is annie doing?"))[0] == "Anna Müller.md"
    assert await titles("Who repaired the rudder in the harbour, was it Annie?") == ["Anna Müller.md", "boat.md"]
    assert await titles("Is it raining?") == []
    assert await titles("I sat in the harbour all day and thought about my next holiday") == []
    assert await titles("Please book a table for two on Friday evening") == []
    assert await titles("How is Annie?", Reach("main", (ANNA,))) == []
    assert await titles("  ") == []


async def test_a_prompt_gets_no_note_from_the_future(wiki):
    wiki.write("Anna.md", "---\ncreated: 2026-06-02\n---\nAn engineer.\n")
    assert await wiki.layer.prompt_notes("Anna", None, NOW, 3) == []
    assert await wiki.layer.prompt_notes("Anna", None, NOW + timedelta(days=1), 3)
