"""What is in the two files, as migrations: an old file is brought up, a newer one is refused."""

from __future__ import annotations

from dataclasses import dataclass

from tercet.adapters.sqlite.access_schema import ACCESS_TABLES
from tercet.adapters.sqlite.capture_schema import CAPTURE_TABLES
from tercet.adapters.sqlite.session_windows_schema import WINDOW_TABLES


@dataclass(frozen=True, slots=True)
class StoreFormat:
    """The shape of one SQLite file."""

    what: str
    """How messages call it."""
    file_name: str
    application_id: int
    """Marks the file as ours (SQLite's ``application_id``)."""
    migrations: tuple[tuple[str, ...], ...]
    """Statements that lead from version n to n + 1; their number is the version (``user_version``)."""
    mend: str
    """What to do when the file is damaged."""


LEDGER = StoreFormat(
    what="ledger",
    file_name="ledger.sqlite",
    application_id=0x54435431,  # "TCT1"
    migrations=(
        (
            """CREATE TABLE scope (
                id INTEGER PRIMARY KEY,
                agent TEXT NOT NULL,
                anchor TEXT NOT NULL,
                documents INTEGER NOT NULL DEFAULT 0 CHECK (documents >= 0),
                total_length INTEGER NOT NULL DEFAULT 0 CHECK (total_length >= 0),
                UNIQUE (agent, anchor)
            )""",
            """CREATE TABLE term_count (
                scope_id INTEGER NOT NULL REFERENCES scope (id),
                term TEXT NOT NULL,
                documents INTEGER NOT NULL CHECK (documents > 0),
                PRIMARY KEY (scope_id, term)
            ) WITHOUT ROWID""",
            """CREATE TABLE root (
                label TEXT PRIMARY KEY,
                directory TEXT NOT NULL,
                scope_id INTEGER NOT NULL REFERENCES scope (id)
            ) WITHOUT ROWID""",
            # A file remembers the scope its terms were counted in, so that they are taken back there.
            """CREATE TABLE file (
                id INTEGER PRIMARY KEY,
                root TEXT NOT NULL REFERENCES root (label),
                path TEXT NOT NULL,
                scope_id INTEGER NOT NULL REFERENCES scope (id),
                size INTEGER NOT NULL,
                mtime_ns INTEGER NOT NULL,
                sha256 TEXT NOT NULL,
                indexed_at_ns INTEGER NOT NULL,
                warning TEXT NOT NULL,
                UNIQUE (root, path)
            )""",
            """CREATE TABLE passage (
                number INTEGER PRIMARY KEY,
                id TEXT NOT NULL UNIQUE,
                file_id INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
                ordinal INTEGER NOT NULL,
                has_vector INTEGER NOT NULL,
                length INTEGER NOT NULL,
                terms BLOB NOT NULL
            )""",
            "CREATE INDEX passage_of_file ON passage (file_id, ordinal, has_vector)",
            "CREATE INDEX passage_waiting ON passage (id) WHERE has_vector = 0",
            """CREATE TABLE announced (
                root TEXT NOT NULL REFERENCES root (label) ON DELETE CASCADE,
                path TEXT NOT NULL,
                PRIMARY KEY (root, path)
            ) WITHOUT ROWID""",
            # Grows with every change of files, so that an unchanged list need not be read again.
            "CREATE TABLE manifest_version (number INTEGER NOT NULL)",
            "INSERT INTO manifest_version VALUES (0)",
            "CREATE TABLE named_value (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
            """CREATE TABLE query_log (
                id INTEGER PRIMARY KEY AUTOINCREMENT,
                query TEXT NOT NULL,
                hit_ids TEXT NOT NULL,
                at_ms INTEGER NOT NULL
            )""",
        ),
        CAPTURE_TABLES,
        WINDOW_TABLES,
        ACCESS_TABLES,
    ),
    mend="restore it from a snapshot, or move it away and index again",
)

EMBEDDINGS = StoreFormat(
    what="embedding cache",
    file_name="embeddings.sqlite",
    application_id=0x54435432,  # "TCT2"
    migrations=(
        (
            "CREATE TABLE space (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)",
            """CREATE TABLE embedding (
                number INTEGER PRIMARY KEY AUTOINCREMENT,
                key TEXT NOT NULL,
                space_id INTEGER NOT NULL REFERENCES space (id),
                vector BLOB NOT NULL,
                UNIQUE (key, space_id)
            )""",
        ),
    ),
    mend="delete it, nothing is lost: the vectors are made again",
)
