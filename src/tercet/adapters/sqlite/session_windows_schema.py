"""The tables of session windows: what leads a ledger of version 2 to version 3."""

from __future__ import annotations

from typing import Final

WINDOW_TABLES: Final = (
    # Its counters are sums over its messages, kept so that all sessions are looked at without reading theirs.
    """CREATE TABLE session_window (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        scope_id INTEGER NOT NULL REFERENCES scope (id),
        session TEXT NOT NULL,
        last_number INTEGER NOT NULL DEFAULT 0,
        extracted_to INTEGER NOT NULL DEFAULT 0,
        tokens INTEGER NOT NULL DEFAULT 0,
        tool_calls INTEGER NOT NULL DEFAULT 0,
        turns INTEGER NOT NULL DEFAULT 0,
        messages INTEGER NOT NULL DEFAULT 0,
        kept_tokens INTEGER NOT NULL DEFAULT 0,
        kept_bytes INTEGER NOT NULL DEFAULT 0,
        ended INTEGER NOT NULL DEFAULT 0,
        claim INTEGER NOT NULL DEFAULT 0,
        lease_ms INTEGER NOT NULL DEFAULT 0,
        attempts INTEGER NOT NULL DEFAULT 0,
        retry_at TEXT,
        reason TEXT NOT NULL DEFAULT '',
        extracted_at TEXT,
        UNIQUE (scope_id, session)
    )""",
    """CREATE TABLE window_message (
        window_id INTEGER NOT NULL REFERENCES session_window (id) ON DELETE CASCADE,
        number INTEGER NOT NULL,
        key TEXT NOT NULL UNIQUE,
        role TEXT NOT NULL CHECK (role IN ('user', 'assistant', 'tool')),
        tokens INTEGER NOT NULL,
        bytes INTEGER NOT NULL,
        begins_turn INTEGER NOT NULL,
        message_id TEXT NOT NULL,
        said_at TEXT,
        digest TEXT NOT NULL,
        text TEXT NOT NULL,
        PRIMARY KEY (window_id, number)
    )""",
    # A message that left the window keeps its key, so that a replay adds nothing.
    "CREATE TABLE window_key (key TEXT PRIMARY KEY) WITHOUT ROWID",
    # What the extractions of whole sessions gave: from which messages, and about which topic.
    """CREATE TABLE session_fact (
        entry_id TEXT NOT NULL,
        topic TEXT NOT NULL,
        title TEXT NOT NULL,
        scope_id INTEGER NOT NULL REFERENCES scope (id),
        extraction TEXT NOT NULL,
        evidence TEXT NOT NULL,
        sources TEXT NOT NULL,
        noted INTEGER NOT NULL DEFAULT 0,
        PRIMARY KEY (entry_id, topic)
    ) WITHOUT ROWID""",
    "CREATE INDEX session_fact_new ON session_fact (scope_id, topic) WHERE noted = 0 AND topic <> ''",
)
"""Windows, their messages, and the facts of sessions; all statements of one migration."""
