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
from tercet.adapters.postgres.statements import fetch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tercet.adapters.postgres.conditions import Clause
    from tercet.adapters.postgres.store import PostgresStore
    from tercet.filters import Filter
    from tercet.model import Match

SCORED_TERMS = 64
"""Terms of a question that count for the order; further ones are still found by."""
COUNTED_ROWS = 20_000
"""Rows in reach that are counted for the statistics; of more, these many stand for all."""

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
    async with store.reading("search by term") as connection:
        space = await store.stored_space(connection)
        clause = compile_filter(where, store.tenant, space)
        if clause is None:
            return []
        marks = sorted({scope_mark(store.tenant, where.reach.agent, anchor) for anchor in where.reach.anchors})
        await fetch(
            connection,
            "SELECT set_config('app.lexemes', %(lexemes)s, true)",
            {"lexemes": to_tsquery(wanted, marks)},
        )
        scored = wanted[:SCORED_TERMS]
        queries = {f"q{number}": to_tsquery([term], marks) for number, term in enumerate(scored)}
        values: dict[str, object] = {"k": k, "marks": len(marks), "thresholds": _THRESHOLDS, "most": COUNTED_ROWS}
        found = await fetch(connection, _statement(clause, len(scored)), {**clause.values, **queries, **values})
    return matches_of(found)


def _statement(clause: Clause, terms: int) -> str:
    """Return the search for so many scored terms; ``t0``, ``t1`` ... are how often a passage holds each."""
    numbers = range(terms)
    counts = ", ".join(
        f"width_bucket(%(marks)s * ts_rank('{{1,1,1,1}}', t.lexemes, %(q{n})s::tsquery)::float8,"
        f" %(thresholds)s::float8[])::float8 AS t{n}"
        for n in numbers
    )
    idf = ", ".join(
        f"ln(1 + (max(s.rows) - count(*) FILTER (WHERE t{n} > 0) + 0.5) / (count(*) FILTER (WHERE t{n} > 0) + 0.5))"
        f" AS i{n}"
        for n in numbers
    )
    score = " + ".join(f"i{n} * t{n} * {_K1_PLUS_1} / (t{n} + norm)" for n in numbers)
    passages = "" if clause.is_reach_alone else " JOIN passages p ON p.tenant = t.tenant AND p.id = t.id"
    condition = "true" if clause.is_reach_alone else clause.text
    return (
        "WITH reach AS MATERIALIZED (SELECT count(*) AS rows, greatest(avg(length), 1)::float8 AS mean FROM"  # noqa: S608 - values are parameters
        f" (SELECT p.length FROM passages p WHERE {_REACH.format(table='p')} LIMIT %(most)s) AS counted),"
        f" hit AS MATERIALIZED (SELECT t.id, t.length, {counts} FROM passage_terms t{passages}"
        f" WHERE {_REACH.format(table='t')} AND {condition}),"
        " size AS MATERIALIZED (SELECT greatest((SELECT rows FROM reach), (SELECT count(*) FROM hit))::float8 AS rows),"
        f" idf AS MATERIALIZED (SELECT {idf} FROM hit CROSS JOIN size s),"
        f" normed AS (SELECT hit.*, {_K1} * ({1 - _B} + {_B} * hit.length / reach.mean) AS norm FROM hit, reach),"
        f" best AS MATERIALIZED (SELECT normed.id, {score} AS score FROM normed CROSS JOIN idf"
        " ORDER BY score DESC, id LIMIT %(k)s)"
        f" SELECT {SELECTED}, best.score FROM best JOIN passages p ON p.tenant = %(tenant)s AND p.id = best.id"
        f" {WITH_VECTOR} ORDER BY best.score DESC, best.id"
    )


_REACH = "{table}.tenant = %(tenant)s AND {table}.agent = %(agent)s AND {table}.anchor = ANY(%(anchors)s::text[])"
