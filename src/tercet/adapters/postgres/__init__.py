"""PostgreSQL with pgvector: rows, vectors, ledger, journal and inbox in one database that many services share."""

from tercet.adapters.postgres.engine import PostgresEngine

__all__ = ["PostgresEngine"]
