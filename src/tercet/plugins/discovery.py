"""What is installed, by entry point; nothing of it is imported."""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, Literal, get_args

from tercet.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Sequence

Group = Literal["tercet.backends", "tercet.engines", "tercet.embedders", "tercet.rerankers", "tercet.extractors"]
GROUPS: tuple[Group, ...] = get_args(Group)
LAYERS: Group = "tercet.backends"

_KINDS: dict[Group, str] = {
    "tercet.backends": "layer",
    "tercet.engines": "engine",
    "tercet.embedders": "embedder",
    "tercet.rerankers": "reranker",
    "tercet.extractors": "extractor",
}


def kind_of(group: Group) -> str:
    """Return what one plug-in of a group is, in a word."""
    return _KINDS[group]


def claims(group: Group) -> dict[str, list[EntryPoint]]:
    """Return every entry point of a group by name, in the order of the path; more than one is a clash."""
    found: dict[str, list[EntryPoint]] = {}
    for point in entry_points(group=group):
        points = found.setdefault(point.name, [])
        # One distribution may be seen twice on the path (an editable install beside its metadata).
        if all(other.value != point.value for other in points):
            points.append(point)
    return found


def installed(group: Group) -> dict[str, EntryPoint]:
    """Return the entry points of a group by name.

    Raises:
        ConfigurationError: two distributions claim one name; the message names both.
    """
    found: dict[str, EntryPoint] = {}
    for name, points in claims(group).items():
        if len(points) > 1:
            raise ConfigurationError(clash(group, points))
        found[name] = points[0]
    return found


def clash(group: Group, points: Sequence[EntryPoint]) -> str:
    """Say that these distributions claim one name."""
    owners = " and ".join(distribution_of(point) for point in points)
    return f"Both {owners} register {points[0].name!r} in {group}: uninstall one of them."


def distribution_of(point: EntryPoint) -> str:
    """Return name and version of the distribution that declares an entry point."""
    return f"{point.dist.name} {point.dist.version}" if point.dist is not None else "an unnamed distribution"


def is_built_in(point: EntryPoint) -> bool:
    """Say whether an entry point is one of Tercet's own."""
    return point.dist is not None and point.dist.name == "tercet"
