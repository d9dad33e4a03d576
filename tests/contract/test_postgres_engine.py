"""PostgreSQL keeps the promises of the engine port."""

from __future__ import annotations

import pytest

from tercet.adapters.postgres import PostgresEngine
from tercet.testing.disposal_contract import DisposalContract
from tercet.testing.engine_contract import EngineContract
from tercet.testing.reembed_contract import ReembedContract


class TestPostgresEngine(EngineContract, ReembedContract, DisposalContract):
    @pytest.fixture
    def make_engine(self, postgres_server):
        tenant = postgres_server.new_tenant()
        return lambda: PostgresEngine(postgres_server.url, tenant=tenant)
