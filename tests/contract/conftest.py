"""What the tests of the shared database have in common: several services over one tenant, and a look at every row."""

from __future__ import annotations

from contextlib import AsyncExitStack

import pytest

from tercet.adapters.postgres.ledger import PostgresLedger


@pytest.fixture
async def open_service(postgres_server):
    """Opens ledgers, each with connections of its own, of one new tenant unless another is named."""
    usual = postgres_server.new_tenant()
    async with AsyncExitStack() as closing:

        async def open_one(tenant: str = usual) -> PostgresLedger:
            ledger = await PostgresLedger.open(postgres_server.url, tenant, pool_size=4)
            closing.push_async_callback(ledger.close)
            return ledger

        yield open_one


@pytest.fixture
def tables_with(postgres_server):
    """Names the tables in which any row, of whatever tenant, holds given words."""

    import psycopg

    async def named(words: str) -> list[str]:
        async with await psycopg.AsyncConnection.connect(postgres_server.administrator_url) as connection:
            found = await connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'tercet'")
            held = []
            for (table,) in sorted(await found.fetchall()):
                rows = await connection.execute(
                    f"SELECT FROM tercet.{table} AS held WHERE held::text ILIKE %s LIMIT 1", (f"%{words}%",)
                )
                held += [table] * rows.rowcount
            return held

    return named
