"""Notes as the semantic layer has them: whose they stay, each once, and gone with their layer."""

from __future__ import annotations

from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tercet import Memory, SearchOptions, build, build_async, load_settings
from tercet.adapters.files.atomic_write import write_atomically
from tercet.adapters.sqlite.ledger import SqliteLedger
from tercet.errors import InvalidInputError, NotFoundError
from tercet.model import Reach
from tercet.plugins import disable, enable

ANNA, BEN = "telegram:1", "telegram:2"
WORD = "zebra"


class Home:
    """A home, a vault beside it, and memories of both that search by words alone."""

    def __init__(self, place):
        self.place = place
        self.home = place / "home"
        self.vault = place / "around" / "vault"
        self.write("open.md")

    def write(self, path, text=WORD):
        file = self.vault / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"# {path}\n\nA {text} of {path}.\n", "utf-8")
        return file

    def settings(self, *, agent="main", vault=True):
        """Return the settings of a home that has the vault, or its own."""
        given = {"home": str(self.home), "agent": agent, "embedding": {"provider": "none"}}
        return load_settings({**given, "wiki": {"vault": str(self.vault)}} if vault else given)

    def memory(self, **settings) -> Memory:
        return build(self.settings(**settings))


@pytest.fixture
def home(tmp_path):
    return Home(tmp_path)


@asynccontextmanager
async def opened(home, **settings):
    memory = await build_async(home.settings(**settings))
    yield memory
    await memory.close()


def found(memory, session_key=None, **options):
    """Return (layer, path) of every hit."""
    result = memory.search(WORD, SearchOptions(limit=50, **options), session_key=session_key)
    return sorted((hit.layer, hit.passage.path or "") for hit in result)


def by_meaning(memory, session_key=None):
    return [path for _, path in found(memory, session_key, layers=("semantic",))]


# -- whose notes ------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["Private/telegram_1/a.md", "PRIVATE/a.md", "private\\telegram_1\\a.md"])
def test_what_the_vault_calls_nobodys_is_nobodys_for_meaning_too(home, path):
    home.write(path)
    with home.memory() as memory:
        assert by_meaning(memory) == ["open.md"]
        assert by_meaning(memory, ANNA) == ["open.md"]
        assert [path for _, path in found(memory, ANNA)] == ["open.md"]


def test_a_link_lends_nobody_the_notes_of_another(home):
    home.write("private/telegram_1/diary.md")
    hidden = home.write("private/telegram_1/hidden.txt")
    outside = home.place / "outside"
    outside.mkdir()
    (outside / "letter.md").write_text(WORD)
    (home.vault / "link.md").symlink_to(hidden)
    (home.vault / "folder").symlink_to(home.vault / "private" / "telegram_1")
    (home.vault / "private" / "telegram_2").symlink_to("telegram_1")
    (home.vault / "private" / "telegram_3").symlink_to(outside)
    with home.memory() as memory:
        for who in (None, BEN, "telegram:3"):
            assert by_meaning(memory, who) == ["open.md"]
        assert "private/telegram_1/diary.md" in by_meaning(memory, ANNA)


def test_a_private_folder_that_is_elsewhere_is_lent_to_nobody(home):
    elsewhere = home.place / "elsewhere" / "telegram_1"
    elsewhere.mkdir(parents=True)
    (elsewhere / "diary.md").write_text(WORD)
    (home.vault / "private").symlink_to(elsewhere.parent)
    with home.memory() as memory:
        assert [path for _, path in found(memory, ANNA)] == ["open.md"]


def test_a_link_in_a_folder_around_the_vault_leads_to_no_note(home):
    hidden = home.write("private/telegram_1/hidden.txt")
    (home.vault.parent / "link.md").symlink_to(hidden)
    with home.memory() as memory:
        memory.index([str(home.vault.parent)])
        assert [path for _, path in found(memory)] == ["open.md"]


async def test_a_rebuild_by_one_agent_keeps_the_notes_of_the_other_apart(home):
    async with opened(home, agent="other", vault=False) as memory:
        await memory.wiki.new("Open", body=WORD)
        await memory.wiki.new("Secret", body=WORD, session_key=ANNA)
        await memory.index([])
    async with opened(home, agent="main") as memory:
        await memory.index([], rebuild=True)
    ledger = await SqliteLedger.open(home.home)
    assert set(await ledger.manifest.files("wiki@other")) == {"Open.md"}
    assert set(await ledger.manifest.files("wiki@other@telegram_1")) == {"Secret.md"}
    await ledger.close()


# -- each once --------------------------------------------------------------------------------


@pytest.mark.parametrize("folder", [".", "sub", "private/telegram_1"])
def test_a_folder_that_was_indexed_before_it_became_part_of_the_vault_steps_back(home, folder):
    home.write(f"{folder}/deep.md")
    with home.memory(vault=False) as memory:
        memory.index([str(home.vault / folder)])
        assert "deep.md" in by_meaning(memory)
    with home.memory() as memory:
        shared = [] if folder.startswith("private") else [str(Path(folder, "deep.md"))]
        assert sorted(path for _, path in found(memory)) == sorted([*shared, "open.md"])
        assert found(memory, ANNA, layers=("wiki",)) == [("wiki", path) for path in by_meaning(memory, ANNA)]


def test_the_vault_is_taken_out_where_it_was_set(home):
    with home.memory() as memory:
        assert by_meaning(memory) == ["open.md"]
        with pytest.raises(InvalidInputError, match="tercet plugins disable memory-wiki"):
            memory.remove_folders([str(home.vault)])
        assert by_meaning(memory) == ["open.md"]


def test_a_folder_around_the_vault_comes_and_goes_without_the_notes(home):
    (home.vault.parent / "own.md").write_text(f"# Own\n\n{WORD}\n")
    with home.memory() as memory:
        memory.index([str(home.vault.parent)])
        assert by_meaning(memory) == ["open.md", "own.md"]
        memory.remove_folders([str(home.vault.parent)])
        assert by_meaning(memory) == ["open.md"]


# -- with their layer -------------------------------------------------------------------------


def test_notes_leave_with_their_layer_and_come_back_with_it(home):
    with home.memory() as memory:
        assert by_meaning(memory) == ["open.md"]
    disable(home.home, "memory-wiki", write_atomically)
    with home.memory() as memory:
        assert found(memory) == []
        assert memory.index([]).files == 0
    enable(home.home, "memory-wiki", write_atomically)
    with home.memory() as memory:
        assert found(memory, layers=("wiki",)) == [("wiki", "open.md")]
        assert by_meaning(memory) == ["open.md"]


def test_a_vault_that_is_away_answers_as_it_was_indexed_and_says_so_once(home):
    home.write("private/telegram_1/diary.md")
    with home.memory() as memory:
        assert [path for _, path in found(memory)] == by_meaning(memory) == ["open.md"]
    away = home.vault.rename(home.vault.with_name("away"))
    with home.memory() as memory:
        for ask in (memory.search(WORD), memory.recall(f"Where is the {WORD} of open?")):
            assert "not there: put it back, or set wiki.vault" in ask.degraded
            assert (ask.degraded.count(str(home.vault)), "telegram_1" in ask.degraded) == (1, False)
        assert [path for _, path in found(memory)] == ["open.md"]
        assert by_meaning(memory, ANNA) == ["open.md", "private/telegram_1/diary.md"]
    away.rename(home.vault)
    with home.memory() as memory:
        assert memory.search(WORD).degraded is None


def test_another_vault_takes_the_place_of_the_old_one_even_before_it_is_there(home):
    with home.memory() as memory:
        assert [path for _, path in found(memory)] == by_meaning(memory) == ["open.md"]
    home.vault = home.place / "new"
    with home.memory() as memory:
        assert found(memory) == []
    home.write("new.md")
    with home.memory() as memory:
        assert [path for _, path in found(memory)] == by_meaning(memory) == ["new.md"]


# -- as answers name them ---------------------------------------------------------------------


def test_a_note_is_explained_by_the_ref_that_an_answer_gives(home):
    home.write("private/telegram_1/diary.md")
    home.write("deep/er.md")
    with home.memory() as memory:
        for path in ("open.md", "deep/er.md"):
            (standing,), _ = memory.why(f"wiki:{path}#L1-L3", WORD)
            assert (standing.passage.path, standing.keyword_of) == (path, 2)
        hers = SearchOptions(reach=Reach("main", ("", ANNA)))
        (standing,), _ = memory.why("wiki:private/telegram_1/diary.md", WORD, hers)
        assert standing.passage.scope.anchor == ANNA
        with pytest.raises(NotFoundError):
            memory.why("wiki:private/telegram_1/diary.md", WORD)
