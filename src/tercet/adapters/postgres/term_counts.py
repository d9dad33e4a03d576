"""Per-scope document frequencies, document count and lengths, in the shared database."""

# ruff: noqa: S608 - only constants of this module are put between the words; every value is bound

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from tercet.errors import StoreFormatError
from tercet.model import Scope, TermStatistics

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tercet.adapters.postgres.database import Connection, Database
    from tercet.model import Reach

_COUNTED = (
    "(SELECT agent, anchor, length, terms FROM passage "
    "UNION ALL SELECT agent, anchor, length, terms FROM entry WHERE state = 'live')"
)
"""Everything the counts are over; of this module alone, so that it may stand within a statement."""


class PostgresTermCounts:
    """Counts for BM25 and idf; changed only by the manifest and the journal, within their transactions."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def statistics(self, reach: Reach, terms: Sequence[str]) -> TermStatistics:
        """Return counts summed over everything in reach; a term nobody has is absent."""
        where = {"agent": reach.agent, "anchors": list(reach.anchors), "terms": list(set(terms))}
        async with self._database.transaction("read term counts") as connection:
            # One statement, so that sums and terms are of one moment.
            found = await connection.execute(
                "SELECT '', coalesce(sum(documents), 0)::bigint, coalesce(sum(total_length), 0)::bigint FROM scope "
                "WHERE agent = %(agent)s AND anchor = ANY(%(anchors)s::text[]) "
                "UNION ALL SELECT term, sum(documents)::bigint, NULL FROM term_count "
                "WHERE agent = %(agent)s AND anchor = ANY(%(anchors)s::text[]) AND term = ANY(%(terms)s::text[]) "
                "GROUP BY term",
                where,
            )
            rows = await found.fetchall()
        ((documents, total_length),) = ((count, length) for _, count, length in rows if length is not None)
        return TermStatistics(documents, total_length, {term: count for term, count, length in rows if length is None})

    async def faults(self) -> list[str]:
        """Count everything again from passages and live entries and return one line for each scope that differs.

        Reads the whole ledger: for ``doctor``, not for every start.
        """
        async with self._database.transaction("check term counts") as connection:
            found = await connection.execute(
                f"WITH counted AS MATERIALIZED {_COUNTED}, "
                "sums AS (SELECT agent, anchor, count(*) AS documents, sum(length) AS total_length FROM counted "
                "GROUP BY agent, anchor), "
                "terms AS (SELECT agent, anchor, term, count(*) AS documents FROM counted, unnest(terms) AS term "
                "GROUP BY agent, anchor, term) "
                "SELECT agent, anchor FROM sums FULL JOIN scope USING (agent, anchor) "
                "WHERE (coalesce(sums.documents, 0), coalesce(sums.total_length, 0)) "
                "<> (coalesce(scope.documents, 0), coalesce(scope.total_length, 0)) "
                "UNION SELECT agent, anchor FROM terms FULL JOIN term_count USING (agent, anchor, term) "
                "WHERE terms.documents IS DISTINCT FROM term_count.documents "
                "ORDER BY agent, anchor"
            )
            rows = await found.fetchall()
        names = (f"{agent}/{anchor}" if anchor else f"{agent} (shared)" for agent, anchor in rows)
        return [f"The term counts of {name} differ from its passages." for name in names]


class CountDelta:
    """How the counts of some scopes change, gathered first so that opposite changes cost nothing."""

    def __init__(self) -> None:
        self._documents: Counter[Scope] = Counter()
        self._lengths: Counter[Scope] = Counter()
        self._terms: dict[Scope, Counter[str]] = {}

    def add(self, scope: Scope, documents: int, length: int, terms: Mapping[str, int]) -> None:
        """Count passages in: how many, their length in terms, and how many of them hold each term."""
        self._documents[scope] += documents
        self._lengths[scope] += length
        self._terms.setdefault(scope, Counter()).update(terms)

    def count_in(self, scope: Scope, length: int, terms: Iterable[str]) -> None:
        """Count one passage in: its length with repeats, and its terms without."""
        self.add(scope, 1, length, dict.fromkeys(terms, 1))

    def take_back(self, scope: Scope, length: int, terms: Iterable[str]) -> None:
        """Count one passage out, as it was counted in."""
        self._documents[scope] -= 1
        self._lengths[scope] -= length
        self._terms.setdefault(scope, Counter()).subtract(dict.fromkeys(terms, 1))

    async def apply(self, connection: Connection) -> None:
        """Write the changes, within the caller's transaction.

        The scopes are locked in order, and their terms after them: two that change the same counts
        take turns, and neither waits for the other with something in its hand.

        Raises:
            StoreFormatError: less was counted before than is taken back (permanent).
        """
        from psycopg.errors import CheckViolation

        try:
            await self._write(connection)
        except CheckViolation as error:
            msg = "The ledger's term counts are lower than its passages: run 'tercet index --rebuild' to count again."
            raise StoreFormatError(msg) from error

    async def _write(self, connection: Connection) -> None:
        await lock_scopes(connection, self._terms)
        for scope, counts in self._terms.items():
            await connection.execute(
                "UPDATE scope SET documents = documents + %s, total_length = total_length + %s "
                "WHERE agent = %s AND anchor = %s",
                (self._documents[scope], self._lengths[scope], scope.agent, scope.anchor),
            )
            await _add_terms(connection, scope, {term: n for term, n in counts.items() if n > 0})
            await _take_terms(connection, scope, {term: -n for term, n in counts.items() if n < 0})


async def lock_scopes(connection: Connection, scopes: Iterable[Scope]) -> None:
    """Make the rows of scopes that are new, and hold all of them until the transaction ends."""
    ordered = sorted({(scope.agent, scope.anchor) for scope in scopes})
    named = {"agents": [agent for agent, _ in ordered], "anchors": [anchor for _, anchor in ordered]}
    if not ordered:
        return
    await connection.execute(
        "INSERT INTO scope (agent, anchor) SELECT agent, anchor "
        "FROM unnest(%(agents)s::text[], %(anchors)s::text[]) AS named (agent, anchor) "
        "ORDER BY agent, anchor ON CONFLICT (tenant, agent, anchor) DO NOTHING",
        named,
    )
    await connection.execute(
        "SELECT FROM scope WHERE (agent, anchor) IN (SELECT * FROM unnest(%(agents)s::text[], %(anchors)s::text[])) "
        "ORDER BY agent, anchor FOR UPDATE",
        named,
    )


async def recount(connection: Connection) -> None:
    """Count every scope again from the passages and live entries that are there, within the caller's transaction.

    A scope that another transaction makes meanwhile is that one's to count.
    """
    held = await connection.execute("SELECT agent, anchor FROM scope ORDER BY agent, anchor FOR UPDATE")
    scopes = await held.fetchall()
    named = {"agents": [agent for agent, _ in scopes], "anchors": [anchor for _, anchor in scopes]}
    chosen = "(agent, anchor) IN (SELECT * FROM unnest(%(agents)s::text[], %(anchors)s::text[]))"
    await connection.execute(f"DELETE FROM term_count WHERE {chosen}", named)
    await connection.execute(
        "INSERT INTO term_count (agent, anchor, term, documents) "
        f"SELECT agent, anchor, term, count(*) FROM {_COUNTED} AS counted, unnest(terms) AS term "
        f"WHERE {chosen} GROUP BY agent, anchor, term",
        named,
    )
    await connection.execute(f"UPDATE scope SET documents = 0, total_length = 0 WHERE {chosen}", named)
    await connection.execute(
        "UPDATE scope SET documents = sums.documents, total_length = sums.total_length "
        "FROM (SELECT agent, anchor, count(*) AS documents, sum(length) AS total_length "
        f"FROM {_COUNTED} AS counted WHERE {chosen} GROUP BY agent, anchor) AS sums "
        "WHERE (scope.agent, scope.anchor) = (sums.agent, sums.anchor)",
        named,
    )


def distinct_terms(terms: Iterable[str]) -> list[str]:
    """Return the terms of one passage without repeats, sorted: what taking its counts back needs."""
    return sorted(set(terms))


async def _add_terms(connection: Connection, scope: Scope, counts: Mapping[str, int]) -> None:
    if counts:
        await connection.execute(
            "INSERT INTO term_count AS held (agent, anchor, term, documents) "
            "SELECT %(agent)s, %(anchor)s, term, documents "
            "FROM unnest(%(terms)s::text[], %(numbers)s::bigint[]) AS more (term, documents) ORDER BY term "
            "ON CONFLICT (tenant, agent, anchor, term) DO UPDATE SET documents = held.documents + excluded.documents",
            _named(scope, counts),
        )


async def _take_terms(connection: Connection, scope: Scope, counts: Mapping[str, int]) -> None:
    if counts:
        named = _named(scope, counts)
        await connection.execute(
            "UPDATE term_count SET documents = term_count.documents - fewer.documents "
            "FROM unnest(%(terms)s::text[], %(numbers)s::bigint[]) AS fewer (term, documents) "
            "WHERE agent = %(agent)s AND anchor = %(anchor)s AND term_count.term = fewer.term",
            named,
        )
        # The last holder of a term takes its row along: a forgotten word is nowhere any more.
        await connection.execute(
            "DELETE FROM term_count WHERE agent = %(agent)s AND anchor = %(anchor)s "
            "AND term = ANY(%(terms)s::text[]) AND documents = 0",
            named,
        )


def _named(scope: Scope, counts: Mapping[str, int]) -> dict[str, object]:
    return {
        "agent": scope.agent,
        "anchor": scope.anchor,
        "terms": list(counts),
        "numbers": list(counts.values()),
    }
