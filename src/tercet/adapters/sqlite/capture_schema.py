"""The tables of capture: what leads a ledger of version 1 to version 2."""

from __future__ import annotations

from typing import Final

CAPTURE_TABLES: Final = (
    # How many of a scope's documents are entries: the rest are passages of files.
    "ALTER TABLE scope ADD COLUMN entries INTEGER NOT NULL DEFAULT 0 CHECK (entries >= 0)",
    # A finished or forgotten item keeps its id, so that a replay adds nothing, and loses its text.
    """CREATE TABLE inbox (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        scope_id INTEGER NOT NULL REFERENCES scope (id),
        source TEXT NOT NULL,
        session TEXT NOT NULL,
        message_id TEXT NOT NULL,
        text TEXT NOT NULL,
        digest TEXT NOT NULL,
        said_at TEXT,
        received_at TEXT NOT NULL,
        due_ms INTEGER NOT NULL,
        attempts INTEGER NOT NULL,
        keep_all INTEGER NOT NULL,
        state TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'done', 'dead', 'forgotten')),
        reason TEXT NOT NULL DEFAULT ''
    )""",
    "CREATE INDEX inbox_waiting ON inbox (number) WHERE state = 'waiting'",
    "CREATE INDEX inbox_dead ON inbox (number) WHERE state = 'dead'",
    """CREATE TABLE entry (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        scope_id INTEGER NOT NULL REFERENCES scope (id),
        text TEXT NOT NULL,
        digest TEXT NOT NULL,
        category TEXT NOT NULL,
        importance REAL NOT NULL,
        said_at TEXT,
        stored_at TEXT NOT NULL,
        time_ms INTEGER NOT NULL,
        origin TEXT NOT NULL,
        session TEXT NOT NULL,
        message_id TEXT NOT NULL,
        ordinal INTEGER NOT NULL,
        state TEXT NOT NULL CHECK (state IN ('live', 'superseded', 'forgotten')),
        superseded_by TEXT NOT NULL DEFAULT '',
        seen INTEGER NOT NULL,
        last_seen TEXT,
        length INTEGER NOT NULL,
        terms BLOB NOT NULL,
        synced INTEGER NOT NULL DEFAULT 0,
        has_vector INTEGER NOT NULL DEFAULT 0,
        revision INTEGER NOT NULL DEFAULT 0,
        state_before TEXT NOT NULL DEFAULT '',
        forgotten_in INTEGER,
        purge_at_ms INTEGER,
        CHECK (purge_at_ms IS NULL OR state = 'forgotten')
    )""",
    "CREATE INDEX entry_text ON entry (scope_id, digest) WHERE state = 'live'",
    "CREATE INDEX entry_time ON entry (scope_id, time_ms) WHERE state = 'live'",
    "CREATE INDEX entry_session ON entry (session, ordinal) WHERE session <> ''",
    "CREATE INDEX entry_chain ON entry (superseded_by) WHERE superseded_by <> ''",
    "CREATE INDEX entry_pending ON entry (number) WHERE synced = 0",
    "CREATE INDEX entry_synced ON entry (number) WHERE synced = 1 AND state = 'live'",
    "CREATE INDEX entry_purge ON entry (purge_at_ms) WHERE purge_at_ms IS NOT NULL",
    "CREATE INDEX entry_forgotten ON entry (forgotten_in) WHERE forgotten_in IS NOT NULL",
    """CREATE TABLE entry_link (
        entry_id TEXT NOT NULL,
        other_id TEXT NOT NULL,
        PRIMARY KEY (entry_id, other_id)
    ) WITHOUT ROWID""",
    # Only ever added to: what happened to which entry, without a word of its text.
    """CREATE TABLE journal_event (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        entry_id TEXT NOT NULL,
        what TEXT NOT NULL,
        other_id TEXT NOT NULL DEFAULT '',
        at_ms INTEGER NOT NULL
    )""",
    """CREATE TABLE identity_link (
        agent TEXT NOT NULL,
        anchor TEXT NOT NULL,
        name TEXT NOT NULL,
        PRIMARY KEY (agent, anchor)
    ) WITHOUT ROWID""",
)
"""Entries, the inbox and identity links; all statements of one migration."""
