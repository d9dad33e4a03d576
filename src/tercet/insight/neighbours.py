"""Which items lie near each other: asks the engine for the neighbours of each item's representatives.

An item is asked about again only when it changed, when one of its neighbours changed or left, or when
a changed passage comes within its reach; what is left out would answer the same.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tercet.filters import Filter, HasVector
from tercet.insight.graph import Evidence
from tercet.insight.items import digest_of, informativeness, representatives

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from tercet.insight.items import Item
    from tercet.model import Reach, Row
    from tercet.ports import Engine
    from tercet.ranking.calibration import BackgroundCosines

THRESHOLD: Final = 0.75
"""Cosine from which two items are linked, in the space of the builtin model."""
NEIGHBOURS: Final = 10
"""Passages of others that one representative is linked to, at most."""
MOST_ALIKE: Final = 0.99
_AT_ONCE: Final = 8
_SLACK: Final = 1e-4
"""Distances of the engine and cosines made here may differ by rounding; the nearer call asks again."""


@dataclass(frozen=True, slots=True)
class Near:
    """What the engine answered for one representative."""

    line: int
    """Where the representative begins."""
    reach: float
    """Cosine from which a passage would be among its neighbours."""
    found: tuple[tuple[str, int, float], ...]
    """(ref, line, cosine) of passages of others, nearest first."""


@dataclass(frozen=True, slots=True)
class Known:
    """An item as the last build saw it."""

    digest: str
    near: tuple[Near, ...]

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Known:
        """Read what ``dataclasses.asdict`` made of one; KeyError or TypeError for something else."""
        near = (Near(n["line"], n["reach"], tuple((r, line, c) for r, line, c in n["found"])) for n in value["near"])
        return cls(value["digest"], tuple(near))


def threshold_in(builtin: BackgroundCosines, measured: BackgroundCosines | None) -> float:
    """Return the cosine that is as far above a space's background as ``THRESHOLD`` is above the builtin's.

    Distance is in standard deviations: mean + z * std. Rounded, so that a background measured anew
    over nearly the same passages does not ask about all of them again.

    Args:
        builtin: Of the builtin model.
        measured: Of the space at hand; None for the builtin model's, or when too little is there.
    """
    if measured is None:
        return THRESHOLD
    z = (THRESHOLD - builtin.mean) / builtin.std
    return round(min(measured.mean + z * measured.std, MOST_ALIKE), 2)


async def find_neighbours(
    engine: Engine, reach: Reach, items: Sequence[Item], before: Mapping[str, Known], threshold: float
) -> tuple[dict[str, Known], int]:
    """Return every item's neighbours, and how many items were asked about.

    Args:
        engine: Open; with the items' rows.
        reach: What may be seen.
        items: All there is in reach.
        before: By ref, of a build with the same reach, space and threshold; empty asks about all.
        threshold: Cosine in [-1, 1].
    """
    idf = informativeness(items)
    chosen = {item.ref: representatives(item, idf) for item in items}
    digests = {item.ref: digest_of(item, chosen[item.ref]) for item in items}
    asked = _to_ask(items, chosen, digests, before)
    owners = {row.passage.id: item.ref for item in items for row in item.rows}
    known = {item.ref: before[item.ref] for item in items if item.ref not in asked}
    asking = _Asking(engine, Filter(reach, (HasVector(),)), owners, threshold)
    for item in items:
        if item.ref in asked:
            rows = chosen[item.ref]
            near: list[Near] = []
            for start in range(0, len(rows), _AT_ONCE):
                batch = rows[start : start + _AT_ONCE]
                near += await asyncio.gather(*(asking.near(row, item) for row in batch))
            known[item.ref] = Known(digests[item.ref], tuple(near))
    return {item.ref: known[item.ref] for item in items}, len(asked)


def similar(known: Mapping[str, Known]) -> Iterator[tuple[str, str, Evidence]]:
    """Return a link for every neighbour that was found."""
    for ref, item in known.items():
        for near in item.near:
            for other, line, cosine in near.found:
                yield ref, other, Evidence("similar", cosine, one_line=near.line, two_line=line)


@dataclass(frozen=True, slots=True)
class _Asking:
    engine: Engine
    where: Filter
    owners: Mapping[str, str]
    threshold: float

    async def near(self, row: Row, item: Item) -> Near:
        """Ask for the passages of others that are nearest to one of an item's."""
        if row.vector is None:
            return Near(row.passage.start_line, 1.0, ())
        # The item's own passages come first and are no neighbours.
        matches = await self.engine.vector_topk(row.vector, NEIGHBOURS + len(item.rows), self.where)
        found: list[tuple[str, int, float]] = []
        for match in matches:
            passage = match.row.passage
            owner, cosine = self.owners.get(passage.id, item.ref), round(1 - match.raw / 2, 4)
            if owner != item.ref and cosine >= self.threshold and len(found) < NEIGHBOURS:
                found.append((owner, passage.start_line, cosine))
        reach = found[-1][2] if len(found) == NEIGHBOURS else self.threshold
        return Near(row.passage.start_line, reach, tuple(found))


def _to_ask(
    items: Sequence[Item],
    chosen: Mapping[str, Sequence[Row]],
    digests: Mapping[str, str],
    before: Mapping[str, Known],
) -> set[str]:
    asked = {ref for ref, digest in digests.items() if ref not in before or before[ref].digest != digest}
    moved = asked | (before.keys() - digests.keys())
    vectors = [row.vector for item in items if item.ref in asked for row in item.rows if row.vector is not None]
    changed = np.stack(vectors) if vectors else None
    for ref in digests.keys() - asked:
        near = before[ref].near
        if any(other in moved for each in near for other, _, _ in each.found) or (
            changed is not None and _is_reached(chosen[ref], near, changed)
        ):
            asked = asked | {ref}
    return asked


def _is_reached(rows: Sequence[Row], near: Sequence[Near], changed: NDArray[np.float32]) -> bool:
    """Say whether a changed passage would be among the neighbours of one of an item's representatives."""
    return any(
        row.vector is not None and float((changed @ row.vector).max()) >= each.reach - _SLACK
        for row, each in zip(rows, near, strict=True)
    )
