"""Which items matter and have not been looked at for long: salience = importance * staleness.

All factors lie in [0, 1]:

* importance = weight * (.5 + .15 * size + .15 * access frequency + .2 * query gap), where
    * weight is the kind's: topic .8, core .7, daily .4; an entry brings its own importance;
    * size = min(1, bytes / 4000) of a file, min(1, characters / 400) of an entry;
    * access frequency = min(1, accesses / 5), over the last ``ACCESS_DAYS`` days;
    * query gap = min(1, times / 3): how often, over the last ``GAP_DAYS`` days, a question was asked
      that found nothing good, this item being among its first three hits and holding a word of it;
* staleness = 1 - exp(-days unseen / 14), where seen is the later of the last change and the last
  access. An item that a weak answer named was not seen.

Source: the stand-alone skill ``enhanced-memory``, which scores files in the same way but for the
query gap: there an item bears on a question when it holds half of its terms. Here such an item is
found by its words and is no gap: of 21 questions answered weakly, on two sets, that rule named no
file with the answer and 2 without; the first three hits named 10 and 23.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from collections.abc import Set as AbstractSet
    from datetime import datetime

ItemKind = Literal["topic", "core", "daily", "entry"]

KIND_WEIGHTS: Final[Mapping[ItemKind, float]] = {"topic": 0.8, "core": 0.7, "daily": 0.4}
BASE, SIZE, FREQUENCY, GAP = 0.5, 0.15, 0.15, 0.2
FULL_FILE_BYTES = 4000
FULL_ENTRY_CHARACTERS = 400
FULL_ACCESSES = 5
FULL_GAPS = 3
STALE_DAYS = 14.0
ACCESS_DAYS = 90.0
GAP_DAYS = 30.0
GAP_HITS = 3
"""Of a weak answer, the first so many hits may have been meant."""
ORDER_DECIMALS = 4
"""Scores that agree so far count as equal: files written in one go differ by milliseconds."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question that found nothing good."""

    text: str
    terms: frozenset[str]
    times: int
    """How often it was asked, >= 1."""
    shown: frozenset[str]
    """Ids of the passages that were its first hits."""


@dataclass(frozen=True, slots=True)
class Item:
    """What is known of one file or entry."""

    ref: str
    """As ``read`` takes it."""
    name: str
    """What a sentence calls it: the path, or an entry's text."""
    kind: ItemKind
    weight: float
    """In [0, 1]: the kind's, or an entry's own importance."""
    size: int
    """Bytes of a file, characters of an entry."""
    changed_at: datetime
    accesses: int = 0
    accessed_at: datetime | None = None
    questions: tuple[Question, ...] = ()
    """Those it bears on."""


@dataclass(frozen=True, slots=True)
class Salient:
    """An item, and what its score is made of."""

    item: Item
    importance: float
    staleness: float
    days_unseen: float

    @property
    def score(self) -> float:
        """Importance * staleness, in [0, 1]."""
        return self.importance * self.staleness


def salience(item: Item, now: datetime) -> Salient:
    """Score one item; both times aware. A change or access after ``now`` counts as one right now."""
    seen = item.changed_at if item.accessed_at is None else max(item.changed_at, item.accessed_at)
    days = max(0.0, (now - seen) / timedelta(days=1))
    return Salient(item, importance(item), 1.0 - math.exp(-days / STALE_DAYS), days)


def importance(item: Item) -> float:
    """Return how much an item matters, in [0, 1]; the formula stands above."""
    full_size = FULL_ENTRY_CHARACTERS if item.kind == "entry" else FULL_FILE_BYTES
    gaps = sum(question.times for question in item.questions)
    return item.weight * (
        BASE
        + SIZE * min(1.0, item.size / full_size)
        + FREQUENCY * min(1.0, item.accesses / FULL_ACCESSES)
        + GAP * min(1.0, gaps / FULL_GAPS)
    )


def most_salient(items: Iterable[Item], now: datetime, top: int) -> list[Salient]:
    """Return up to ``top`` items, the most salient first; equal ones by importance, then the longest, then by ref."""
    return sorted((salience(item, now) for item in items), key=_order)[:top]


def _order(salient: Salient) -> tuple[float, float, int, str]:
    item = salient.item
    return -round(salient.score, ORDER_DECIMALS), -salient.importance, -item.size, item.ref


def bears_on(question: Question, held: AbstractSet[str]) -> bool:
    """Say whether an item that holds these terms, and was shown for a question, may have been meant by it."""
    return not question.terms.isdisjoint(held)
