"""The wiki layer over a real folder and a real index keeps what every layer keeps."""

from datetime import UTC, datetime

import pytest

from tercet.adapters.sqlite.note_index import SqliteNoteIndex
from tercet.adapters.vault import FolderVault
from tercet.layers.wiki.layer import WikiLayer, WikiParts
from tercet.testing.layer_contract import AGENT, LayerContract


class Clock:
    def now(self):
        return datetime(2026, 6, 1, tzinfo=UTC)


class TestWikiLayer(LayerContract):
    @pytest.fixture
    def make_layer(self, tmp_path):
        async def make(notes):
            vault = FolderVault(tmp_path / "vault", AGENT)
            for note in notes:
                folder = tmp_path / "vault" / vault.folder_of(note.scope)
                folder.mkdir(parents=True, exist_ok=True)
                (folder / f"{note.name}.md").write_text(note.text, "utf-8")
            return WikiLayer(WikiParts(AGENT, vault, SqliteNoteIndex(tmp_path / "home", AGENT), Clock()))

        return make
