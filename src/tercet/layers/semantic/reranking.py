"""A reranker's turn: time-boxed, and the fused order stands when it fails."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tercet.errors import PermanentError, TransientError
from tercet.ranking.reranking import reranked

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tercet.ports import Reranker
    from tercet.ranking.pipeline import RankedHit


@dataclass(frozen=True, slots=True)
class Reranking:
    """A reranker and how it is used."""

    reranker: Reranker
    depth: int = 30
    """How many of the best fused hits it reads, whatever the limit."""
    weight: float = 0.5
    """Of its number beside the fused relevance, in [0, 1]."""
    timeout_s: float = 3.0
    fault: str | None = None
    """Why it can never be asked (a wrong setting, with its mend); None when it can."""

    async def apply(self, query: str, hits: Sequence[RankedHit]) -> tuple[list[RankedHit], str | None]:
        """Return the hits in their new order, and why it is the old one (None when it is not)."""
        texts = [hit.row.passage.text for hit in hits[: self.depth]]
        try:
            async with asyncio.timeout(self.timeout_s):
                scores = await self.reranker.rerank(query, texts)
        except TimeoutError:
            return list(hits), f"{self.reranker.identity} did not answer within {self.timeout_s:g} s: fused order."
        except (TransientError, PermanentError) as error:
            # Trigger: the reranker is down or answers nonsense. Outcome: the fused order, said so.
            return list(hits), f"{error} Fused order."
        return reranked(hits, scores.tolist(), self.weight), None
