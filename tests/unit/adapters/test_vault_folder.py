"""Notes on disk: what is listed, what is written where, and what is left alone."""

import os
import stat
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tercet.adapters.files import atomic_write
from tercet.adapters.vault import FolderVault
from tercet.adapters.vault.writing import LOCK_FILE, locked
from tercet.errors import InvalidInputError, NotFoundError, VaultUnavailableError, WriteConflictError
from tercet.model import Scope
from tercet.ports.vault import VaultFile

ANN = "private/telegram_1"


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return tmp_path / "vault"


@pytest.fixture
async def vault(directory: Path) -> AsyncIterator[FolderVault]:
    vault = FolderVault(directory, "main", lock_timeout_s=0.2)
    yield vault
    await vault.close()


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def everything(directory: Path) -> list[str]:
    """Return what lies in a vault, with the time of its last change."""
    return sorted(f"{path.relative_to(directory)} {path.stat().st_mtime_ns}" for path in directory.rglob("*"))


def names(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())


def put(path: Path, data: bytes = b"text") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


async def test_looking_at_a_vault_touches_nothing(vault: FolderVault, directory: Path) -> None:
    assert await vault.files() == []
    assert names(directory.parent) == []
    put(directory / "a.md")
    before = everything(directory.parent)
    await vault.files()
    await vault.read("a.md")
    assert everything(directory.parent) == before


async def test_a_refused_write_makes_no_vault(vault: FolderVault, directory: Path) -> None:
    for path, text in (("../a.md", "x"), ("a.txt", "x"), ("a.md", "\0")):
        with pytest.raises(InvalidInputError):
            await vault.write(path, text, expected_sha256=None)
    assert names(directory.parent) == []


async def test_folders_of_programs_and_other_files_are_passed_by(vault: FolderVault, directory: Path) -> None:
    for name in ("a.md", "b.MD", "c.txt", ".obsidian/d.md", ".git/e.md", ".trash/f.md", "cat.png", ".a.md.swp"):
        put(directory / name)
    put(directory / "drafts/g.md")
    put(directory / ".tercetignore", b"drafts/\n")
    os.truncate(put(directory / "big.md"), 11_000_000)
    assert [file.path for file in await vault.files()] == ["a.md", "b.MD"]
    assert [(skip.path, "limit" in skip.reason) for skip in vault.passed_by] == [("big.md", True)]


@pytest.mark.parametrize("path", [".obsidian/a.md", ".git/a.md", "sub/.trash/a.md", "drafts/a.md"])
async def test_nothing_is_written_where_nothing_is_listed(vault: FolderVault, directory: Path, path: str) -> None:
    put(directory / ".tercetignore", b"drafts/\n")
    with pytest.raises(InvalidInputError, match="passed by"):
        await vault.write(path, "x", expected_sha256=None)
    assert not (directory / path).exists()


async def test_new_notes_and_folders_are_their_owners_alone_and_old_ones_keep_their_rights(
    vault: FolderVault, directory: Path
) -> None:
    digest = await vault.write("a/b/n.md", "one", expected_sha256=None)
    place = directory / "a/b/n.md"
    assert [mode_of(path) for path in (directory, directory / "a", place.parent, place)] == [0o700, 0o700, 0o700, 0o600]
    place.chmod(0o664)
    place.parent.chmod(0o755)
    await vault.write("a/b/n.md", "two", expected_sha256=digest)
    assert (mode_of(place), mode_of(place.parent)) == (0o664, 0o755)


async def test_a_link_out_of_the_vault_is_neither_read_nor_written_through(
    vault: FolderVault, directory: Path, tmp_path: Path
) -> None:
    secret = put(tmp_path / "outside/secret.md")
    put(directory / "a.md")
    (directory / "out").symlink_to(tmp_path / "outside")
    (directory / "link.md").symlink_to(secret)
    assert [file.path for file in await vault.files()] == ["a.md"]
    for path in ("out/secret.md", "link.md"):
        with pytest.raises(NotFoundError):
            await vault.read(path)
    for path in ("out/new.md", "out/secret.md", "link.md"):
        with pytest.raises(InvalidInputError, match="link"):
            await vault.write(path, "x", expected_sha256=None)
    assert secret.read_bytes() == b"text"
    assert names(tmp_path / "outside") == ["secret.md"]


async def test_a_link_within_the_vault_leads_to_nobody_elses_notes(vault: FolderVault, directory: Path) -> None:
    """A shared session must not read or write a private folder by another name."""
    put(directory / ANN / "diary.md", b"private")
    (directory / "people").symlink_to(directory / ANN)
    (directory / "Caf\u00e9").symlink_to(directory / ANN)
    for folder in ("people", "Caf\u00e9", "Cafe\u0301"):
        with pytest.raises(NotFoundError, match="somebody else"):
            await vault.read(f"{folder}/diary.md")
        with pytest.raises(InvalidInputError, match="somebody else"):
            await vault.write(f"{folder}/new.md", "x", expected_sha256=None)
    assert [(file.path, file.scope) for file in await vault.files()] == [
        (f"{ANN}/diary.md", Scope("main", "telegram:1"))
    ]


async def test_a_vault_that_is_itself_a_link_is_used(directory: Path, tmp_path: Path) -> None:
    put(directory / "b.md")
    (tmp_path / "link").symlink_to(directory)
    vault = FolderVault(tmp_path / "link", "main")
    await vault.write("a.md", "x", expected_sha256=None)
    assert (directory / "a.md").read_text() == "x"
    await vault.close()


async def test_a_name_kept_decomposed_is_written_in_place(vault: FolderVault, directory: Path) -> None:
    """Some systems keep names in NFD; a second file of the same name must not appear."""
    place = put(directory / "Cafe\u0301/Re\u0301sume\u0301.md", b"one")
    read = await vault.read("Caf\u00e9/R\u00e9sum\u00e9.md")
    await vault.write("Caf\u00e9/R\u00e9sum\u00e9.md", "two", expected_sha256=read.sha256)
    assert place.read_bytes() == b"two"
    assert names(directory) == [LOCK_FILE, "Cafe\u0301"]
    assert names(place.parent) == [place.name]


async def test_an_editor_that_saves_while_we_write_wins_and_is_reported(
    vault: FolderVault, directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Editors take no lock: what they save until the very renaming is seen."""
    digest = await vault.write("a.md", "one", expected_sha256=None)
    sync = os.fsync

    def saved_meanwhile(descriptor: int) -> None:
        sync(descriptor)
        (directory / "a.md").write_text("by an editor")

    monkeypatch.setattr(atomic_write.os, "fsync", saved_meanwhile)
    with pytest.raises(WriteConflictError, match=r"a\.md"):
        await vault.write("a.md", "two", expected_sha256=digest)
    monkeypatch.undo()
    assert (directory / "a.md").read_text() == "by an editor"
    assert names(directory) == [LOCK_FILE, "a.md"]


async def test_a_full_disk_leaves_the_old_note_and_no_temporary(
    vault: FolderVault, directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    digest = await vault.write("a.md", "one", expected_sha256=None)

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(atomic_write.os, "fsync", full)
    with pytest.raises(VaultUnavailableError, match="No space left"):
        await vault.write("a.md", "two", expected_sha256=digest)
    monkeypatch.undo()
    assert (directory / "a.md").read_text() == "one"
    assert names(directory) == [LOCK_FILE, "a.md"]


async def test_what_a_killed_writer_left_goes_at_the_first_look(directory: Path) -> None:
    stray = put(directory / "sub/.a.md.tercet-0123456789abcdef.tmp")
    put(directory / LOCK_FILE, b"")
    somebodys = put(directory / "sub/.a.md.tmp")
    vault = FolderVault(directory, "main")
    await vault.files()
    assert (stray.exists(), somebodys.exists()) == (False, True)
    await vault.close()


async def test_while_another_process_writes_its_temporaries_stay_and_go_once_it_is_done(directory: Path) -> None:
    stray = put(directory / ".a.md.tercet-0123456789abcdef.tmp")
    vault = FolderVault(directory, "main")
    with locked(directory, 0):
        await vault.files()
        assert stray.exists()
    await vault.files()
    assert not stray.exists()
    await vault.close()


async def test_a_write_waits_for_the_lock_and_gives_up_in_words(vault: FolderVault, directory: Path) -> None:
    put(directory / "b.md")
    with locked(directory, 0), pytest.raises(VaultUnavailableError, match=r"Another process .* wait"):
        await vault.write("a.md", "x", expected_sha256=None)
    await vault.write("a.md", "x", expected_sha256=None)


async def test_a_file_where_the_vault_should_be(tmp_path: Path) -> None:
    vault = FolderVault(put(tmp_path / "vault"), "main")
    for call in (vault.files(), vault.read("a.md"), vault.write("a.md", "x", expected_sha256=None)):
        with pytest.raises(VaultUnavailableError) as raised:
            await call
        assert str(tmp_path / "vault") in str(raised.value)
        assert "\n" not in str(raised.value)
    await vault.close()


async def test_a_file_or_a_folder_in_the_way(vault: FolderVault, directory: Path) -> None:
    put(directory / "a.md")
    (directory / "b.md").mkdir()
    with pytest.raises(InvalidInputError, match="where its folder should be"):
        await vault.write("a.md/c.md", "x", expected_sha256=None)
    with pytest.raises(InvalidInputError, match="no file"):
        await vault.write("b.md", "x", expected_sha256=None)


@pytest.mark.parametrize(
    "text", ["a\0b", "\ud800", "\x01\x02\x03", "x" * 11_000_000], ids=["nul", "half a character", "controls", "large"]
)
async def test_a_text_that_could_not_be_read_again_is_refused(vault: FolderVault, directory: Path, text: str) -> None:
    with pytest.raises(InvalidInputError, match=r"a\.md is not written"):
        await vault.write("a.md", text, expected_sha256=None)
    assert not (directory / "a.md").exists()


@pytest.mark.parametrize("encoding", ["utf-16", "cp1252"])
async def test_a_note_in_another_encoding_says_so_and_is_left_alone(
    vault: FolderVault, directory: Path, encoding: str
) -> None:
    data = "# Caf\u00e9\n\nna\u00efve \u00e9t\u00e9".encode(encoding)
    put(directory / "a.md", data)
    read = await vault.read("a.md")
    assert read.text.startswith("# Caf\u00e9")
    assert "UTF-8" in read.warning
    with pytest.raises(InvalidInputError, match="UTF-8"):
        await vault.write("a.md", read.text, expected_sha256=read.sha256)
    assert (directory / "a.md").read_bytes() == data


async def test_a_listing_is_the_same_object_until_a_file_changes(vault: FolderVault, directory: Path) -> None:
    for name in ("a.md", "b.md"):
        await vault.write(name, "one", expected_sha256=None)
    first = await vault.files()
    assert await vault.files() is first
    os.utime(directory / "b.md", ns=(1, 1))
    second = await vault.files()
    assert [file.mtime_ns for file in second] == [first[0].mtime_ns, 1]
    (directory / "b.md").rename(directory / "c.md")
    assert names_listed(await vault.files()) == ["a.md", "c.md"]
    (directory / "a.md").unlink()
    assert names_listed(await vault.files()) == ["c.md"]
    assert names_listed(first) == ["a.md", "b.md"], "what was given before stays as it was"


def names_listed(files: list[VaultFile]) -> list[str]:
    return [file.path for file in files]
