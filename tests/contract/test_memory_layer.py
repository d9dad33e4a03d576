"""The stand-in keeps the promises of the real thing."""

from __future__ import annotations

import pytest

from tercet.model import Passage
from tercet.plugins.guarded import GuardedLayer
from tercet.testing.layer_contract import AGENT, LayerContract
from tercet.testing.memory_layer import MemoryLayer


class TestMemoryLayer(LayerContract):
    @pytest.fixture
    def make_layer(self):
        async def make(notes):
            return MemoryLayer(AGENT, [Passage(note.name, "note", note.scope, note.text) for note in notes])

        return make


class TestGuardedLayer(LayerContract):
    """The guard of plug-ins takes nothing away from a layer that keeps the contract."""

    @pytest.fixture
    def make_layer(self):
        async def make(notes):
            passages = [Passage(note.name, "note", note.scope, note.text) for note in notes]
            return GuardedLayer(MemoryLayer(AGENT, passages), "Plug-in 'memory'", "wiki", AGENT)

        return make
