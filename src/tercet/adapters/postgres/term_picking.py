"""Which rows a question reads to score them: every row that holds one of its terms, or the likelier ones first.

Where a reach is so big that a common word alone meets too many rows, those that hold a rare word are read
before those that hold common ones alone, since they score higher; as many as a question wants are filled up
from the others, of which only so many are looked at.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tercet.adapters.postgres.lexemes import to_tsquery
from tercet.adapters.postgres.statements import fetch, fetch_one

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tercet.adapters.postgres.database import Connection

COUNTED_HOLDERS = 2_000
"""Rows that hold a term are counted so far; a term that more hold is common."""
MOST_READ = 20_000
"""Rows that one pass over a big reach scores."""

_SET_LEXEMES = "SELECT set_config('app.lexemes', %(lexemes)s, true), set_config('enable_seqscan', 'off', true)"
"""Of lexemes it has no counts of the planner expects too much, and would read every tenant's row."""


@dataclass(frozen=True, slots=True)
class Pass:
    """One reading of ``passage_terms``."""

    lexemes: str
    """The query its rows meet."""
    least_holders: list[int]
    """Of each scored term, how many rows hold it at least; 0 where the rows read tell."""
    most_rows: int | None
    """Rows that are scored at most; None for all."""


def read_all(terms: Sequence[str], scored: int, marks: Sequence[str]) -> list[Pass]:
    """Return the one pass over every row that holds a term."""
    return [Pass(to_tsquery(terms, marks), [0] * scored, None)]


async def read_likelier_first(
    connection: Connection, terms: Sequence[str], scored: int, marks: Sequence[str]
) -> list[Pass]:
    """Return the passes over a big reach; the next one is made where those before found too few.

    Args:
        connection: In a transaction.
        terms: Of the question.
        scored: How many of them count for the order.
        marks: Of the scopes in reach.
    """
    holders = [await _holders(connection, term, marks) for term in terms[:scored]]
    rare = [term for term, count in zip(terms, holders, strict=False) if count <= COUNTED_HOLDERS]
    # Where none is rare, rows that hold all of them.
    first = to_tsquery(rare, marks) if rare else " & ".join(f"({to_tsquery([term], marks)})" for term in terms[:scored])
    return [Pass(lexemes, holders, MOST_READ) for lexemes in dict.fromkeys((first, to_tsquery(terms, marks)))]


async def see(connection: Connection, lexemes: str) -> None:
    """Let the rest of the transaction see the rows of ``passage_terms`` that meet a query."""
    await fetch(connection, _SET_LEXEMES, {"lexemes": lexemes})


async def _holders(connection: Connection, term: str, marks: Sequence[str]) -> int:
    """Return how many rows hold a term, counted no further than one more than makes it common."""
    await see(connection, to_tsquery([term], marks))
    (count,) = await fetch_one(
        connection,
        "SELECT count(*) FROM (SELECT FROM passage_terms LIMIT %(most)s) AS found",
        {"most": COUNTED_HOLDERS + 1},
    )
    return int(count)
