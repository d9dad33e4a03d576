"""Finds what is installed by entry point, without importing it, and loads only what is chosen.

The built-ins are declared the same way, so a third party's embedder or engine is no special case.
"""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points
from typing import Any, Literal

from tercet.errors import ConfigurationError

Group = Literal["tercet.backends", "tercet.engines", "tercet.embedders", "tercet.rerankers", "tercet.extractors"]


def installed(group: Group) -> dict[str, EntryPoint]:
    """Return the entry points of a group by name; nothing is imported.

    Raises:
        ConfigurationError: two distributions claim one name; the message names both.
    """
    found: dict[str, EntryPoint] = {}
    for point in entry_points(group=group):
        other = found.get(point.name)
        # One distribution may be seen twice on the path (an editable install beside its metadata).
        if other is not None and other.value != point.value:
            msg = (
                f"Both {_distribution(other)} and {_distribution(point)} register {point.name!r} in {group}: "
                "uninstall one of them."
            )
            raise ConfigurationError(msg)
        found[point.name] = point
    return found


def load(group: Group, name: str) -> Any:
    """Import and return the object registered under a name.

    Raises:
        ConfigurationError: there is none of that name, or its import failed.
    """
    known = installed(group)
    point = known.get(name)
    if point is None:
        kind = group.removeprefix("tercet.").removesuffix("s")
        # What can be left out is left out by the word ``none``, which no entry point needs.
        names = sorted([*known, "none"] if group in {"tercet.embedders", "tercet.rerankers"} else known)
        msg = f"There is no {kind} {name!r}: use one of {', '.join(names)}."
        raise ConfigurationError(msg)
    try:
        return point.load()
    except (ImportError, AttributeError) as error:
        msg = f"{name!r} of {_distribution(point)} cannot be loaded ({error}): reinstall or disable it."
        raise ConfigurationError(msg) from error


def _distribution(point: EntryPoint) -> str:
    return f"{point.dist.name} {point.dist.version}" if point.dist is not None else "an unnamed distribution"
