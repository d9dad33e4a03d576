"""The stand-in keeps the promises of the real thing."""

from __future__ import annotations

import pytest

from tercet.model import Passage
from tercet.testing.layer_contract import AGENT, LayerContract
from tercet.testing.memory_layer import MemoryLayer


class TestMemoryLayer(LayerContract):
    @pytest.fixture
    def make_layer(self):
        async def make(notes):
            return MemoryLayer(AGENT, [Passage(note.name, "note", note.scope, note.text) for note in notes])

        return make
