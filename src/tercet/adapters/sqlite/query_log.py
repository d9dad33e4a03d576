"""The latest queries with the ids they found; bounded, and without passage text."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tercet.adapters.ledger_bounds import LOGGED_HITS, LOGGED_QUERIES

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

    from tercet.model import Reach


def append_query(
    connection: sqlite3.Connection,
    query: str,
    hit_ids: Sequence[str],
    at_ms: int,
    best: float | None,
    reach: Reach | None,
) -> None:
    """Log a query and drop the oldest beyond the bound; the caller holds the transaction."""
    row = connection.execute(
        "INSERT INTO query_log (query, hit_ids, at_ms, best, agent, anchors) VALUES (?, ?, ?, ?, ?, ?)",
        (
            query,
            json.dumps(list(hit_ids[:LOGGED_HITS])),
            at_ms,
            best if reach else None,  # nobody's question is in nobody's salience
            reach.agent if reach else "",
            json.dumps(reach.anchors if reach else ()),
        ),
    ).lastrowid
    # Numbers only grow and are never given twice, so the bound needs no counting.
    connection.execute("DELETE FROM query_log WHERE id <= ?", ((row or 0) - LOGGED_QUERIES,))


def latest_queries(connection: sqlite3.Connection, limit: int) -> list[tuple[str, list[str]]]:
    """Return up to ``limit`` queries with their hit ids, newest first."""
    rows = connection.execute("SELECT query, hit_ids FROM query_log ORDER BY id DESC LIMIT ?", (max(limit, 0),))
    return [(query, json.loads(hit_ids)) for query, hit_ids in rows]
