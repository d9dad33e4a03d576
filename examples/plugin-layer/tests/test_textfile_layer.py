"""The layer keeps what every layer must keep, and its own promises."""

from __future__ import annotations

import pytest
from tercet import SearchOptions
from tercet.errors import VaultUnavailableError
from tercet.testing.layer_contract import AGENT, LayerContract

from tercet_textfile import TextFileLayer


class TestTextFileLayer(LayerContract):
    holds_private = False

    @pytest.fixture
    def make_layer(self, tmp_path):
        async def make(notes):
            for note in notes:
                (tmp_path / f"{note.name}.txt").write_text(note.text, encoding="utf-8")
            return TextFileLayer(tmp_path, AGENT)

        return make


async def test_a_file_written_after_the_start_is_found(tmp_path):
    layer = TextFileLayer(tmp_path / "notes", AGENT)
    assert list(await layer.search("harpsichord", SearchOptions())) == []
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "music.txt").write_text("The harpsichord is tuned in May.\n", encoding="utf-8")
    (hit,) = await layer.search("harpsichord", SearchOptions())
    assert (hit.passage.path, hit.score, hit.snippet) == ("music.txt", 1.0, "The harpsichord is tuned in May.")


async def test_files_of_another_kind_are_left_alone(tmp_path):
    (tmp_path / "music.md").write_text("The harpsichord is tuned in May.\n", encoding="utf-8")
    assert list(await TextFileLayer(tmp_path, AGENT).search("harpsichord", SearchOptions())) == []


async def test_a_folder_that_cannot_be_read_is_down_not_empty(tmp_path):
    (tmp_path / "notes").write_text("no folder", encoding="utf-8")
    with pytest.raises(VaultUnavailableError, match="cannot be read"):
        await TextFileLayer(tmp_path / "notes", AGENT).search("harpsichord", SearchOptions())
