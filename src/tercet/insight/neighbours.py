"""PURE: which items lie near each other, by the cosines of their representatives.

An item is asked about again only when it changed, when one of its neighbours changed or left, or when
a changed passage comes within its reach; what is left out would answer the same.

The cosines are made here, in blocks, and not by ``Engine.vector_topk``: of 20,000 chunks one question
costs the engine tens of milliseconds, and a first build asks 10,000.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tercet.insight.cells import BLOCK, comparisons
from tercet.insight.crossref import told_days
from tercet.insight.graph import Evidence
from tercet.insight.items import digest_of, representatives

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from numpy.typing import NDArray

    from tercet.insight.items import Item
    from tercet.model import Row
    from tercet.ranking.calibration import BackgroundCosines

    Places = NDArray[np.int64]

THRESHOLD: Final = 0.75
"""Cosine from which two items are linked, in the space of the builtin model."""
NEIGHBOURS: Final = 10
"""Representatives of others that one is linked to, at most."""
MOST_ALIKE: Final = 0.99
_SLACK: Final = 1e-4
"""What rounding may make of a cosine; within it, it is made anew in double precision."""
_CROWD: Final = 2 * NEIGHBOURS
"""Of one product of matrices, so many are kept: single precision may have them in another order."""


@dataclass(frozen=True, slots=True)
class Near:
    """What lies near one representative."""

    place: int
    """Which of its item's passages the representative is, from 0."""
    line: int
    """Where it begins."""
    reach: float
    """Cosine from which another representative would be among its neighbours."""
    found: tuple[tuple[str, int, float], ...]
    """(ref, line, cosine) of representatives of others, nearest first."""


@dataclass(frozen=True, slots=True)
class Known:
    """What the last build found of an item."""

    digest: str
    near: tuple[Near, ...]
    days: tuple[tuple[str, int], ...] = ()
    """The days that its text names, with the line of each."""

    def as_json(self) -> dict[str, Any]:
        """Return plain values; ``from_json`` reads them back."""
        near = [[n.place, n.line, n.reach, n.found] for n in self.near]
        return {"digest": self.digest, "near": near, "days": self.days}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Known:
        """Read ``as_json`` back; KeyError, TypeError or ValueError for something else."""
        near = (
            Near(place, line, reach, tuple((ref, at, cosine) for ref, at, cosine in found))
            for place, line, reach, found in value["near"]
        )
        return cls(value["digest"], tuple(near), tuple((day, line) for day, line in value["days"]))


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


def find_neighbours(
    items: Sequence[Item], before: Mapping[str, Known], threshold: float
) -> tuple[dict[str, Known], int]:
    """Return every item with its neighbours, and how many items were asked about.

    Args:
        items: All there is in reach, in the order of their refs.
        before: By ref, of a build with the same reach, space and threshold; empty asks about all.
        threshold: Cosine in [-1, 1].
    """
    digests = {item.ref: digest_of(item) for item in items}
    changed = {ref for ref, digest in digests.items() if ref not in before or before[ref].digest != digest}
    chosen = {
        item.ref: representatives(item) if item.ref in changed else [near.place for near in before[item.ref].near]
        for item in items
    }
    compared = _Representatives(items, chosen)
    asked = changed | _reached(digests, changed, before, compared)
    near = compared.near(asked, threshold)
    known = {
        item.ref: Known(
            digests[item.ref],
            tuple(near[item.ref]) if item.ref in asked else before[item.ref].near,
            told_days(item) if item.ref in changed else before[item.ref].days,
        )
        for item in items
    }
    return known, len(asked)


def similar(known: Mapping[str, Known]) -> Iterator[tuple[str, str, Evidence]]:
    """Return a link for every two items that were found near each other: by their nearest passages."""
    best: dict[tuple[str, str], tuple[float, int, int]] = {}
    for ref, item in known.items():
        for near in item.near:
            for other, line, cosine in near.found:
                pair, reason = (
                    ((ref, other), (cosine, near.line, line))
                    if ref < other
                    else ((other, ref), (cosine, line, near.line))
                )
                if pair not in best or best[pair] < reason:
                    best[pair] = reason
    for (one, two), (cosine, one_line, two_line) in best.items():
        yield one, two, Evidence("similar", cosine, one_line=one_line, two_line=two_line)


class _Representatives:
    """The representatives of all items in one matrix.

    They stand in the order of the items and, within one, of its passages: by ref and line.
    """

    def __init__(self, items: Sequence[Item], chosen: Mapping[str, Sequence[int]]) -> None:
        self._within = [place for item in items for place in chosen[item.ref]]
        self._refs = [item.ref for item in items for _ in chosen[item.ref]]
        rows = [item.rows[place] for item in items for place in chosen[item.ref]]
        self._lines = [row.passage.start_line for row in rows]
        self._vectors = _stacked(rows)
        numbers = {item.ref: number for number, item in enumerate(items)}
        self._owners = np.array([numbers[ref] for ref in self._refs], dtype=np.int64)

    def places(self, refs: AbstractSet[str]) -> Places:
        """Return where the representatives of these items stand."""
        return np.array([place for place, ref in enumerate(self._refs) if ref in refs], dtype=np.int64)

    def by_item(self, refs: AbstractSet[str]) -> dict[str, list[int]]:
        """Return the same item by item, in the order of its representatives; items with none are absent."""
        places: dict[str, list[int]] = {}
        for place, ref in enumerate(self._refs):
            if ref in refs:
                places.setdefault(ref, []).append(place)
        return places

    def nearest_of(self, places: Places) -> NDArray[np.float32]:
        """Return every representative's highest cosine with one of these."""
        highest = np.full(len(self._refs), -1.0, dtype=np.float32)
        for start in range(0, len(places), BLOCK):
            cosines = self._vectors @ self._vectors[places[start : start + BLOCK]].T
            np.maximum(highest, cosines.max(axis=1), out=highest)
        return highest

    def near(self, asked: AbstractSet[str], threshold: float) -> dict[str, list[Near]]:
        """Return what lies near each representative of the items asked about, in their order."""
        found: dict[str, list[Near]] = {ref: [] for ref in asked}
        wanted = self.places(asked)
        ones, twos, cosines = self._nearest(*self._alike(wanted, threshold - _SLACK), threshold)
        starts: list[int] = np.searchsorted(ones, wanted).tolist()
        ends: list[int] = np.searchsorted(ones, wanted, "right").tolist()
        pairs = zip(twos.tolist(), cosines.tolist(), strict=True)
        others = [(int(two), float(cosine)) for two, cosine in pairs]
        for place, start, end in zip(map(int, wanted), starts, ends, strict=True):
            kept = tuple((self._refs[other], self._lines[other], cosine) for other, cosine in others[start:end])
            reach = kept[-1][2] if len(kept) == NEIGHBOURS else threshold
            found[self._refs[place]].append(Near(self._within[place], self._lines[place], reach, kept))
        return found

    def _alike(self, wanted: Places, least: float) -> tuple[Places, Places]:
        """Return pairs of places whose cosine is about ``least`` or more: of each place more than are kept."""
        ones: list[Places] = [np.zeros(0, dtype=np.int64)]
        twos = ones[:]
        for asked, others in comparisons(self._vectors, wanted):
            cosines = self._vectors[asked] @ self._vectors[others].T
            cosines[self._owners[asked][:, None] == self._owners[others]] = -1.0  # nobody is their own neighbour
            rows, columns = _highest(cosines, least)
            ones.append(asked[rows])
            twos.append(others[columns])
        return np.concatenate(ones), np.concatenate(twos)

    def _nearest(self, ones: Places, twos: Places, threshold: float) -> tuple[Places, Places, NDArray[np.float64]]:
        """Return the pairs that are kept, with their cosines: by place, its nearest first, ties by place."""
        cosines = self._cosines(ones, twos)
        order = np.lexsort((twos, -cosines, ones))
        order = order[cosines[order] >= threshold]
        ones, twos, cosines = ones[order], twos[order], cosines[order]
        kept = np.arange(len(ones)) - np.searchsorted(ones, ones) < NEIGHBOURS
        return ones[kept], twos[kept], cosines[kept]

    def _cosines(self, ones: Places, twos: Places) -> NDArray[np.float64]:
        """Return the cosines of pairs in double precision, to four decimals; the same in both directions."""
        lower, upper = np.minimum(ones, twos), np.maximum(ones, twos)
        pairs, back = np.unique(lower * len(self._refs) + upper, return_inverse=True)
        lower, upper = np.divmod(pairs, max(1, len(self._refs)))
        found: list[NDArray[np.float64]] = [np.zeros(0)]
        for start in range(0, len(pairs), BLOCK):
            block = slice(start, start + BLOCK)
            found.append((self._vectors[lower[block]].astype(np.float64) * self._vectors[upper[block]]).sum(axis=1))
        return np.minimum(np.concatenate(found), 1.0).round(4)[back]


def _highest(cosines: NDArray[np.float32], least: float) -> tuple[Places, Places]:
    """Return rows and columns of what is ``least`` or more: of each row the ``_CROWD`` highest."""
    wanted = cosines >= least
    for row in np.nonzero(wanted.sum(axis=1) > _CROWD)[0]:
        dropped = np.argsort(-cosines[row], kind="stable")[_CROWD:]
        wanted[row, dropped] = False
    rows, columns = np.nonzero(wanted)
    return rows, columns


def _stacked(rows: Sequence[Row]) -> NDArray[np.float32]:
    vectors = [row.vector for row in rows if row.vector is not None]
    return np.stack(vectors) if vectors else np.zeros((0, 0), dtype=np.float32)


def _reached(
    digests: Mapping[str, str], changed: AbstractSet[str], before: Mapping[str, Known], compared: _Representatives
) -> set[str]:
    """Return the unchanged items whose neighbours may be others now."""
    unchanged = digests.keys() - changed
    moved = changed | (before.keys() - digests.keys())
    lost = {ref for ref in unchanged if any(other in moved for n in before[ref].near for other, _, _ in n.found)}
    come = compared.places(changed)
    if not unchanged or not len(come):
        return lost
    highest = compared.nearest_of(come)
    return lost | {
        ref
        for ref, places in compared.by_item(unchanged).items()
        if any(highest[place] >= near.reach - _SLACK for place, near in zip(places, before[ref].near, strict=True))
    }
