"""What a reranker's numbers do to an order: they may move a hit, never remove one."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from tercet.ranking.explain import fit, recompute
from tercet.ranking.importance import importance_factor

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tercet.ranking.pipeline import RankedHit

RERANK = "rerank"


def reranked(hits: Sequence[RankedHit], scores: Sequence[float], weight: float) -> list[RankedHit]:
    """Return the hits in the order of fused relevance and reranker together.

    The mix is ``(1 - weight) * relevance + weight * score``, then importance is blended in as
    everywhere else. Thresholds acted before: whatever a reranker says, nothing is cut by it (R15),
    and a passage that only one leg found is not pushed out of the list (R16).

    Args:
        hits: In fused order; those beyond ``scores`` keep their order below the reranked ones.
        scores: In [0, 1], one for each of the first hits; NaN counts as 0.
        weight: Of the reranker, in [0, 1]; 0 changes nothing.

    Returns:
        The same hits with score and explanation renewed, scores non-increasing.
    """
    if not scores or not weight:
        return list(hits)
    mixed = [
        (_mix(hit, score, weight), place, hit) for place, (hit, score) in enumerate(zip(hits, scores, strict=False))
    ]
    mixed.sort(key=lambda item: (-item[0], item[1]))
    result: list[RankedHit] = []
    top = 1.0
    for composite, _, hit in mixed:
        renewed = _renewed(hit, composite, top)
        top = renewed.score
        result.append(renewed)
    for hit in hits[len(scores) :]:
        renewed = _renewed(hit, hit.score, top)
        top = renewed.score
        result.append(renewed)
    return result


def _mix(hit: RankedHit, score: float, weight: float) -> float:
    sound = min(1.0, max(0.0, score)) if math.isfinite(score) else 0.0
    relevance = (1.0 - weight) * hit.relevance + weight * sound
    return relevance * importance_factor(hit.row.passage.importance)


def _renewed(hit: RankedHit, target: float, top: float) -> RankedHit:
    multipliers = fit(hit.parts, hit.multipliers, RERANK, target, top)
    before = tuple(m for m in multipliers if m[0] != "importance")
    return replace(
        hit,
        score=recompute(hit.parts, multipliers),
        relevance=min(1.0, recompute(hit.parts, before)),
        multipliers=multipliers,
    )
