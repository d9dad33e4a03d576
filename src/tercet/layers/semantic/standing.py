"""Where a passage stands for a query in every step, or which rule left it out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tercet.layers.semantic.retrieval import Retrieval
    from tercet.model import Passage

RULES = {
    "limit": "it stands below the last hit that was asked for",
    "min_score": "its score is below the threshold",
    "zero": "no signal speaks for it",
    "duplicate": "it says the same as a passage that stands above it",
    "template": "it is of a family of empty templates whose best stands above it",
}
"""Rule of ``ranking`` to plain words."""
NOT_A_CANDIDATE = "neither leg has it among its best {count}"


@dataclass(frozen=True, slots=True)
class Standing:
    """One passage's way through one search."""

    passage: Passage
    vector_rank: int | None
    """In the vector leg, from 1; None when that leg did not find it (or did not run)."""
    vector_of: int
    """How many that leg found."""
    keyword_rank: int | None
    keyword_of: int
    fused_rank: int | None
    """After fusion, among all candidates; None when it is no candidate."""
    fused_of: int
    rank: int | None
    """Among the hits, after reranking; None when it is no hit."""
    score: float
    rule: str
    """Why it is no hit, in plain words; empty for a hit."""


def standings(passages: Sequence[Passage], found: Retrieval) -> list[Standing]:
    """Return the standing of each passage, in the order given."""
    ranking = found.ranking
    ranked = {hit.row.passage.id: hit for hit in ranking.hits}
    dropped = {each.id: each for each in ranking.dropped}
    legs_of_all = [
        *((hit.vector_rank, hit.keyword_rank) for hit in ranking.hits),
        *((each.vector_rank, each.keyword_rank) for each in ranking.dropped),
    ]
    vector_of = sum(vector is not None for vector, _ in legs_of_all)
    keyword_of = sum(keyword is not None for _, keyword in legs_of_all)
    places = {hit.row.passage.id: place for place, hit in enumerate(ranking.hits, start=1)}
    result: list[Standing] = []
    for passage in passages:
        hit, left_out = ranked.get(passage.id), dropped.get(passage.id)
        if hit is not None:
            legs, fused, score, rule = (hit.vector_rank, hit.keyword_rank), found.fused_rank(passage.id), hit.score, ""
        elif left_out is not None:
            legs, fused = (left_out.vector_rank, left_out.keyword_rank), left_out.position
            score, rule = left_out.score, RULES.get(left_out.rule, left_out.rule)
        else:
            legs, fused, score = (None, None), None, 0.0
            rule = NOT_A_CANDIDATE.format(count=found.asked_of_each_leg)
        result.append(
            Standing(
                passage,
                legs[0],
                vector_of,
                legs[1],
                keyword_of,
                fused,
                len(legs_of_all),
                places.get(passage.id),
                score,
                rule,
            )
        )
    return result
