"""Search by term: BM25 over what the question may see, in one statement.

The ranking computes BM25 anew from the candidates' terms. That it is BM25 here too, with the counts of
the same scopes, makes the candidates those that the ranking would choose.
"""

from __future__ import annotations

from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from tercet.adapters.passage_values import is_term
from tercet.adapters.postgres.conditions import compile_filter
from tercet.adapters.postgres.lexemes import MOST_COUNTED, scope_mark, to_tsquery
from tercet.adapters.postgres.reading import matches_of
from tercet.adapters.postgres.rows import SELECTED, WITH_VECTOR
from tercet.adapters.postgres.statements import fetch, fetch_one
from tercet.adapters.postgres.term_picking import read_all, read_likelier_first, see

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tercet.adapters.postgres.conditions import Clause
    from tercet.adapters.postgres.database import Connection
    from tercet.adapters.postgres.store import PostgresStore
    from tercet.filters import Filter
    from tercet.model import Match

SCORED_TERMS = 64
"""Terms of a question that count for the order; further ones are still found by."""
COUNTED_ROWS = 20_000
"""Rows in reach up to which every match is scored; of more, these many stand for all in the statistics."""

_K1_PLUS_1, _K1, _B = 2.2, 1.2, 0.75
"""The constants of the ranking (reference/storage.md 3.1)."""
_ZETA_2 = 1.64493406685
"""What the server's ``ts_rank`` divides the sum of 1/i**2 over a term's places by."""


def _places_by_rank() -> list[float]:
    """Return the least rank of a term that stands 1, 2, 3 ... times in a passage.

    With all weights 1 the rank of a single lexeme is (1 + 1/4 + 1/9 + ...) / zeta(2), one summand a place:
    it tells their number far cheaper than unpacking the lexemes does (34 against 114 ms for 5,000 matches).
    """
    ranks = [0.0, *(total / _ZETA_2 for total in accumulate(1 / place**2 for place in range(1, MOST_COUNTED + 1)))]
    return [(low + high) / 2 for low, high in pairwise(ranks)]


_THRESHOLDS = _places_by_rank()


async def text_topk(store: PostgresStore, terms: Sequence[str], k: int, where: Filter) -> list[Match]:
    """Return what ``Engine.text_topk`` promises, best score first, ties by id."""
    wanted = [term for term in dict.fromkeys(terms) if is_term(term)]
    if not wanted or k <= 0:
        return []
    scored = wanted[:SCORED_TERMS]
    async with store.reading("search by term") as connection:
        space = await store.stored_space(connection)
        clause = compile_filter(where, store.tenant, space)
        if clause is None:
            return []
        marks = sorted({scope_mark(store.tenant, where.reach.agent, anchor) for anchor in where.reach.anchors})
        rows, mean_length = await _reach_counts(connection, clause)
        if rows <= COUNTED_ROWS:
            passes = read_all(wanted, len(scored), marks)
        else:
            passes = await read_likelier_first(connection, wanted, len(scored), marks)
        values: dict[str, object] = {"k": k, "marks": len(marks), "thresholds": _THRESHOLDS}
        values |= {f"q{number}": to_tsquery([term], marks) for number, term in enumerate(scored)}
        values |= {**clause.values, "rows": rows, "mean": mean_length}
        statement = _statement(clause, len(scored))
        found: dict[str, Match] = {}
        for each in passes:
            await see(connection, each.lexemes)
            own = {"least": each.least_holders, "most_rows": each.most_rows}
            for match in matches_of(await fetch(connection, statement, {**values, **own})):
                found.setdefault(match.row.passage.id, match)
            if len(found) >= k:
                break
    return sorted(found.values(), key=lambda match: (-match.raw, match.row.passage.id))[:k]


async def _reach_counts(connection: Connection, clause: Clause) -> tuple[int, float]:
    """Return how many passages are in reach, whatever else the filter asks, and their mean length in terms."""
    rows, mean_length = await fetch_one(
        connection,
        "SELECT count(*), greatest(avg(length), 1)::float8 FROM"  # noqa: S608 - values are parameters
        f" (SELECT p.length FROM passages p WHERE {_REACH} LIMIT %(most)s) AS counted",
        {**clause.values, "most": COUNTED_ROWS + 1},
    )
    return int(rows), float(mean_length)


def _statement(clause: Clause, terms: int) -> str:
    """Return the search for so many scored terms; ``t0``, ``t1`` ... are how often a passage holds each."""
    numbers = range(terms)
    counts = ", ".join(
        f"width_bucket(%(marks)s * ts_rank('{{1,1,1,1}}', t.lexemes, %(q{n})s::tsquery)::float8,"
        f" %(thresholds)s::float8[])::float8 AS t{n}"
        for n in numbers
    )
    holders = ", ".join(
        f"greatest(count(*) FILTER (WHERE t{n} > 0), (%(least)s::bigint[])[{n + 1}])::float8 AS d{n}" for n in numbers
    )
    idf = ", ".join(f"ln(1 + (rows - d{n} + 0.5) / (d{n} + 0.5)) AS i{n}" for n in numbers)
    score = " + ".join(f"i{n} * t{n} * {_K1_PLUS_1} / (t{n} + norm)" for n in numbers)
    passages = "" if clause.is_reach_alone else " JOIN passages p ON p.id = t.id"
    condition = "true" if clause.is_reach_alone else clause.text
    return (
        f"WITH hit AS MATERIALIZED (SELECT t.id, {counts},"  # noqa: S608 - values are parameters
        f" {_K1} * ({1 - _B} + {_B} * t.length / %(mean)s::float8) AS norm FROM passage_terms t{passages}"
        f" WHERE {_OWN_LEXEMES} AND {condition} LIMIT %(most_rows)s::bigint),"
        f" holders AS MATERIALIZED (SELECT greatest(count(*), %(rows)s)::float8 AS rows, {holders} FROM hit),"
        f" idf AS MATERIALIZED (SELECT {idf} FROM holders),"
        f" best AS MATERIALIZED (SELECT hit.id, {score} AS score FROM hit CROSS JOIN idf"
        " ORDER BY score DESC, id LIMIT %(k)s)"
        f" SELECT {SELECTED}, best.score FROM best JOIN passages p ON p.tenant = %(tenant)s AND p.id = best.id"
        f" {WITH_VECTOR} ORDER BY best.score DESC, best.id"
    )


_REACH = "p.tenant = %(tenant)s AND p.agent = %(agent)s AND p.anchor = ANY(%(anchors)s::text[])"
_OWN_LEXEMES = "t.tenant || '' = %(tenant)s AND t.agent = %(agent)s AND t.anchor = ANY(%(anchors)s::text[])"
"""Written so that the index of the tenant is not read too: the marks before the lexemes tell tenants apart."""
