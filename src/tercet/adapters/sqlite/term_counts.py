"""Per-scope document frequencies, document count and lengths."""

from __future__ import annotations

import json
import zlib
from collections import Counter
from typing import TYPE_CHECKING

from tercet.adapters.sqlite.connection import as_list
from tercet.model import TermStatistics

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Mapping, Sequence

    from tercet.adapters.sqlite.connection import Database
    from tercet.model import Reach, Scope


class SqliteTermCounts:
    """Counts for BM25 and idf; changed only by the manifest and the journal, within their transactions."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def statistics(self, reach: Reach, terms: Sequence[str]) -> TermStatistics:
        """Return counts summed over everything in reach; a term nobody has is absent."""
        return await self._database.read(_statistics, reach, tuple(terms))

    async def faults(self) -> list[str]:
        """Count everything again from passages and live entries and return one line for each scope that differs.

        Reads the whole ledger: for ``doctor``, not for every start.
        """
        return await self._database.read(_faults)


def pack_terms(terms: Iterable[str]) -> bytes:
    """Return the distinct terms of one passage, compact: what taking its counts back needs."""
    return zlib.compress(json.dumps(sorted(set(terms)), ensure_ascii=False, separators=(",", ":")).encode(), 1)


def unpack_terms(packed: bytes) -> list[str]:
    """Return what ``pack_terms`` was given, distinct and sorted."""
    terms: list[str] = json.loads(zlib.decompress(packed))
    return terms


class CountDelta:
    """How the counts of some scopes change, gathered first so that opposite changes cost nothing."""

    def __init__(self) -> None:
        self._documents: Counter[int] = Counter()
        self._lengths: Counter[int] = Counter()
        self._terms: dict[int, Counter[str]] = {}

    def add(self, scope_id: int, documents: int, length: int, terms: Mapping[str, int]) -> None:
        """Count passages in: how many, their length in terms, and how many of them hold each term."""
        self._documents[scope_id] += documents
        self._lengths[scope_id] += length
        self._terms.setdefault(scope_id, Counter()).update(terms)

    def count_in(self, scope_id: int, length: int, packed_terms: bytes) -> None:
        """Count one passage in."""
        self.add(scope_id, 1, length, dict.fromkeys(unpack_terms(packed_terms), 1))

    def take_back(self, scope_id: int, length: int, packed_terms: bytes) -> None:
        """Count one passage out."""
        self._documents[scope_id] -= 1
        self._lengths[scope_id] -= length
        self._terms.setdefault(scope_id, Counter()).subtract(unpack_terms(packed_terms))

    def left_over(self) -> list[int]:
        """Return the scopes for which the changes do not cancel out."""
        return [
            number
            for number, terms in self._terms.items()
            if self._documents[number] or self._lengths[number] or any(terms.values())
        ]

    def apply(self, connection: sqlite3.Connection) -> None:
        """Write the changes; the caller holds the transaction."""
        connection.executemany(
            "UPDATE scope SET documents = documents + ?, total_length = total_length + ? WHERE id = ?",
            [(self._documents[scope_id], self._lengths[scope_id], scope_id) for scope_id in self._terms],
        )
        for scope_id, counts in self._terms.items():
            # Sorted as the table is, so that its pages are each visited once.
            ordered = sorted(counts.items())
            more = [(scope_id, term, change) for term, change in ordered if change > 0]
            fewer = [(-change, scope_id, term) for term, change in ordered if change < 0]
            connection.executemany(
                "INSERT INTO term_count VALUES (?, ?, ?) "
                "ON CONFLICT DO UPDATE SET documents = documents + excluded.documents",
                more,
            )
            # The last holder of a term takes its row along: a forgotten word is nowhere any more.
            connection.executemany("DELETE FROM term_count WHERE documents = ? AND scope_id = ? AND term = ?", fewer)
            connection.executemany(
                "UPDATE term_count SET documents = documents - ? WHERE scope_id = ? AND term = ?", fewer
            )


def scope_number(connection: sqlite3.Connection, scope: Scope) -> int:
    """Return the row number of a scope, made when it is new."""
    connection.execute(
        "INSERT INTO scope (agent, anchor) VALUES (?, ?) ON CONFLICT DO NOTHING", (scope.agent, scope.anchor)
    )
    number: int
    (number,) = connection.execute(
        "SELECT id FROM scope WHERE agent = ? AND anchor = ?", (scope.agent, scope.anchor)
    ).fetchone()
    return number


def forget_counts(connection: sqlite3.Connection) -> None:
    """Set the counts of files to nothing: what is left is that of the live entries."""
    connection.execute("DELETE FROM term_count")
    connection.execute("UPDATE scope SET documents = 0, total_length = 0")
    delta = CountDelta()
    for scope_id, length, terms in connection.execute(
        "SELECT scope_id, length, terms FROM entry WHERE state = 'live'"
    ).fetchall():
        delta.count_in(scope_id, length, terms)
    delta.apply(connection)


def _statistics(connection: sqlite3.Connection, reach: Reach, terms: tuple[str, ...]) -> TermStatistics:
    anchors = as_list(reach.anchors)
    documents, total_length = connection.execute(
        "SELECT coalesce(sum(documents), 0), coalesce(sum(total_length), 0) FROM scope "
        "WHERE agent = ? AND anchor IN (SELECT value FROM json_each(?))",
        (reach.agent, anchors),
    ).fetchone()
    frequency = dict(
        connection.execute(
            "SELECT term, sum(documents) FROM term_count WHERE scope_id IN "
            "(SELECT id FROM scope WHERE agent = ? AND anchor IN (SELECT value FROM json_each(?))) "
            "AND term IN (SELECT value FROM json_each(?)) GROUP BY term",
            (reach.agent, anchors, as_list(terms)),
        )
    )
    return TermStatistics(documents, total_length, frequency)


def _faults(connection: sqlite3.Connection) -> list[str]:
    counted = CountDelta()
    names: dict[int, str] = {}
    for number, agent, anchor, documents, length in connection.execute(
        "SELECT id, agent, anchor, documents, total_length FROM scope ORDER BY agent, anchor"
    ):
        names[number] = f"{agent}/{anchor}" if anchor else f"{agent} (shared)"
        terms = dict(connection.execute("SELECT term, documents FROM term_count WHERE scope_id = ?", (number,)))
        counted.add(number, documents, length, terms)
    for number, length, terms in connection.execute(
        "SELECT file.scope_id, passage.length, passage.terms FROM passage JOIN file ON file.id = passage.file_id "
        "UNION ALL SELECT scope_id, length, terms FROM entry WHERE state = 'live'"
    ):
        counted.take_back(number, length, terms)
    return [f"The term counts of {names[number]} differ from its passages." for number in counted.left_over()]
