"""Looking into a real home: files as they lie on disk, notes, the timeline, and that previews tell the truth."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tercet import build, load_settings
from tercet.errors import NotFoundError
from tercet.model import InboxItem, Message, Scope, Turn

ANNA, BEN, GROUP = "telegram:1", "telegram:12", "telegram:group:-7"
AT = datetime(2026, 1, 5, 12, tzinfo=UTC)


@pytest.fixture
def folder(tmp_path):
    place = tmp_path / "notes"
    place.mkdir()
    (place / "boat.md").write_text("# Boat\n\nIt lies at berth 12.\n")
    return place


@pytest.fixture
def memory(tmp_path, folder):
    settings = load_settings({"home": str(tmp_path / "home"), "embedding": {"provider": "none"}})
    with build(settings) as made:
        made.index([str(folder)])
        yield made


def ask(memory, call, *args, **given):
    return memory.run(getattr(memory.core.browse, call)(*args, **given))


def test_a_file_that_was_edited_is_shown_with_what_the_index_now_has(memory, folder):
    (folder / "boat.md").write_text("# Boat\n\nIt lies at berth 47.\n")
    view = ask(memory, "file", "boat.md")
    assert view.text == "# Boat\n\nIt lies at berth 47.\n"
    assert (view.is_stale, [each.is_indexed for each in view.chunks]) == (False, [True])
    (chunk,) = view.chunks
    assert memory.read(chunk.id).start_line == chunk.start_line
    assert not chunk.has_vector
    assert (view.summary.chunks, view.summary.waiting) == (1, 1)


def test_a_file_behind_a_link_out_of_the_folder_is_not_shown(memory, folder, tmp_path):
    (tmp_path / "secret.md").write_text("the code of the safe")
    (folder / "way.md").symlink_to(tmp_path / "secret.md")
    memory.index()
    assert [each.ref for each in ask(memory, "files")] == ["notes:boat.md"]
    (folder / "boat.md").unlink()
    (folder / "boat.md").symlink_to(tmp_path / "secret.md")
    for ref in ("way.md", "notes:way.md", "boat.md", "notes:../secret.md"):
        with pytest.raises(NotFoundError):
            ask(memory, "file", ref)


def test_a_private_note_is_its_person_s_alone(memory):
    memory.wiki.new("Plan", body="Open to all.")
    memory.wiki.new("Secret", body="For Anna.", session_key=ANNA)
    memory.index()
    private = "wiki:private/telegram_1/Secret.md"
    assert "For Anna." in ask(memory, "file", private, session_key=ANNA).text
    for other in (None, BEN, GROUP):
        assert private not in {each.ref for each in ask(memory, "files", session_key=other)}
        with pytest.raises(NotFoundError):
            ask(memory, "file", private, session_key=other)
    assert "wiki:Plan.md" in {each.ref for each in ask(memory, "files", session_key=BEN)}
    assert ask(memory, "files", session_key=GROUP) == []
    assert ANNA in ask(memory, "people")


def test_people_who_are_linked_see_one_timeline_until_they_are_parted(memory):
    mine = memory.remember("Two cats", session_key=ANNA)
    theirs = memory.remember("A dog", session_key=BEN)
    memory.link("anna", [ANNA, BEN])
    assert {each.entry.id for each in ask(memory, "timeline", session_key=ANNA).items} == {mine.id, theirs.id}
    memory.unlink("anna")
    assert [each.entry.id for each in ask(memory, "timeline", session_key=ANNA).items] == [mine.id]
    assert ask(memory, "timeline", session_key=GROUP).items == ()


def test_a_forget_does_what_its_preview_said_and_undo_what_its_own_did(memory):
    memory.wiki.append("Pets", "2026-01-05", "- Two cats\n- A dog", session_key=ANNA)
    memory.wiki.append("Pets", "By hand", "We had: Two cats, once.", session_key=ANNA)
    entry = memory.remember("Two cats", session_key=ANNA)
    preview = ask(memory, "forget_preview", [entry.id], session_key=ANNA)
    (lines,) = preview.notes
    assert (lines.gone, lines.left) == (("- Two cats",), ("We had: Two cats, once.",))
    before = memory.wiki.show("Pets", session_key=ANNA).text
    report = memory.forget([entry.id], session_key=ANNA)
    after = memory.wiki.show("Pets", session_key=ANNA).text
    assert report.removed == tuple(each.id for each in preview.entries)
    assert [line for line in before.splitlines() if line not in after.splitlines()] == list(lines.gone)
    undo = ask(memory, "undo_preview", session_key=ANNA)
    assert abs((undo.until - report.purge_at).total_seconds()) < 0.001  # the ledger keeps milliseconds
    assert ask(memory, "timeline", session_key=ANNA).items[0].undo_until == undo.until
    assert tuple(memory.undo()) == undo.ids == (entry.id,)
    assert ask(memory, "timeline", session_key=ANNA).items[0].entry.text == "Two cats"


def test_what_was_said_waits_while_capture_is_off_and_is_shown_to_its_person(tmp_path):
    embedding = {"provider": "ollama", "url": "http://127.0.0.1:9", "model": "none"}
    settings = load_settings({"home": str(tmp_path / "home"), "embedding": embedding})
    with build(settings) as memory:
        said = Message("user", "Remember: my boat lies at berth 47.", "m1", AT)
        memory.agent_end(Turn(ANNA, (said,)))
        memory.flush()
        (waits,) = ask(memory, "waiting", session_key=ANNA)
        assert "berth 47" in waits.text
        assert (waits.is_dead, waits.anchor, waits.said_at) == (False, ANNA, AT)
        assert ask(memory, "waiting", session_key=BEN) == ask(memory, "waiting") == []
        (shown,) = ask(memory, "forget_preview", [waits.id]).waiting
        assert shown.text == waits.text
        assert memory.forget([waits.id]).waiting_removed == 1
        assert ask(memory, "waiting", session_key=ANNA) == []


def test_a_message_that_was_given_up_is_forgotten_by_its_own_id_and_by_whom_it_belongs_to(memory):
    ledger, whose = memory.core.browse._parts.ledger, Scope("main", ANNA)
    memory.remember("Two cats", session_key=ANNA)
    memory.run(ledger.inbox.put([InboxItem("given up", whose, ANNA, "m1", "My code is teal.", AT, AT)]))
    memory.run(ledger.inbox.bury(["given up"], "it would not be read"))
    with pytest.raises(NotFoundError):
        memory.forget(["given up"], session_key=BEN)
    (shown,) = ask(memory, "forget_preview", ["given up"], session_key=ANNA).waiting
    assert (shown.text, shown.is_dead) == ("My code is teal.", True)
    report = memory.forget(["given up"], session_key=ANNA)
    assert (report.removed, report.waiting_removed, report.purge_at) == ((), 1, None)
    assert ask(memory, "waiting", session_key=ANNA) == []
    assert [each.text for each in memory.list_entries(ANNA)] == ["Two cats"]
