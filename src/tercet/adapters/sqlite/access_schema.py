"""The tables of salience: what leads a ledger of version 3 to version 4."""

from __future__ import annotations

from typing import Final

ACCESS_TABLES: Final = (
    # Of queries logged before, neither the best score nor who asked is known.
    "ALTER TABLE query_log ADD COLUMN best REAL",
    "ALTER TABLE query_log ADD COLUMN agent TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE query_log ADD COLUMN anchors TEXT NOT NULL DEFAULT '[]'",
    """CREATE TABLE access (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        item TEXT NOT NULL,
        kind TEXT NOT NULL,
        at_ms INTEGER NOT NULL
    )""",
    "CREATE INDEX access_of_item ON access (item, at_ms)",
)
"""Accesses, and what the query log has to know; all statements of one migration."""
