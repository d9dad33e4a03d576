"""What was looked at, and what was asked in vain: for salience."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from tercet.model import Reach

AccessKind = Literal["search", "recall", "read"]


@dataclass(frozen=True, slots=True)
class Accesses:
    """How often one item was looked at, and when last."""

    count: int
    latest: datetime


@dataclass(frozen=True, slots=True)
class WeakQuery:
    """A query whose best hit was weak, and how often it was asked in the same words."""

    query: str
    times: int
    hit_ids: tuple[str, ...] = ()
    """What it found when it was asked last, best first."""


class AccessLog(Protocol):
    """Bounded record of which items answers showed; holds no text of them.

    An item is the id of an entry, ``root:path`` of a file, or a bare path where no root is known.
    """

    async def note(self, items: Sequence[str], kind: AccessKind, at: datetime) -> None:
        """Note one access of each item; a forgotten entry is skipped. Does not wait for the disk."""
        ...

    async def counts(self, since: datetime) -> Mapping[str, Accesses]:
        """Return the accesses from ``since`` on, by item."""
        ...

    async def weak_queries(self, reach: Reach, since: datetime, below: float) -> list[WeakQuery]:
        """Return the logged queries whose best score was below this, the one asked last first.

        Only those asked from within ``reach``: what another person asked is theirs. A query logged
        without its best score is not among them.
        """
        ...
