"""PURE: the form in which a built graph is kept, with what the next build goes on from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from tercet.insight.graph import Graph, as_json, from_json
from tercet.insight.neighbours import Known

if TYPE_CHECKING:
    from collections.abc import Mapping
    from collections.abc import Set as AbstractSet

FORMAT: Final = "tercet-crossref-2"


@dataclass(frozen=True, slots=True)
class SavedGraph:
    """A graph, and whose it is."""

    seen: list[str]
    """Agent and anchors of the reach it was built for; empty for nobody's."""
    graph: Graph


def as_saved(graph: Graph, known: Mapping[str, Known], settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the form as plain values.

    Args:
        graph: As built.
        known: What the build found of each item.
        settings: All that neighbours depend on besides the items; ``seen`` is the reach.
    """
    return {
        "format": FORMAT,
        "settings": settings,
        **as_json(graph),
        "known": {ref: each.as_json() for ref, each in known.items()},
    }


def saved_graph(value: Mapping[str, Any] | None) -> SavedGraph:
    """Return what was kept; nobody's when it is of another version or broken: a build makes it anew."""
    try:
        if value is not None and value["format"] == FORMAT:
            return SavedGraph(list(value["settings"]["seen"]), from_json(value))
    except (KeyError, TypeError):
        pass
    return SavedGraph([], Graph({}, ()))


def known_in(value: Mapping[str, Any] | None, settings: Mapping[str, Any]) -> dict[str, Known]:
    """Return what the last build found; nothing when it was another kind of build."""
    if value is None or value.get("format") != FORMAT or value.get("settings") != settings:
        return {}
    try:
        return {ref: Known.from_json(each) for ref, each in value["known"].items()}
    except (KeyError, TypeError, ValueError, AttributeError):
        return {}


def saved_without(value: Mapping[str, Any], gone: AbstractSet[str]) -> dict[str, Any]:
    """Return the form without these items; what had them near is asked about anew by the next build."""
    try:
        known = {
            ref: each
            for ref, each in value["known"].items()
            if ref not in gone and not any(found[0] in gone for near in each["near"] for found in near[-1])
        }
        return {**value, **as_json(from_json(value).without(gone)), "known": known}
    except (KeyError, TypeError, AttributeError):
        return {}  # broken, or of another version
