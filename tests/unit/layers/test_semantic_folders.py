"""Which root a folder belongs to; no file is indexed twice for one agent."""

from __future__ import annotations

import pytest

from tercet.errors import InvalidInputError, NotFoundError
from tercet.layers.semantic.folders import absolute_directory, checked_directory, named_folders, parts_of, plan_folder
from tercet.model import Scope
from tercet.ports import RootRecord

ADA, BOB = Scope("ada"), Scope("bob")
NOTES = RootRecord("notes", "/data/notes", ADA)
LENT = RootRecord("wiki@ada", "/data/vault", ADA)


def test_a_new_folder_gets_its_own_name():
    assert plan_folder("/data/other", [NOTES], ADA) == (RootRecord("other", "/data/other", ADA), [])


@pytest.mark.parametrize("directory", ["/data/notes", "/data/notes/deep/er"])
def test_a_folder_within_an_indexed_one_is_that_one(directory):
    assert plan_folder(directory, [NOTES], ADA) == (NOTES, [])


def test_a_folder_around_indexed_ones_replaces_them():
    other = RootRecord("x", "/data/x/y", ADA)
    root, inside = plan_folder("/data", [NOTES, other], ADA)
    assert (root.label, inside) == ("data", [NOTES, other])


def test_a_folder_around_notes_leaves_them_and_one_within_is_theirs():
    assert plan_folder("/data", [NOTES, LENT], ADA)[1] == [NOTES]
    assert plan_folder("/data/vault/private/telegram_1", [NOTES, LENT], ADA) == (LENT, [])


def test_a_name_that_only_begins_alike_is_neither():
    assert plan_folder("/data/notes2", [NOTES], ADA)[0].label == "notes2"
    assert plan_folder("/data/note", [NOTES], ADA) == (RootRecord("note", "/data/note", ADA), [])


def test_the_folders_of_another_agent_are_its_own_but_labels_stay_unique():
    root, inside = plan_folder("/data/notes", [NOTES], BOB)
    assert (root.label, root.scope, inside) == ("notes-2", BOB, [])
    assert plan_folder("/else/notes", [NOTES, root], ADA)[0].label == "notes-3"


@pytest.mark.parametrize(
    ("directory", "label"),
    [("/a/My notes: #1", "My-notes-1"), ("/", "root"), ("/a/cafe\u0301", "caf\u00e9"), ("/a/記憶", "記憶")],
)
def test_labels_can_stand_in_a_ref(directory, label):
    assert plan_folder(directory, [], ADA)[0].label == label


def test_folders_to_remove_must_be_indexed():
    assert named_folders(["/data/notes"], [NOTES]) == [NOTES]
    with pytest.raises(NotFoundError, match="indexed are /data/notes"):
        named_folders(["/data/nots"], [NOTES])
    with pytest.raises(InvalidInputError, match=r"holds notes: set another wiki\.vault"):
        named_folders(["/data/vault"], [NOTES, LENT])


def test_a_directory_is_made_absolute_and_must_be_one(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert checked_directory("link") == str((tmp_path / "real").resolve())
    (tmp_path / "file").write_text("")
    for wrong in ("file", "gone"):
        with pytest.raises(InvalidInputError, match=wrong):
            checked_directory(wrong)


@pytest.mark.parametrize("directory", ["", "  ", "~nobody-of-that-name/x"])
def test_a_blank_folder_is_not_the_one_you_are_in(directory):
    for read in (checked_directory, absolute_directory):
        with pytest.raises(InvalidInputError):
            read(directory)


def test_a_folder_within_an_indexed_one_is_said_to_be_part_of_it():
    assert parts_of(["/data/notes", "/data/notes/deep", "/data/notes/deep"], [NOTES]) == [
        "/data/notes/deep is part of /data/notes, which is indexed."
    ]
