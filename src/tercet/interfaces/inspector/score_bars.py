"""A score taken apart so that what is printed adds up to it: shares of signals, and the steps between."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tercet.interfaces.inspector.signal_words import SIGNAL_WORDS, STEP_WORDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tercet.model import Explanation, Hit, SignalPart

POINTS: Final = 1000
"""A score of 1; scores are printed in thousandths."""
MERGED: Final = "merge"
"""Step that no layer tells of: what the merging of layers did to a score."""
_SAME: Final = 1e-9


@dataclass(frozen=True, slots=True)
class Share:
    """What one signal adds to the score, or takes from it."""

    name: str
    words: str
    """What the signal tells; empty for one that is not known here."""
    value: float
    weight: float
    contribution: float
    """``weight * value``, before the steps."""
    points: int
    """Thousandths of the printed score; negative for a penalty. All of a bar's come to its score."""
    start: float
    """Left edge in the drawing, 0 to ``POINTS``."""
    length: float

    @property
    def tone(self) -> str:
        """The class that colours it: of its own for every known signal."""
        return f"tone-{self.name}" if self.name in SIGNAL_WORDS else "tone-unknown"

    @property
    def printed(self) -> str:
        """The share as it stands beside the bar."""
        return f"{self.points / POINTS:+.3f}"


@dataclass(frozen=True, slots=True)
class Step:
    """A factor between the sum of the signals and the score."""

    name: str
    words: str
    factor: float
    result: float
    """Of everything so far."""


@dataclass(frozen=True, slots=True)
class ScoreBar:
    """One score with all it is made of; without shares where its layer tells nothing."""

    score: float
    shares: tuple[Share, ...] = ()
    """In the order in which they are added, without signals that say nothing."""
    silent: tuple[str, ...] = ()
    """Names of the signals that were weighed and were 0."""
    total: float = 0.0
    """Of the contributions."""
    steps: tuple[Step, ...] = ()

    @property
    def printed(self) -> str:
        """The score as it is printed everywhere."""
        return f"{points_of(self.score) / POINTS:.3f}"

    @property
    def told(self) -> str:
        """The bar in one sentence, for who cannot see it."""
        parts = ", ".join(f"{share.name} {share.printed}" for share in self.shares)
        return f"Score {self.printed}: {parts}" if parts else f"Score {self.printed}"


def points_of(score: float) -> int:
    """Return a score in whole thousandths."""
    return math.floor(score * POINTS + 0.5)


def score_bar(hit: Hit) -> ScoreBar:
    """Return the parts of a hit's score.

    Every signal's share is its contribution times all factors, so that the shares come to the score.
    """
    explanation = hit.explanation
    if explanation is None:
        return ScoreBar(hit.score)
    total = math.fsum(part.contribution for part in explanation.parts)
    spoken = [part for part in explanation.parts if part.contribution]
    return ScoreBar(
        score=hit.score,
        shares=_shares(spoken, total, hit.score),
        silent=tuple(part.name for part in explanation.parts if not part.contribution),
        total=total,
        steps=_steps(explanation, total, hit.score),
    )


def _shares(parts: Sequence[SignalPart], total: float, score: float) -> tuple[Share, ...]:
    whole = score / total if total > 0 else 0.0
    exact = [part.contribution * whole for part in parts]
    points = _apportioned(exact, points_of(score)) if total > 0 else [0] * len(parts)
    gained = sum(share for share in exact if share > 0)
    drawn = POINTS / max(1.0, gained)
    # Penalties are drawn over the end of what they take away from, the last one leftmost.
    gains_end, penalties_start = 0.0, gained * drawn
    shares: list[Share] = []
    for part, share, count in zip(parts, exact, points, strict=True):
        length = abs(share) * drawn
        if share < 0:
            penalties_start = start = max(0.0, penalties_start - length)
        else:
            start, gains_end = gains_end, gains_end + length
        shares.append(
            Share(
                name=part.name,
                words=SIGNAL_WORDS.get(part.name, ""),
                value=part.value,
                weight=part.weight,
                contribution=part.contribution,
                points=count,
                start=round(start, 2),
                length=round(length, 2),
            )
        )
    return tuple(shares)


def _apportioned(exact: Sequence[float], points: int) -> list[int]:
    """Round shares to whole points that come to ``points``: the largest remainders are rounded up.

    Source: Hamilton's method of apportionment.
    """
    floors = [math.floor(share * POINTS) for share in exact]
    remainders = [share * POINTS - floor for share, floor in zip(exact, floors, strict=True)]
    order = sorted(range(len(exact)), key=lambda place: (-remainders[place], place))
    for place in order[: max(0, points - sum(floors))]:
        floors[place] += 1
    return floors


def _steps(explanation: Explanation, total: float, score: float) -> tuple[Step, ...]:
    steps: list[Step] = []
    so_far = total
    for name, factor in explanation.multipliers:
        so_far *= factor
        steps.append(Step(name, STEP_WORDS.get(name, ""), factor, so_far))
    if so_far > 0 and abs(so_far - score) > _SAME:
        steps.append(Step(MERGED, STEP_WORDS[MERGED], score / so_far, score))
    return tuple(steps)
