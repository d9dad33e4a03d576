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

from tercet.insight.graph import Evidence
from tercet.insight.items import digest_of, informativeness, representatives

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from numpy.typing import NDArray

    from tercet.insight.items import Item
    from tercet.model import Row
    from tercet.ranking.calibration import BackgroundCosines

THRESHOLD: Final = 0.75
"""Cosine from which two items are linked, in the space of the builtin model."""
NEIGHBOURS: Final = 10
"""Representatives of others that one is linked to, at most."""
MOST_ALIKE: Final = 0.99
_BLOCK: Final = 512
"""Representatives compared with all others in one product of matrices."""
_SLACK: Final = 1e-4
"""What rounding may make of a cosine; within it, it is made anew in double precision."""


@dataclass(frozen=True, slots=True)
class Near:
    """What lies near one representative."""

    line: int
    """Where the representative begins."""
    reach: float
    """Cosine from which another representative would be among its neighbours."""
    found: tuple[tuple[str, int, float], ...]
    """(ref, line, cosine) of representatives of others, nearest first."""


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


def find_neighbours(
    items: Sequence[Item], before: Mapping[str, Known], threshold: float
) -> tuple[dict[str, Known], int]:
    """Return every item's neighbours, and how many items were asked about.

    Args:
        items: All there is in reach.
        before: By ref, of a build with the same reach, space and threshold; empty asks about all.
        threshold: Cosine in [-1, 1].
    """
    idf = informativeness(items)
    chosen = {item.ref: representatives(item, idf) for item in items}
    digests = {ref: digest_of(rows) for ref, rows in chosen.items()}
    asked = _to_ask(chosen, digests, before)
    near = _Representatives(chosen).near(asked, threshold)
    return {
        ref: Known(digest, tuple(near[ref])) if ref in asked else before[ref] for ref, digest in digests.items()
    }, len(asked)


def similar(known: Mapping[str, Known]) -> Iterator[tuple[str, str, Evidence]]:
    """Return a link for every neighbour that was found."""
    for ref, item in known.items():
        for near in item.near:
            for other, line, cosine in near.found:
                yield ref, other, Evidence("similar", cosine, one_line=near.line, two_line=line)


class _Representatives:
    """The representatives of all items in one matrix."""

    def __init__(self, chosen: Mapping[str, Sequence[Row]]) -> None:
        self._refs = [ref for ref, rows in chosen.items() for _ in rows]
        self._lines = [row.passage.start_line for rows in chosen.values() for row in rows]
        vectors = [row.vector for rows in chosen.values() for row in rows if row.vector is not None]
        self._vectors = np.stack(vectors) if vectors else np.zeros((0, 0), dtype=np.float32)
        numbers = {ref: number for number, ref in enumerate(chosen)}
        self._owners = np.array([numbers[ref] for ref in self._refs], dtype=np.int64)

    def near(self, asked: AbstractSet[str], threshold: float) -> dict[str, list[Near]]:
        """Return what lies near each representative of the items asked about, in their order."""
        found: dict[str, list[Near]] = {ref: [] for ref in asked}
        wanted = [place for place, ref in enumerate(self._refs) if ref in asked]
        for start in range(0, len(wanted), _BLOCK):
            places = wanted[start : start + _BLOCK]
            cosines = self._vectors[places] @ self._vectors.T
            cosines[self._owners[places][:, None] == self._owners] = -1.0  # nobody is their own neighbour
            for place, row in zip(places, cosines, strict=True):
                found[self._refs[place]].append(self._nearest(place, row, threshold))
        return found

    def _nearest(self, place: int, cosines: NDArray[np.float32], threshold: float) -> Near:
        others = np.nonzero(cosines >= threshold - _SLACK)[0]
        # Twice as many as are kept: single precision may have them in another order.
        others = others[np.argsort(-cosines[others], kind="stable")][: 2 * NEIGHBOURS]
        exact = [(self._refs[other], self._lines[other], self._cosine(place, other)) for other in map(int, others)]
        kept = sorted((each for each in exact if each[2] >= threshold), key=lambda each: (-each[2], each[0], each[1]))[
            :NEIGHBOURS
        ]
        return Near(self._lines[place], kept[-1][2] if len(kept) == NEIGHBOURS else threshold, tuple(kept))

    def _cosine(self, one: int, two: int) -> float:
        low, high = sorted((one, two))
        product = self._vectors[low].astype(np.float64) @ self._vectors[high].astype(np.float64)
        return round(min(float(product), 1.0), 4)


def _to_ask(chosen: Mapping[str, Sequence[Row]], digests: Mapping[str, str], before: Mapping[str, Known]) -> set[str]:
    changed = {ref for ref, digest in digests.items() if ref not in before or before[ref].digest != digest}
    moved = changed | (before.keys() - digests.keys())
    vectors = [row.vector for ref in digests if ref in changed for row in chosen[ref] if row.vector is not None]
    come = np.stack(vectors) if vectors else None
    return changed | {
        ref
        for ref in digests.keys() - changed
        if any(other in moved for near in before[ref].near for other, _, _ in near.found)
        or (come is not None and _is_reached(chosen[ref], before[ref].near, come))
    }


def _is_reached(rows: Sequence[Row], near: Sequence[Near], come: NDArray[np.float32]) -> bool:
    """Say whether a changed representative would be among the neighbours of one of an item's."""
    return any(
        row.vector is not None and float((come @ row.vector).max()) >= each.reach - _SLACK
        for row, each in zip(rows, near, strict=True)
    )
