"""A vault that Obsidian made, opened as it is."""

import hashlib
from pathlib import Path

import pytest

from tercet.adapters.vault import FolderVault
from tercet.text.notes.links import LinkTargets, is_attachment
from tercet.text.notes.parse import parse_note


def state(folder: Path) -> dict[str, tuple[int, str]]:
    return {
        str(path.relative_to(folder)): (path.stat().st_mtime_ns, hashlib.sha256(path.read_bytes()).hexdigest())
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.mark.shared_data
async def test_every_note_is_read_and_nothing_on_disk_changes(shared_data: Path) -> None:
    folder = shared_data / "workspaces" / "obsidian-vault"
    before = state(folder)
    vault = FolderVault(folder, "main")
    files = await vault.files()
    texts = {file.path: await vault.read(file.path) for file in files}
    await vault.close()
    assert set(texts) == {path for path in before if path.endswith(".md")}
    assert not any(text.warning for text in texts.values())
    assert state(folder) == before
    notes = {path: parse_note(text.text, path, vault.scope_of(path)) for path, text in texts.items()}
    # Placeholders of templates ({{date}}) are no YAML; all else is.
    assert {path for path, note in notes.items() if note.problems} == {
        path for path, text in texts.items() if ": {{" in text.text
    }
    kyoto = notes["References/Kyoto.md"]
    assert (kyoto.title, kyoto.type, kyoto.created is None) == ("Kyoto", "Cities", False)
    assert [link.target for link in kyoto.links][:3] == ["Places", "Cities", "Japan"]
    targets = LinkTargets(notes.values())
    assert targets.resolve("Places", kyoto.path) == "Categories/Places.md"
    assert targets.resolve("Japan", kyoto.path) is None
    embeds = [link for note in notes.values() for link in note.links if link.is_embed]
    assert all(is_attachment(link.target) or targets.resolve(link.target, "Readme.md") for link in embeds)
