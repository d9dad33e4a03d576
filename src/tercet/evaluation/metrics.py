"""MRR, nDCG, recall and hit rate of judged hits, each in [0, 1].

For answers named by id these are the measures of the same name in ir_measures (RR@k, nDCG@k, R@k,
Success@k); a test holds both equal.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tercet.evaluation.judgement import Judged


def metric_names(k: int) -> tuple[str, ...]:
    """Return the names of the measures taken when ``k`` hits count."""
    names = (f"mrr@{k}", f"ndcg@{k}", "recall@5", f"recall@{k}", "hit@1", "hit@5", f"hit@{k}")
    return tuple(dict.fromkeys(names))


def measure(judged: Judged, name: str) -> float:
    """Return one measure of one question by its name (``mrr@10``)."""
    kind, _, depth = name.partition("@")
    return _MEASURES[kind](judged, int(depth))


def reciprocal_rank(judged: Judged, k: int) -> float:
    """Return 1 / rank of the first right hit among the first k; 0 when there is none."""
    return next((1.0 / rank for rank, right in enumerate(judged.right[:k], start=1) if right), 0.0)


def ndcg(judged: Judged, k: int) -> float:
    """Return the discounted gain over that of an ideal order, with binary relevance.

    A hit that repeats an answer gains nothing; one that holds several answers at once could gain
    more than the ideal, which has one a rank, and is cut to it.
    """
    found = _discounted(judged.gains[:k])
    return min(1.0, found / _discounted([1] * min(judged.gold, k)))


def recall(judged: Judged, k: int) -> float:
    """Return the share of the gold answers that the first k hits hold, each counted once."""
    return sum(judged.gains[:k]) / judged.gold


def hit_rate(judged: Judged, k: int) -> float:
    """Return 1 when any of the first k hits is right."""
    return float(any(judged.right[:k]))


def _discounted(gains: Sequence[int]) -> float:
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, start=1))


_MEASURES: dict[str, Callable[[Judged, int], float]] = {
    "mrr": reciprocal_rank,
    "ndcg": ndcg,
    "recall": recall,
    "hit": hit_rate,
}
