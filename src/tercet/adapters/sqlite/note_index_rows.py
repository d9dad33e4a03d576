"""Notes to rows and back."""

from __future__ import annotations

import json
from datetime import datetime
from typing import TYPE_CHECKING, Any

from tercet.adapters.ledger_times import unix_ms
from tercet.adapters.sqlite.note_index_format import scope_term
from tercet.model import Claim, Note, Scope, WikiLink

if TYPE_CHECKING:
    import sqlite3

    from tercet.ports.note_index import IndexedNote

SEPARATOR = "  "
"""Two spaces between terms, and one at either end, so that each term has its own pair of spaces
around it and ``str.count`` finds repeats."""


def put(connection: sqlite3.Connection, indexed: IndexedNote) -> None:
    """Write a note; the caller has taken out an older one of its path."""
    note, state = indexed.note, indexed.state
    at = note.updated or note.created
    cursor = connection.execute(
        """INSERT INTO note (path, anchor, size, mtime_ns, sha256, indexed_at_ns, type, timestamp_ms, dispute, names,
            title_length, aliases_length, tags_length, headings_length, body_length)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
        (
            note.path,
            note.scope.anchor,
            state.size,
            state.mtime_ns,
            state.sha256,
            state.indexed_at_ns,
            note.type,
            unix_ms(at) if at is not None else None,
            indexed.dispute,
            json.dumps(indexed.names, ensure_ascii=False),
            *map(len, indexed.terms),
        ),
    )
    number = cursor.lastrowid
    connection.execute("INSERT INTO note_content VALUES (?, ?, ?)", (number, _fields(note), indexed.text))
    connection.executemany("INSERT OR IGNORE INTO note_key VALUES (?, ?)", [(key, number) for key in indexed.keys])
    connection.execute(
        "INSERT INTO note_terms (rowid, title, aliases, tags, headings, body, scope) VALUES (?, ?, ?, ?, ?, ?, ?)",
        (number, *(f" {SEPARATOR.join(terms)} " for terms in indexed.terms), scope_term(note.scope.anchor)),
    )


def take_out(connection: sqlite3.Connection, path: str) -> None:
    """Delete the note of a path, if there is one."""
    row: tuple[int] | None = connection.execute("SELECT number FROM note WHERE path = ?", (path,)).fetchone()
    if row is not None:
        connection.execute("DELETE FROM note_terms WHERE rowid = ?", row)
        connection.execute("DELETE FROM note WHERE number = ?", row)


def note_from(agent: str, anchor: str, path: str, fields: str) -> Note:
    """Return the note of a row, without its body."""
    kept: dict[str, Any] = json.loads(fields)  # Any: made by ``_fields``
    return Note(
        id=kept["id"],
        title=kept["title"],
        type=kept["type"],
        path=path,
        scope=Scope(agent, anchor),
        body="",
        body_line=kept["body_line"],
        tags=tuple(kept["tags"]),
        aliases=tuple(kept["aliases"]),
        sources=tuple(kept["sources"]),
        claims=tuple(Claim(*claim) for claim in kept["claims"]),
        headings=tuple(kept["headings"]),
        links=tuple(WikiLink(*link) for link in kept["links"]),
        created=_moment(kept["created"]),
        updated=_moment(kept["updated"]),
        problems=tuple((line, problem) for line, problem in kept["problems"]),
    )


def _fields(note: Note) -> str:
    return json.dumps(
        {
            "id": note.id,
            "title": note.title,
            "type": note.type,
            "body_line": note.body_line,
            "tags": note.tags,
            "aliases": note.aliases,
            "sources": note.sources,
            "claims": [(claim.id, claim.text, claim.status, claim.confidence) for claim in note.claims],
            "headings": note.headings,
            "links": [(link.target, link.line, link.text, link.heading, link.is_embed) for link in note.links],
            "created": note.created.isoformat() if note.created else None,
            "updated": note.updated.isoformat() if note.updated else None,
            "problems": note.problems,
        },
        ensure_ascii=False,
    )


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None
