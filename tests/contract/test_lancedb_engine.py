"""LanceDB keeps the promises of the engine port."""

from __future__ import annotations

import pytest

from tercet.adapters.lancedb import LanceEngine
from tercet.testing.disposal_contract import DisposalContract
from tercet.testing.engine_contract import EngineContract
from tercet.testing.reembed_contract import ReembedContract

pytestmark = pytest.mark.engines


class TestLanceEngine(EngineContract, ReembedContract, DisposalContract):
    @pytest.fixture
    def make_engine(self, tmp_path):
        return lambda: LanceEngine(str(tmp_path / "store"))
