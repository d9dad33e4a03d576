"""What one walk of a folder lists, what it passes by, and what it names."""

import os
import shutil
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tercet.adapters.files.atomic_write import is_temporary
from tercet.adapters.files.store import LocalFiles
from tercet.adapters.files.walk import walk
from tercet.errors import NotFoundError

NFC, NFD = unicodedata.normalize("NFC", "é"), unicodedata.normalize("NFD", "é")


def put(folder: Path, *paths: str, text: str = "x") -> None:
    for path in paths:
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")


def listed(folder: Path, **options: int) -> list[str]:
    return [file.path for file in walk(str(folder), **options).files]


def skipped(folder: Path, **options: int) -> dict[str, str]:
    return {skip.path: skip.reason for skip in walk(str(folder), **options).skipped}


def test_markdown_in_any_case_sorted_by_path(tmp_path: Path) -> None:
    put(tmp_path, "b.md", "a.MD", "c.Markdown", "d.txt", "md", "sub/日记.md", "Z/1.md", "e.md.bak", ".hidden.md")
    assert listed(tmp_path) == [".hidden.md", "Z/1.md", "a.MD", "b.md", "c.Markdown", "sub/日记.md"]
    assert skipped(tmp_path) == {}


def test_size_and_time_are_those_of_the_file(tmp_path: Path) -> None:
    put(tmp_path, "a.md", text="12345")
    os.utime(tmp_path / "a.md", ns=(1, 1_700_000_000_123_456_789))
    (file,) = walk(str(tmp_path)).files
    assert (file.size, file.mtime_ns) == (5, 1_700_000_000_123_456_789)


def test_dot_folders_are_memory_but_for_the_known_ones(tmp_path: Path) -> None:
    """F17: a real folder had 16 of 22 answers below a dot folder."""
    put(tmp_path, ".claude/memory/a.md", "x.git/b.md", "caches/c.md")
    for name in (".git", ".hg", ".svn", ".obsidian", ".trash", ".venv", ".cache", "node_modules", "__pycache__"):
        put(tmp_path, f"{name}/a.md", f"sub/{name}/deep/b.md")
    assert listed(tmp_path) == [".claude/memory/a.md", "caches/c.md", "x.git/b.md"]


def test_our_own_temporaries_are_passed_by(tmp_path: Path) -> None:
    """F11."""
    name = ".note.md.tercet-0123456789abcdef.tmp"
    put(tmp_path, name, "note.md")
    assert is_temporary(name)
    assert listed(tmp_path) == ["note.md"]


def test_gitignore_is_not_consulted(tmp_path: Path) -> None:
    put(tmp_path, ".gitignore", text="*.md")
    put(tmp_path, "a.md")
    assert listed(tmp_path) == ["a.md"]


def test_tercetignore_as_git_reads_it(tmp_path: Path) -> None:
    put(tmp_path, "a.md", "keep.md", "private/x.md", "sub/private/x.md", "draft/x.md", "sub/draft/x.md", "日记/x.md")
    put(tmp_path, ".tercetignore", text="\ufeff# no drafts\r\n/draft/\r\nprivate\r\na*\r\n!keep.md\r\n日记/\r\n")
    assert listed(tmp_path) == ["keep.md", "sub/draft/x.md"]
    assert skipped(tmp_path) == {}


def test_nested_tercetignore_holds_below_its_folder_and_overrides(tmp_path: Path) -> None:
    put(tmp_path, ".tercetignore", text="*.draft.md\n")
    put(tmp_path, "sub/.tercetignore", text="/x.md\n!good.draft.md\n")
    put(tmp_path, "x.md", "sub/x.md", "sub/deep/x.md", "sub/good.draft.md", "sub/bad.draft.md", "good.draft.md")
    assert listed(tmp_path) == ["sub/deep/x.md", "sub/good.draft.md", "x.md"]


def test_an_ignored_folder_cannot_be_taken_back_from_below(tmp_path: Path) -> None:
    put(tmp_path, ".tercetignore", text="private/\n!private/x.md\n")
    put(tmp_path, "private/.tercetignore", text="!*\n")
    put(tmp_path, "private/x.md", "a.md")
    assert listed(tmp_path) == ["a.md"]


def test_a_pattern_that_is_not_understood_is_named_and_the_rest_hold(tmp_path: Path) -> None:
    put(tmp_path, ".tercetignore", text="!\nb.md\n")
    put(tmp_path, "a.md", "b.md")
    assert listed(tmp_path) == ["a.md"]
    assert skipped(tmp_path) == {".tercetignore": "the pattern '!' is not understood and was left out"}


def test_an_ignore_file_that_cannot_be_read_closes_its_folder(tmp_path: Path) -> None:
    """It may say what is private."""
    (tmp_path / "sub" / ".tercetignore").mkdir(parents=True)
    put(tmp_path, "sub/a.md", "b.md")
    assert listed(tmp_path) == ["b.md"]
    assert skipped(tmp_path) == {"sub": "its .tercetignore cannot be read: is a directory"}


def test_too_large_files_are_named(tmp_path: Path) -> None:
    put(tmp_path, "a.md", text="12345")
    put(tmp_path, "b.md", text="1234")
    assert listed(tmp_path, max_bytes=4) == ["b.md"]
    assert skipped(tmp_path, max_bytes=4) == {"a.md": "larger than the limit (5 of 4 bytes)"}


def test_a_link_out_of_the_folder_is_named_and_not_followed(tmp_path: Path) -> None:
    """F1: a symlinked file is skipped and named, the rest is indexed."""
    put(tmp_path, "out/secret.md", "out/deep/more.md", "in/a.md")
    (tmp_path / "in" / "USER.md").symlink_to(tmp_path / "out" / "secret.md")
    (tmp_path / "in" / "folder").symlink_to(tmp_path / "out")
    (tmp_path / "in" / "sibling.md").symlink_to("../out/secret.md")
    (tmp_path / "in" / "other.txt").symlink_to(tmp_path / "out" / "secret.md")
    (tmp_path / "inside").symlink_to(tmp_path / "in")
    assert listed(tmp_path / "in") == ["a.md"]
    reason = "the symbolic link leaves the folder"
    assert skipped(tmp_path / "in") == {"USER.md": reason, "folder": reason, "sibling.md": reason}
    assert listed(tmp_path / "inside") == ["a.md"], "the folder itself may be reached by a link"


def test_a_folder_whose_name_begins_alike_is_outside(tmp_path: Path) -> None:
    put(tmp_path, "in-other/a.md", "in/b.md")
    (tmp_path / "in" / "a.md").symlink_to(tmp_path / "in-other" / "a.md")
    assert listed(tmp_path / "in") == ["b.md"]
    assert skipped(tmp_path / "in") == {"a.md": "the symbolic link leaves the folder"}


def test_a_linked_file_is_listed_once(tmp_path: Path) -> None:
    put(tmp_path, "AGENTS.md", "data/notes.txt", "sub/a.md")
    (tmp_path / "CLAUDE.md").symlink_to("AGENTS.md")
    (tmp_path / "alias").symlink_to("sub")
    (tmp_path / "notes.md").symlink_to("data/notes.txt")
    (tmp_path / "notes2.md").symlink_to("data/notes.txt")
    assert listed(tmp_path) == ["AGENTS.md", "notes.md", "sub/a.md"]
    assert skipped(tmp_path) == {}


def test_a_link_does_not_reach_what_is_ignored(tmp_path: Path) -> None:
    put(tmp_path, ".tercetignore", text="private/\n")
    put(tmp_path, "private/a.md", "private/b.txt", ".trash/c.txt")
    (tmp_path / "alias").symlink_to("private")
    for name, target in (("a.md", "private/a.md"), ("b.md", "private/b.txt"), ("c.md", ".trash/c.txt")):
        (tmp_path / name).symlink_to(target)
    assert listed(tmp_path) == []


def test_loops_and_broken_links_are_harmless(tmp_path: Path) -> None:
    put(tmp_path, "sub/a.md")
    (tmp_path / "sub" / "up").symlink_to("..")
    (tmp_path / "self.md").symlink_to("self.md")
    (tmp_path / "gone.md").symlink_to("nowhere.md")
    (tmp_path / "gone").symlink_to("nowhere")
    assert listed(tmp_path) == ["sub/a.md"]
    assert skipped(tmp_path) == {
        "gone.md": "broken symbolic link: no such file or directory",
        "self.md": "broken symbolic link: too many levels of symbolic links",
    }


def test_what_is_no_regular_file_is_named(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    (tmp_path / "folder.md").mkdir()
    put(tmp_path, "folder.md/a.md")
    assert listed(tmp_path) == ["folder.md/a.md"]
    assert skipped(tmp_path) == {"pipe.md": "not a regular file"}


def test_names_that_are_no_utf8_are_named_in_print(tmp_path: Path) -> None:
    place = os.fsencode(tmp_path)
    (tmp_path / "a.md").touch()
    for name in (b"caf\xe9.md", b"caf\xe9.txt"):
        Path(os.fsdecode(place + b"/" + name)).touch()
    Path(os.fsdecode(place + b"/d\xff")).mkdir()
    Path(os.fsdecode(place + b"/d\xff/b.md")).touch()
    assert listed(tmp_path) == ["a.md"]
    reason = "the name is not UTF-8: rename it"
    assert skipped(tmp_path) == {"caf\\xe9.md": reason, "d\\xff": reason}


async def test_a_decomposed_name_is_listed_composed_and_read(tmp_path: Path) -> None:
    put(tmp_path, f"d{NFD}/caf{NFD}.md", text="decomposed")
    files = LocalFiles()
    (file,) = (await files.list(str(tmp_path))).files
    assert file.path == f"d{NFC}/caf{NFC}.md"
    assert (await files.read(str(tmp_path), file.path)).text == "decomposed"
    assert (await files.read(str(tmp_path), f"d{NFD}/caf{NFD}.md")).text == "decomposed"
    await files.close()


@pytest.mark.parametrize(
    ("paths", "read"),
    [
        ((f"{NFD}.md", f"{NFC}.md"), f"{NFC}.md"),
        ((f"{NFD}/{NFC}.md", f"{NFC}/{NFD}.md"), f"{NFC}/{NFD}.md"),
        ((f"{NFD}/{NFC}.md", f"{NFD}/{NFD}.md"), f"{NFD}/{NFC}.md"),
    ],
)
async def test_of_two_names_that_differ_in_normalisation_one_is_taken(
    tmp_path: Path, paths: tuple[str, ...], read: str
) -> None:
    for number, path in enumerate(paths):
        put(tmp_path, path, text=path + "x" * number)
    name = unicodedata.normalize("NFC", read)
    (file,) = walk(str(tmp_path)).files
    assert file.path == name
    assert skipped(tmp_path) == {name: "a second file of this name in another Unicode normalisation: rename one"}
    files = LocalFiles()
    content = await files.read(str(tmp_path), name)
    assert content.text.rstrip("x") == read
    assert content.size == file.size
    await files.close()


def test_a_folder_never_to_be_entered_is_passed_by(tmp_path: Path) -> None:
    put(tmp_path, "a.md", ".tercet/vault/b.md", "sub/.tercet/c.md")
    found = walk(str(tmp_path), never_enter=[os.path.realpath(tmp_path / ".tercet")])
    assert [file.path for file in found.files] == ["a.md", "sub/.tercet/c.md"]


async def test_a_missing_folder_is_an_error(tmp_path: Path) -> None:
    put(tmp_path, "a.md")
    files = LocalFiles()
    with pytest.raises(NotFoundError, match=r"gone cannot be read: No such file"):
        await files.list(str(tmp_path / "gone"))
    with pytest.raises(NotFoundError, match=r"a\.md is a file, not a folder"):
        await files.list(str(tmp_path / "a.md"))
    assert (await files.list(str(tmp_path))).files[0].path == "a.md"
    await files.close()


def test_what_vanishes_during_the_walk_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, "a.md", "gone.md", "gone/b.md", "sub/c.md")
    real = os.scandir

    @contextmanager
    def scan(place: str) -> Iterator[list["os.DirEntry[str]"]]:
        with real(place) as found:
            entries = list(found)
        if "gone.md" in [entry.name for entry in entries]:
            (tmp_path / "gone.md").unlink()
            shutil.rmtree(tmp_path / "gone")
        yield entries

    monkeypatch.setattr("tercet.adapters.files.walk.real_folder", os.path.realpath)
    monkeypatch.setattr(os, "scandir", scan)
    found = walk(str(tmp_path))
    assert [file.path for file in found.files] == ["a.md", "sub/c.md"]
    assert found.skipped == ()
