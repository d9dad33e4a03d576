"""Ids of chunks: the same folder gives the same ids again, and nothing else does."""

from __future__ import annotations

from dataclasses import replace

from tercet.layers.semantic.chunking import rows_of_file
from tercet.model import Scope
from tercet.ports import RootRecord

ROOT = RootRecord("notes", "/data/notes", Scope("ada"))
LONG = "word " * 250
TEXT = "".join(f"# Part {n}\n\n{LONG} part{n}\n\n" for n in range(3))


def ids(root=ROOT, path="a.md", text=TEXT):
    return [row.passage.id for row in rows_of_file(root, path, text)]


def test_they_are_the_same_again_and_follow_scope_folder_path_and_text():
    assert ids() == ids()
    assert len(set(ids())) == len(ids()) == 3
    for changed in (
        ids(replace(ROOT, scope=Scope("bob"))),
        ids(replace(ROOT, scope=Scope("ada", "telegram:1"))),
        ids(replace(ROOT, label="notes-2")),
        ids(path="b.md"),
    ):
        assert set(changed).isdisjoint(ids())


def test_they_do_not_follow_where_the_folder_lies():
    assert ids(replace(ROOT, directory="/mnt/notes")) == ids()


def test_an_edit_leaves_the_others_alone():
    edited = ids(text=TEXT.replace("part1", "part one"))
    assert [old == new for old, new in zip(ids(), edited, strict=True)] == [True, False, True]
    assert ids(text=f"# New\n\n{LONG}\n\n{TEXT}")[-3:] == ids()


def test_equal_texts_in_one_file_are_two_passages():
    twice = f"# Same\n\n{LONG}\n\n# Same\n\n{LONG}\n"
    assert len(set(ids(text=twice))) == 2


def test_no_two_places_run_together():
    assert ids(replace(ROOT, label="ab"), "c.md") != ids(replace(ROOT, label="a"), "bc.md")


def test_tags_come_from_front_matter_in_every_spelling():
    def tags(front):
        return rows_of_file(ROOT, "a.md", f"---\n{front}\n---\n\ntext of it\n")[0].passage.tags

    assert tags("tags: [home, network]") == ("home", "network")
    assert tags("tags: home, network") == ("home", "network")
    assert tags("tags:\n  - home\n  - 7\n  -") == ("home", "7")
    assert tags("title: x") == ()
    assert tags("tags: {a: 1}") == ()
