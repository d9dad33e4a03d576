"""LanceDB in a bucket keeps the promises of the engine port, reached by the names of the settings."""

from __future__ import annotations

import pytest

from tercet.app.stores import Databases, make_engine
from tercet.config import load_settings
from tercet.testing.disposal_contract import DisposalContract
from tercet.testing.engine_contract import EngineContract
from tercet.testing.reembed_contract import ReembedContract


class TestLanceEngineInABucket(EngineContract, ReembedContract, DisposalContract):
    @pytest.fixture
    def make_engine(self, s3_server, tmp_path):
        store = {**s3_server.settings(s3_server.new_uri()), "consistency_s": 0}
        settings = load_settings({"home": str(tmp_path), "store": store}).settings
        return lambda: make_engine(settings, Databases())
