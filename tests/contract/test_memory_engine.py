"""The stand-in keeps the promises of the real thing."""

from __future__ import annotations

import pytest

from tercet.testing.engine_contract import EngineContract
from tercet.testing.memory_engine import MemoryEngine, MemoryStore
from tercet.testing.reembed_contract import ReembedContract


class TestMemoryEngine(EngineContract, ReembedContract):
    @pytest.fixture
    def make_engine(self):
        store = MemoryStore()
        return lambda: MemoryEngine(store)
