"""The tables of an index of notes, and how a query becomes an FTS5 expression."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Final

from tercet.adapters.sqlite.schema import StoreFormat
from tercet.ports.note_index import NOTE_FIELDS

if TYPE_CHECKING:
    from collections.abc import Iterable

_TERM_LETTERS: Final = "!#$%&*+,-./:;<=>?@[]^_`{|}~\\"
"""Besides letters, digits and all beyond ASCII: with these FTS5's ``ascii`` tokenizer cuts terms at
white space alone, where ``text/terms.py`` has cut them already."""

_FIELD_WEIGHTS: Final = (5.0, 4.0, 2.0, 2.0, 1.0)
"""Of ``NOTE_FIELDS`` where FTS5 picks candidates; their order is made anew by ``ranking``."""

TABLES: Final = (
    """CREATE TABLE note (
        number INTEGER PRIMARY KEY,
        path TEXT NOT NULL UNIQUE,
        anchor TEXT NOT NULL,
        size INTEGER NOT NULL,
        mtime_ns INTEGER NOT NULL,
        sha256 TEXT NOT NULL,
        indexed_at_ns INTEGER NOT NULL,
        type TEXT NOT NULL,
        timestamp_ms INTEGER,
        dispute REAL NOT NULL,
        names TEXT NOT NULL,
        title_length INTEGER NOT NULL,
        aliases_length INTEGER NOT NULL,
        tags_length INTEGER NOT NULL,
        headings_length INTEGER NOT NULL,
        body_length INTEGER NOT NULL
    )""",
    # Covers the sums of a scope: the rows themselves are not read for them.
    """CREATE INDEX note_of_scope ON note
        (anchor, title_length, aliases_length, tags_length, headings_length, body_length)""",
    # Apart, so that no search turns the pages of texts it does not show.
    """CREATE TABLE note_content (
        number INTEGER PRIMARY KEY REFERENCES note (number) ON DELETE CASCADE,
        fields TEXT NOT NULL,
        text TEXT NOT NULL
    )""",
    """CREATE TABLE note_key (
        key TEXT NOT NULL,
        number INTEGER NOT NULL REFERENCES note (number) ON DELETE CASCADE,
        PRIMARY KEY (key, number)
    ) WITHOUT ROWID""",
    "CREATE INDEX key_of_note ON note_key (number)",
    f"""CREATE VIRTUAL TABLE note_terms USING fts5
        ({", ".join(NOTE_FIELDS)}, scope, tokenize = "ascii tokenchars '{_TERM_LETTERS}''""'")""",
    "CREATE VIRTUAL TABLE note_vocabulary USING fts5vocab (note_terms, row)",
    # Grows with every change, so that an unchanged list need not be read again.
    "CREATE TABLE index_version (number INTEGER NOT NULL)",
    "INSERT INTO index_version VALUES (0)",
)

TABLE_NAMES: Final = ("note_vocabulary", "note_terms", "note_key", "note_content", "note", "index_version")
"""What ``TABLES`` makes, in the order in which it can be dropped."""


def note_index_format(agent: str) -> StoreFormat:
    """Return the format of an agent's file.

    It has one migration for ever: a change of tables is a change of the recipe, which makes them anew.
    """
    return StoreFormat(
        what="index of notes",
        file_name=f"wiki-{agent}.sqlite",
        application_id=0x54435433,  # "TCT3"
        migrations=(("CREATE TABLE named_value (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID", *TABLES),),
        mend="delete it, nothing is lost: it is made again from the notes",
    )


RANK: Final = f"bm25(note_terms, {', '.join(map(str, _FIELD_WEIGHTS))}, 0.0)"


def any_of(terms: Iterable[str]) -> str:
    """Return the expression that finds notes with any of the terms in any field."""
    return f"{{{' '.join(NOTE_FIELDS)}}} : ({' OR '.join(map(_quoted, terms))})"


def within(anchors: Iterable[str], expression: str) -> str:
    """Return the expression for the notes of these anchors alone."""
    return f"(scope : ({' OR '.join(_quoted(scope_term(anchor)) for anchor in anchors)})) AND ({expression})"


def scope_term(anchor: str) -> str:
    """Return the one term that stands in the scope column of an anchor's notes."""
    return f"s{hashlib.sha256(anchor.encode()).hexdigest()[:32]}"


def _quoted(term: str) -> str:
    return '"' + term.replace('"', '""') + '"'
