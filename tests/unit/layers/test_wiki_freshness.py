"""What a look for changes in a vault does when there are none, and that it misses none."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tercet.adapters.sqlite.note_index import SqliteNoteIndex
from tercet.adapters.vault import FolderVault
from tercet.layers.wiki import freshness
from tercet.layers.wiki.freshness import Freshness, RefreshPlan, plan_refresh
from tercet.ports.note_index import FileState
from tercet.ports.vault import VaultFile


class Later:
    """A clock far after any file's time, so that no file may have been written while it was read."""

    def now(self) -> datetime:
        return datetime(2100, 1, 1, tzinfo=UTC)


async def test_unchanged_files_are_compared_once_and_every_change_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared: list[RefreshPlan] = []

    def counted(files: Sequence[VaultFile], known: Mapping[str, FileState]) -> RefreshPlan:
        compared.append(plan_refresh(files, known))
        return compared[-1]

    monkeypatch.setattr(freshness, "plan_refresh", counted)
    directory = tmp_path / "vault"
    directory.mkdir()
    (directory / "a.md").write_text("one", encoding="utf-8")
    vault, index = FolderVault(directory, "main"), SqliteNoteIndex(tmp_path, "main")
    fresh = Freshness(vault, index, Later())
    for _ in range(4):
        assert await fresh.within(None) is None
    assert len(compared) == 2, "the first takes the note in, the second finds nothing to do"
    (directory / "b.md").write_text("two", encoding="utf-8")
    await fresh.within(None)
    assert [file.path for file in compared[-1].to_read] == ["b.md"]
    (directory / "a.md").unlink()
    await fresh.within(None)
    assert compared[-1].gone == ("a.md",)
    # Another process changed the index alone: the same files have to be compared once more.
    await index.apply((), ["b.md"])
    await fresh.within(None)
    assert [file.path for file in compared[-1].to_read] == ["b.md"]
    await fresh.close()
    await vault.close()
