"""Files that are wholly old or wholly new."""

import errno
import os
import stat
from pathlib import Path

import pytest

from tercet.adapters.files import atomic_write
from tercet.adapters.files.atomic_write import (
    ensure_private_directory,
    is_temporary,
    sweep_temporaries,
    write_atomically,
)
from tercet.errors import ConfigurationError, InvalidInputError, NotFoundError, TransientError

TEMPORARY = ".a.md.tercet-0123456789abcdef.tmp"


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_file_is_made_and_replaced_and_private(tmp_path: Path) -> None:
    path = tmp_path / "笔记.md"
    for data in (b"one\r\n", b"", b"\x00\xff"):
        write_atomically(path, data)
        assert path.read_bytes() == data
        assert mode(path) == 0o600
    assert names(tmp_path) == ["笔记.md"]


def test_the_mode_asked_for_holds_under_any_umask(tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        write_atomically(tmp_path / "a.md", b"x", mode=0o644)
    finally:
        os.umask(before)
    assert mode(tmp_path / "a.md") == 0o644


def test_the_longest_name_can_be_written(tmp_path: Path) -> None:
    path = tmp_path / ("记" * 84 + ".md")
    write_atomically(path, b"x")
    assert names(tmp_path) == [path.name]


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_failure_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    """L6, L7."""
    path = tmp_path / "a.md"
    path.write_bytes(b"old")
    seen: list[list[str]] = []

    def fail(*_: object) -> None:
        seen.append(names(tmp_path))
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, step, fail)
    with pytest.raises(TransientError, match="No space left on device"):
        write_atomically(path, b"new")
    monkeypatch.undo()
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["a.md"]
    assert any(map(is_temporary, seen[0])), "the temporary lies in the same folder under our own name"


def test_data_is_on_disk_before_the_name_and_the_name_before_the_return(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[str] = []
    real_replace, real_fsync = os.replace, os.fsync

    def fsync(descriptor: int) -> None:
        steps.append("folder" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "data")
        real_fsync(descriptor)

    def replace(source: Path, target: Path) -> None:
        steps.append("name")
        real_replace(source, target)

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(os, "replace", replace)
    write_atomically(tmp_path / "a.md", b"x")
    assert steps == ["data", "name", "folder"]


def test_a_temporary_is_never_written_through_a_planted_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    victim = tmp_path / "victim"
    victim.write_bytes(b"precious")
    monkeypatch.setattr(atomic_write, "_temporary_name", lambda _name: TEMPORARY)
    (tmp_path / TEMPORARY).symlink_to(victim)
    with pytest.raises(TransientError):
        write_atomically(tmp_path / "a.md", b"x")
    assert victim.read_bytes() == b"precious"
    assert (tmp_path / TEMPORARY).is_symlink(), "not ours to delete"


def test_a_link_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "target.md").write_bytes(b"old")
    (tmp_path / "link.md").symlink_to("target.md")
    with pytest.raises(InvalidInputError, match="symbolic link"):
        write_atomically(tmp_path / "link.md", b"new")
    assert (tmp_path / "link.md").is_symlink()
    assert (tmp_path / "target.md").read_bytes() == b"old"


def test_a_place_that_cannot_be_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "folder.md").mkdir()
    with pytest.raises(NotFoundError, match="folder is not there"):
        write_atomically(tmp_path / "none" / "a.md", b"x")
    with pytest.raises(ConfigurationError):
        write_atomically(tmp_path / "file" / "a.md", b"x")
    with pytest.raises(ConfigurationError):
        write_atomically(tmp_path / "folder.md", b"x")
    assert names(tmp_path) == ["file", "folder.md"]


def test_each_missing_folder_is_made_private_and_the_others_are_left(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir(mode=0o755)
    before = os.umask(0)
    try:
        ensure_private_directory(tmp_path / "there" / "a" / "b")
        ensure_private_directory(tmp_path / "there" / "a" / "b")
    finally:
        os.umask(before)
    assert [mode(tmp_path / "there" / part) for part in (".", "a", "a/b")] == [0o755, 0o700, 0o700]
    (tmp_path / "file").touch()
    for path in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(ConfigurationError, match="file"):
            ensure_private_directory(path)


def test_stale_temporaries_are_swept_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    others = ["a.md", ".a.md.tmp", ".a.md.tercet-xyz.tmp", "a.md.tercet-0123456789abcdef.tmp"]
    for name in (*others, TEMPORARY, "sub/" + TEMPORARY, "sub/.b.md.tercet-ffffffffffffffff.tmp"):
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (1000, 1000))
    os.utime(tmp_path / "sub" / ".b.md.tercet-ffffffffffffffff.tmp", (1500, 1500))
    swept = sweep_temporaries(tmp_path, older_than_s=600, now_s=2000)
    assert swept == [tmp_path / TEMPORARY, tmp_path / "sub" / TEMPORARY]
    assert names(tmp_path) == sorted([*others, "sub"])
    assert names(tmp_path / "sub") == [".b.md.tercet-ffffffffffffffff.tmp"]
