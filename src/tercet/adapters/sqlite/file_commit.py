"""The one transaction that records files as finished: files, passages and counts move together."""

from __future__ import annotations

import sqlite3
from collections import Counter
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from tercet.adapters.sqlite.connection import as_list
from tercet.adapters.sqlite.term_counts import CountDelta, pack_terms, scope_number
from tercet.errors import InvalidInputError, NotFoundError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tercet.model import Scope
    from tercet.ports.ledger import FileRecord, PassageRecord


@dataclass(frozen=True, slots=True)
class _PackedPassage:
    id: str
    has_vector: bool
    length: int
    terms: bytes


@dataclass(frozen=True, slots=True)
class PreparedFiles:
    """Files ready to be written, with what they add to the counts of their scope."""

    files: tuple[tuple[FileRecord, tuple[_PackedPassage, ...]], ...]
    documents: int
    length: int
    terms: Mapping[str, int]
    """How many of the passages hold each term."""


def prepare(root: str, written: Mapping[str, tuple[FileRecord, Sequence[PassageRecord]]]) -> PreparedFiles:
    """Check and pack files, without a database.

    Raises:
        InvalidInputError: a passage id is there twice, or a record names another root or path.
    """
    seen: dict[str, str] = {}
    for path, (record, passages) in written.items():
        if (record.root, record.path) != (root, path):
            msg = f"The record of {root}:{path} names {record.root}:{record.path}: nothing was recorded."
            raise InvalidInputError(msg)
        for passage in passages:
            if passage.id in seen:
                raise _twice(passage.id, f"{root}:{seen[passage.id]}", f"{root}:{path}")
            seen[passage.id] = path
    files = tuple((record, tuple(map(_pack, passages))) for record, passages in written.values())
    every = [passage for _, passages in written.values() for passage in passages]
    return PreparedFiles(
        files=files,
        documents=len(every),
        length=sum(len(passage.terms) for passage in every),
        terms=Counter(chain.from_iterable(set(passage.terms) for passage in every)),
    )


def commit(
    connection: sqlite3.Connection, root: str, scope: Scope, prepared: PreparedFiles, removed: tuple[str, ...]
) -> None:
    """Replace the files' former state by the prepared one; the caller holds the transaction.

    Raises:
        InvalidInputError: a passage id belongs to another file.
        NotFoundError: no such root.
    """
    require_root(connection, root)
    paths = tuple(dict.fromkeys(chain((record.path for record, _ in prepared.files), removed)))
    delta = CountDelta()
    _take_out(connection, root, paths, delta)
    scope_id = scope_number(connection, scope)
    for record, passages in prepared.files:
        _insert(connection, scope_id, record, passages)
    delta.add(scope_id, prepared.documents, prepared.length, prepared.terms)
    delta.apply(connection)
    connection.executemany("DELETE FROM announced WHERE root = ? AND path = ?", [(root, path) for path in paths])
    bump_version(connection)


def require_root(connection: sqlite3.Connection, root: str) -> None:
    """Raise NotFoundError unless a folder has this label."""
    if connection.execute("SELECT 1 FROM root WHERE label = ?", (root,)).fetchone() is None:
        msg = f"No indexed folder is called {root!r}: add it first."
        raise NotFoundError(msg)


def bump_version(connection: sqlite3.Connection) -> None:
    """Note that the files of some root changed."""
    connection.execute("UPDATE manifest_version SET number = number + 1")


def _pack(passage: PassageRecord) -> _PackedPassage:
    return _PackedPassage(passage.id, passage.has_vector, len(passage.terms), pack_terms(passage.terms))


def _take_out(connection: sqlite3.Connection, root: str, paths: tuple[str, ...], delta: CountDelta) -> None:
    which = (root, as_list(paths))
    for scope_id, length, terms in connection.execute(
        "SELECT file.scope_id, length, terms FROM file JOIN passage ON file_id = file.id "
        "WHERE root = ? AND path IN (SELECT value FROM json_each(?))",
        which,
    ):
        delta.take_back(scope_id, length, terms)
    connection.execute("DELETE FROM file WHERE root = ? AND path IN (SELECT value FROM json_each(?))", which)


def _insert(
    connection: sqlite3.Connection, scope_id: int, record: FileRecord, passages: tuple[_PackedPassage, ...]
) -> None:
    file_id = connection.execute(
        "INSERT INTO file (root, path, scope_id, size, mtime_ns, sha256, indexed_at_ns, warning) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            record.root,
            record.path,
            scope_id,
            record.size,
            record.mtime_ns,
            record.sha256,
            record.indexed_at_ns,
            record.warning,
        ),
    ).lastrowid
    try:
        connection.executemany(
            "INSERT INTO passage (id, file_id, ordinal, has_vector, length, terms) VALUES (?, ?, ?, ?, ?, ?)",
            [(p.id, file_id, ordinal, p.has_vector, p.length, p.terms) for ordinal, p in enumerate(passages)],
        )
    except sqlite3.IntegrityError as error:
        for passage in passages:
            held = connection.execute(
                "SELECT root, path FROM file JOIN passage ON file_id = file.id WHERE passage.id = ? AND file_id <> ?",
                (passage.id, file_id),
            ).fetchone()
            if held is not None:
                raise _twice(passage.id, f"{held[0]}:{held[1]}", f"{record.root}:{record.path}") from error
        raise


def _twice(passage_id: str, first: str, second: str) -> InvalidInputError:
    return InvalidInputError(
        f"The passage id {passage_id!r} comes from {first} and from {second}: ids must be unique; nothing was recorded."
    )
