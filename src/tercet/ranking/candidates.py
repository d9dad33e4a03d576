"""The pool that is ranked: how large, from which legs, and which neighbours join it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tercet.ranking.sources import place_of, source_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tercet.model import Leg, Match, Row, TermStatistics
    from tercet.ranking.formula import Preset
    from tercet.ranking.query import QueryAnalysis


_VECTOR: frozenset[Leg] = frozenset({"vector"})
_KEYWORD: frozenset[Leg] = frozenset({"keyword"})
_BOTH = _VECTOR | _KEYWORD


class Candidate(NamedTuple):
    """A row to rank, and which legs found it at which rank (1 is best).

    A tuple, because hundreds are made for every query.
    """

    row: Row
    legs: frozenset[Leg]
    vector_rank: int | None = None
    keyword_rank: int | None = None


def candidate_count(preset: Preset, limit: int) -> int:
    """Return how many candidates each leg is asked for.

    The published rule is min(3 * limit, 50); a limit above the cap is honoured all the same (R6),
    and a preset with a fixed count does not look at the limit below it, so that the first results
    are the same for limit 1 and limit 50 (R5).
    """
    if preset.k_fixed:
        return max(preset.k_fixed, limit)
    return max(limit, min(preset.k_per_result * limit, preset.k_cap))


def keyword_leg_terms(analysis: QueryAnalysis, statistics: TermStatistics, at_most: int = 32) -> list[str]:
    """Return the terms for the keyword leg, rarest first; those nobody has come last."""
    found = statistics.document_frequency

    def rarity(numbered: tuple[int, str]) -> tuple[bool, int, int]:
        position, term = numbered
        return found.get(term, 0) == 0, found.get(term, 0), position

    return [term for _, term in sorted(enumerate(analysis.terms), key=rarity)[:at_most]]


def merge_legs(vector_matches: Sequence[Match], keyword_matches: Sequence[Match]) -> list[Candidate]:
    """Unite what the legs found by id, in id order; a passage of both legs stands once (R19)."""
    pool: dict[str, Candidate] = {}
    for rank, match in enumerate(vector_matches, start=1):
        pool.setdefault(match.row.passage.id, Candidate(match.row, _VECTOR, rank))
    for rank, match in enumerate(keyword_matches, start=1):
        key = match.row.passage.id
        known = pool.get(key)
        if known is None:
            pool[key] = Candidate(match.row, _KEYWORD, None, rank)
        elif known.keyword_rank is None:
            # The text leg's row may come without its vector; the other one then has it.
            row = known.row if known.row.vector is not None else match.row
            pool[key] = Candidate(row, _BOTH, known.vector_rank, rank)
    return [pool[key] for key in sorted(pool)]


def merge_pools(first: Sequence[Candidate], second: Sequence[Candidate]) -> list[Candidate]:
    """Unite two pools by id, in id order; the first one's ranks stand where both have some."""
    pool = {c.row.passage.id: c for c in second}
    for candidate in first:
        other = pool.get(candidate.row.passage.id)
        pool[candidate.row.passage.id] = (
            candidate if other is None else candidate._replace(legs=candidate.legs | other.legs)
        )
    return [pool[key] for key in sorted(pool)]


def neighbour_places(candidates: Sequence[Candidate], preset: Preset) -> list[str]:
    """Return places of the turns before and after the best candidates that are not in the pool.

    Best is by the better of a candidate's two ranks. Markdown has no turns: nothing is returned
    for it, nor when the preset weighs neighbours 0.
    """
    if not preset.weights["turn"].neighbour or not preset.neighbour_best:
        return []
    turns = [c for c in candidates if source_of(c.row.passage) == "turn"]
    have = {place_of(c.row.passage.session, c.row.passage.ordinal) for c in turns}
    turns.sort(key=lambda c: (_best_rank(c), c.row.passage.id))
    wanted: dict[str, None] = {}
    for candidate in turns[: preset.neighbour_best]:
        passage = candidate.row.passage
        for ordinal in (passage.ordinal - 1, passage.ordinal + 1):
            place = place_of(passage.session, ordinal)
            if ordinal >= 0 and place not in have:
                wanted[place] = None
    return list(wanted)


def with_dated(candidates: Sequence[Candidate], rows: Sequence[Row]) -> list[Candidate]:
    """Add passages of the days that the query names; they need not share a word with it."""
    return merge_pools(candidates, [Candidate(row, frozenset({"date"})) for row in rows])


def with_neighbours(candidates: Sequence[Candidate], rows: Sequence[Row]) -> list[Candidate]:
    """Add adjacent turns that were fetched by place; those already there stay as they are."""
    pool = {row.passage.id: Candidate(row, frozenset({"neighbour"})) for row in rows}
    pool.update((c.row.passage.id, c) for c in candidates)
    return [pool[key] for key in sorted(pool)]


def _best_rank(candidate: Candidate) -> int:
    ranks = [r for r in (candidate.vector_rank, candidate.keyword_rank) if r is not None]
    return min(ranks, default=1 << 30)
