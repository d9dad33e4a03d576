"""What who looks into a memory is shown: of each session its own, of a forget what it takes."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tercet.access_notes import AccessNotes
from tercet.browsing import Browsing, BrowsingParts
from tercet.errors import AmbiguousRefError, IdentityError, InvalidInputError, NotFoundError
from tercet.identity import reach_for
from tercet.layers.semantic.chunking import rows_of_file
from tercet.model import SHARED, Scope
from tercet.ports import FileContent, FileRecord, FoundFile, Listing, PassageRecord, RootRecord
from tercet.testing.active_home import StandingClock
from tercet.testing.capture_contract import ANN, AT, BEN, LATER, entry, item, stored
from tercet.testing.memory_ledger import MemoryLedger

SHARED_SCOPE = Scope("main")
GROUP = Scope("main", "telegram:group:-7")
OWNER = Scope("main", "agent:main:main")


class FilesInMemory:
    """A file store of texts by folder and path."""

    def __init__(self):
        self.texts = {}

    async def list(self, directory):
        found = [FoundFile(path, len(text), 1) for (folder, path), text in self.texts.items() if folder == directory]
        return Listing(tuple(found), ())

    async def read(self, directory, path):
        text = self.texts.get((directory, path))
        if text is None:
            msg = f"{path}: no such file"
            raise NotFoundError(msg)
        return FileContent(text, digest(text), len(text), 1)


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()


class Home:
    """A ledger with folders, and the browsing of it."""

    def __init__(self, **fields):
        self.ledger = MemoryLedger()
        self.store = FilesInMemory()
        self.accesses = AccessNotes(self.ledger.accesses, StandingClock(AT))
        self.notes = {}
        """Texts by anchor and path in the vault."""
        parts = BrowsingParts("main", self.ledger, self.reach, self.nothing, self.notes_with, self.store)
        self.browse = Browsing(replace(parts, accesses=self.accesses, **fields))

    async def reach(self, session_key):
        return reach_for("main", session_key, {})

    async def nothing(self):
        pass

    async def notes_with(self, words, anchor):
        mine = {path: text for (whose, path), text in self.notes.items() if whose == anchor}
        return {path: text for path, text in mine.items() if any(word in text for word in words)}

    async def folder(self, files, label="notes", scope=SHARED_SCOPE, *, vectors=True):
        root = RootRecord(label, f"/{label}", scope)
        await self.ledger.manifest.add_root(root)
        written = {}
        for path, text in files.items():
            self.store.texts[root.directory, path] = text
            rows = rows_of_file(root, path, text)
            records = [PassageRecord(row.passage.id, row.terms, has_vector=vectors) for row in rows]
            written[path] = (FileRecord(label, path, len(text), int(AT.timestamp() * 1e9), digest(text), 1), records)
        await self.ledger.manifest.commit_files(scope, written, (), label)

    async def entry(self, entry_id, text, scope=OWNER, *, minutes=0, supersedes=(), **fields):
        told = replace(entry(entry_id, text, scope), **fields)
        await self.ledger.journal.apply([stored(told, supersedes=supersedes)], at=AT + timedelta(minutes=minutes))


@pytest.fixture
def home():
    return Home()


def shown(page):
    return [each.entry.id for each in page.items]


async def test_an_empty_memory_shows_empty_lists(home):
    assert await home.browse.people() == await home.browse.files() == await home.browse.waiting() == []
    page = await home.browse.timeline()
    assert (page.items, page.older) == ((), None)
    undo = await home.browse.undo_preview()
    assert (undo.ids, undo.until) == ((), None)


async def test_people_are_those_with_entries_messages_or_notes(home):
    await home.entry("1", "cats", ANN)
    await home.ledger.inbox.put([item("a", scope=BEN)])
    await home.folder({"a.md": "words"}, "wiki@main@telegram_3", Scope("main", "telegram:3"))
    await home.folder({"a.md": "words"})
    await home.entry("2", "cats", Scope("work", "telegram:9"))
    assert await home.browse.people() == ["telegram:1", "telegram:12", "telegram:3"]


async def test_a_listed_file_says_what_the_index_has_of_it(home):
    await home.folder({"b.md": "# Two\n\nlines", "a.md": ""}, vectors=False)
    empty, two = await home.browse.files()
    assert (empty.ref, empty.chunks, empty.waiting) == ("notes:a.md", 0, 0)
    assert (two.root, two.path, two.directory, two.size) == ("notes", "b.md", "/notes", 12)
    assert (two.chunks, two.waiting, two.changed_at, two.note, two.anchor) == (1, 1, AT, "", "")


async def test_notes_are_listed_as_the_vault_names_them(home):
    await home.folder({"Boat.md": "words"}, "wiki@main")
    await home.folder({"Secret.md": "words"}, "wiki@main@telegram_1", ANN)
    found = await home.browse.files(session_key=ANN.anchor)
    assert [(each.ref, each.note, each.anchor) for each in found] == [
        ("wiki:Boat.md", "wiki:Boat.md", ""),
        ("wiki:private/telegram_1/Secret.md", "wiki:private/telegram_1/Secret.md", "telegram:1"),
    ]
    view = await home.browse.file("wiki:private/telegram_1/Secret.md", session_key=ANN.anchor)
    assert (view.text, view.summary) == ("words", found[1])
    assert [each.ref for each in await home.browse.files()] == ["wiki:Boat.md"]


async def test_a_file_comes_with_its_digest_and_its_chunks_in_line_order(home):
    text = "# Boat\n\n" + "It lies at berth 47. " * 80 + "\n\n## Sail\n\n" + "Torn in June. " * 120
    await home.folder({"boat.md": text})
    view = await home.browse.file("notes:boat.md#L3-L4")
    assert (view.text, view.digest, view.is_stale) == (text, digest(text), False)
    assert len(view.chunks) > 1
    assert [each.start_line for each in view.chunks] == sorted(each.start_line for each in view.chunks)
    assert (view.chunks[0].header, view.chunks[-1].header) == ("Boat", "Boat > Sail")
    assert all(each.has_vector and each.is_indexed and each.terms > 0 for each in view.chunks)
    states = await home.ledger.manifest.passage_states("notes", "boat.md")
    assert [(each.id, each.terms) for each in view.chunks] == [(each.id, each.length) for each in states]


async def test_a_changed_file_is_shown_as_it_is_now_and_called_stale(home):
    await home.folder({"boat.md": "berth 12"})
    home.store.texts["/notes", "boat.md"] = "berth 47"
    view = await home.browse.file("boat.md")
    assert (view.text, view.is_stale, view.digest) == ("berth 47", True, digest("berth 47"))
    assert [(each.is_indexed, each.has_vector) for each in view.chunks] == [(False, False)]
    assert view.summary.chunks == 1


async def test_a_file_is_shown_while_a_rebuild_has_its_record_out(home):
    await home.folder({"boat.md": "berth 12"})
    await home.ledger.manifest.reset()
    view = await home.browse.file("notes:boat.md")
    assert (view.text, view.is_stale, view.summary.chunks) == ("berth 12", True, 0)


async def test_changed_files_are_taken_in_before_one_is_shown():
    asked = []

    async def refresh():
        asked.append(True)

    home = Home(refresh=refresh)
    await home.folder({"boat.md": "berth 12"})
    await home.browse.files()
    assert asked == []
    await home.browse.file("boat.md")
    assert asked == [True]


async def test_a_file_that_was_shown_counts_as_looked_at(home):
    await home.folder({"boat.md": "berth 12"})
    await home.browse.file("boat.md")
    await home.accesses.settled()
    assert set(await home.ledger.accesses.counts(AT - timedelta(days=1))) == {"notes:boat.md"}


async def test_a_path_in_two_folders_is_asked_back_and_an_unknown_one_not_found(home):
    await home.folder({"boat.md": "here"})
    await home.folder({"boat.md": "there"}, "other")
    with pytest.raises(AmbiguousRefError, match=r"notes:boat\.md, other:boat\.md"):
        await home.browse.file("boat.md")
    assert (await home.browse.file("other:boat.md")).text == "there"
    for ref in ("notes:../boat.md", "/notes/boat.md", "none:boat.md", "notes:"):
        with pytest.raises(NotFoundError):
            await home.browse.file(ref)


async def test_without_the_layer_of_files_none_are_listed_and_the_mend_is_said():
    home = Home(files=None)
    await home.folder({"boat.md": "berth 12"})
    assert await home.browse.files() == []
    with pytest.raises(InvalidInputError, match="tercet plugins enable"):
        await home.browse.file("boat.md")


async def test_the_timeline_leads_from_page_to_page_to_its_end(home):
    for number in range(5):
        await home.entry(str(number), f"fact {number}", minutes=number)
    first = await home.browse.timeline(limit=2)
    second = await home.browse.timeline(limit=2, before=first.older)
    third = await home.browse.timeline(limit=2, before=second.older)
    assert [shown(page) for page in (first, second, third)] == [["4", "3"], ["2", "1"], ["0"]]
    assert third.older is None
    assert (await home.browse.timeline(limit=5)).older is None


async def test_what_comes_in_meanwhile_moves_no_page(home):
    for number in range(4):
        await home.entry(str(number), f"fact {number}", minutes=number)
    first = await home.browse.timeline(limit=2)
    await home.entry("9", "fact 9", minutes=9)
    assert shown(await home.browse.timeline(limit=2, before=first.older)) == ["1", "0"]


async def test_the_timeline_shows_what_replaced_what(home):
    await home.entry("1", "berth 12")
    await home.entry("2", "berth 47", minutes=1, supersedes=["1"])
    newer, older = (await home.browse.timeline()).items
    assert [(each.id, each.text) for each in newer.superseded] == [("1", "berth 12")]
    assert (newer.superseded_by, older.superseded_by, older.superseded) == ("", "2", ())
    assert shown(await home.browse.timeline(states=["superseded"])) == ["1"]


async def test_the_timeline_is_narrowed_by_category_and_by_when_it_was_stored(home):
    for number, category in enumerate(("fact", "decision", "fact")):
        await home.entry(str(number), f"fact {number}", minutes=number, category=category)
    assert shown(await home.browse.timeline(categories=["fact"])) == ["2", "0"]
    first, second = AT + timedelta(minutes=1), AT + timedelta(minutes=2)
    assert shown(await home.browse.timeline(since=first, until=second)) == ["1"]


async def test_a_forgotten_entry_is_there_without_its_words_until_undo_lapses(home):
    await home.entry("1", "berth 12", category="decision")
    await home.entry("2", "berth 47", minutes=1, supersedes=["1"])
    await home.ledger.journal.forget(at=AT, purge_at=LATER, ids=["1"])
    newer, gone = (await home.browse.timeline()).items
    assert (gone.entry.id, gone.entry.category, gone.entry.stored_at, gone.undo_until) == ("1", "decision", AT, LATER)
    assert (gone.entry.text, gone.entry.session, gone.entry.message_id, newer.superseded) == ("", "", "", ())
    await home.ledger.journal.purge(LATER)
    assert shown(await home.browse.timeline()) == ["2"]


@pytest.mark.parametrize("cursor", ["", "x", "!!!", "bnVsbA", "WyJ4IiwgInkiXQ", "WzEsIDJd", "é", "W10"])
async def test_a_cursor_of_somebody_s_own_making_is_refused(home, cursor):
    with pytest.raises(InvalidInputError, match="begin at the first page"):
        await home.browse.timeline(before=cursor)


@pytest.mark.parametrize("limit", [0, -1, 501])
async def test_a_limit_out_of_range_is_refused(home, limit):
    with pytest.raises(InvalidInputError, match="1 to 500"):
        await home.browse.timeline(limit=limit)
    with pytest.raises(InvalidInputError, match="1 to 500"):
        await home.browse.waiting(limit=limit)


async def test_a_time_without_a_zone_and_a_malformed_key_are_refused(home):
    with pytest.raises(InvalidInputError, match="no zone"):
        await home.browse.timeline(since=AT.replace(tzinfo=None))
    for call in (home.browse.files, home.browse.timeline, home.browse.waiting, home.browse.undo_preview):
        with pytest.raises(IdentityError):
            await call(session_key="nobody")


async def test_what_waits_is_shown_without_secrets_and_the_dead_with_their_reason(home):
    secret = "my key is sk-ant-api03-" + "aB3dE5fG7hJ9kL2mN4pQ6rS8" * 3
    await home.ledger.inbox.put([item("a", "two cats", scope=OWNER), item("b", secret, scope=OWNER)])
    await home.ledger.inbox.release(["a"], retry_at=LATER, count_attempt=True)
    await home.ledger.inbox.bury(["b"], "it would not be read")
    dead, waits = await home.browse.waiting()
    assert (dead.id, dead.is_dead, dead.reason, dead.next_try) == ("b", True, "it would not be read", None)
    assert "aB3dE5fG7hJ9" not in dead.text
    assert (waits.id, waits.text, waits.attempts, waits.next_try) == ("a", "two cats", 1, LATER)
    assert (waits.is_dead, waits.reason, waits.anchor) == (False, "", OWNER.anchor)


async def test_a_preview_names_what_the_forget_then_takes_and_changes_nothing(home):
    await home.entry("1", "two cats", ANN)
    await home.entry("2", "dogs", ANN)
    waiting = {"same": "Two cats!", "other": "birds", "dead": "two cats", "named": "deer"}
    await home.ledger.inbox.put([item(key, text) for key, text in waiting.items()])
    await home.ledger.inbox.put([item("of ben", "two cats", scope=BEN)])
    await home.ledger.inbox.bury(["dead"], "x")
    preview = await home.browse.forget_preview(["1", "named"])
    again = await home.browse.forget_preview(["1", "named"])
    assert preview == again
    gone = await home.ledger.journal.forget(at=AT, purge_at=LATER, ids=["1", "named"])
    assert tuple(each.id for each in preview.entries) == gone.entry_ids == ("1",)
    assert {each.id for each in preview.waiting} == set(gone.inbox_ids) == {"same", "dead", "named"}


async def test_a_preview_shows_which_lines_of_the_person_s_notes_go_and_which_stay(home):
    await home.entry("1", "two  cats", ANN)
    told = "# Pets\n\nShe has two cats, she says.\n\n## 2026-01-05\n\n- two cats\n- a dog\n"
    home.notes = {(ANN.anchor, "Pets.md"): told, (BEN.anchor, "Ben.md"): told, (SHARED, "All.md"): told}
    (lines,) = (await home.browse.forget_preview(["1"])).notes
    assert lines.ref == "wiki:Pets.md"
    assert (lines.gone, lines.left) == (("- two cats",), ("She has two cats, she says.",))


async def test_a_preview_of_an_id_that_is_nobody_s_here_is_refused_whole(home):
    await home.entry("1", "cats", ANN)
    await home.entry("2", "dogs", BEN)
    await home.ledger.inbox.put([item("dead")])
    await home.ledger.inbox.bury(["dead"], "x")
    with pytest.raises(NotFoundError, match="none"):
        await home.browse.forget_preview(["1", "none"])
    (dead,) = (await home.browse.forget_preview(["1", "dead"])).waiting
    assert (dead.id, dead.is_dead) == ("dead", True)
    with pytest.raises(NotFoundError):
        await home.browse.forget_preview(["1", "2"], session_key=ANN.anchor)
    assert len((await home.browse.forget_preview(["1", "2"])).entries) == 2


async def test_undo_is_previewed_to_each_of_what_is_theirs(home):
    await home.entry("1", "cats", ANN)
    await home.entry("2", "dogs", BEN)
    await home.ledger.journal.forget(at=AT, purge_at=LATER, ids=["1", "2"])
    for key, ids in ((None, ("1", "2")), (ANN.anchor, ("1",)), (GROUP.anchor, ())):
        undo = await home.browse.undo_preview(session_key=key)
        assert (undo.ids, undo.until) == (ids, LATER if ids else None)
    await home.ledger.journal.undo(["1", "2"], at=AT)
    assert (await home.browse.undo_preview()).ids == ()


OWNERS = st.sampled_from([ANN, BEN, GROUP])
ACTS = st.lists(
    st.tuples(OWNERS, st.sampled_from(["entry", "newer", "message", "dead", "file", "forget"])), max_size=14
)


@settings(max_examples=40)
@given(acts=ACTS)
async def test_nobody_sees_another_s_text_id_file_name_or_count(acts):
    """S4: two people, one whose key begins as the other's, and a group."""
    home = Home()
    marks = {ANN: "annsword", BEN: "benword", GROUP: "groupword"}
    for number, (scope, act) in enumerate(acts):
        mark = f"{marks[scope]}{number}"
        if act in {"entry", "newer", "forget"}:
            last = [each.id for each in await home.ledger.journal.live(await home.reach(scope.anchor), limit=1)]
            await home.entry(mark, f"told {mark}", scope, minutes=number, supersedes=last if act == "newer" else ())
        if act == "forget":
            await home.ledger.journal.forget(at=AT, purge_at=LATER, ids=[mark])
        if act in {"message", "dead"}:
            await home.ledger.inbox.put([item(mark, f"told {mark}", scope)])
        if act == "dead":
            await home.ledger.inbox.bury([mark], f"because of {mark}")
        if act == "file":
            await home.folder({f"{mark}.md": f"words of {mark}"}, f"wiki@main@{mark}", scope)
    for scope, own in marks.items():
        key, browse = scope.anchor, home.browse
        seen = [
            *await browse.files(session_key=key),
            *(await browse.timeline(session_key=key)).items,
            *await browse.waiting(session_key=key),
            await browse.undo_preview(session_key=key),
        ]
        assert not any(other in repr(seen) for other in marks.values() if other != own)
        kinds = [act for owner, act in acts if owner == scope]
        assert len(seen) == len(kinds) + 1  # each act leaves one item; the preview of the undo is there always
        for owner, act in acts:
            foreign = [f"{marks[owner]}{at}" for at, each in enumerate(acts) if each == (owner, act) and owner != scope]
            for each in foreign:
                with pytest.raises(NotFoundError):
                    await browse.forget_preview([each], session_key=key)
                with pytest.raises(NotFoundError):
                    await browse.file(f"{each}.md", session_key=key)
