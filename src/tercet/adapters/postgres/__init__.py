"""PostgreSQL with pgvector: rows, vectors, ledger, journal and inbox in one database that many services share."""
