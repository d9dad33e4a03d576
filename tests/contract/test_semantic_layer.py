"""The semantic layer keeps what every layer must keep."""

from __future__ import annotations

import pytest

from tercet.app.semantic import make_files, make_semantic_parts
from tercet.app.stores import Databases, open_stores
from tercet.config import load_settings
from tercet.layers.semantic.layer import SemanticLayer
from tercet.testing.layer_contract import AGENT, LayerContract


class TestSemanticLayer(LayerContract):
    holds_private = False  # of files; entries are the journal's, which has a suite of its own

    @pytest.fixture
    async def make_layer(self, tmp_path):
        home, folder = tmp_path / "home", tmp_path / "notes"
        for each in (home, folder):
            each.mkdir()
        settings = load_settings({"home": str(home), "agent": AGENT, "embedding": {"provider": "none"}}).settings
        stores, files = await open_stores(settings, Databases()), make_files(settings)

        async def make(notes):
            for note in notes:
                (folder / f"{note.name}.md").write_text(note.text, encoding="utf-8")
            layer = SemanticLayer(make_semantic_parts(settings, stores, files, None))
            await layer.index([str(folder)])
            return layer

        yield make
        await files.close()
        await stores.ledger.close()
