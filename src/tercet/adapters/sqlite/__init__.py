"""The ledger in SQLite: durable bookkeeping in one file, made vectors in another."""
