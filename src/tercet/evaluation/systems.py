"""What can be measured: a preset with a mode and constants, and the plain formulas to compare with."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tercet.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tercet.model import Mode

_PLAIN: Mapping[str, float] = {"template_penalty": 0.0, "collapse": 0.0}
"""Takes from ``hybrid`` all that is more than a weighted sum."""


@dataclass(frozen=True, slots=True)
class System:
    """One way to rank."""

    name: str
    preset: str
    mode: Mode = "hybrid"
    constants: Mapping[str, float] = field(default_factory=dict[str, float])
    min_score: float | None = None
    """None leaves it to the preset."""


BASELINES: Mapping[str, System] = {
    "vector": System("vector", "hybrid", "vector", _PLAIN),
    "bm25": System("bm25", "hybrid", "keyword", _PLAIN),
    "fusion": System("fusion", "hybrid", "hybrid", {**_PLAIN, "vector": 0.5, "keyword": 0.5}),
    "classic": System("classic", "classic"),
    "hybrid": System("hybrid", "hybrid"),
    "tuned": System("tuned", "tuned"),
}
"""Beside these there is ``keyword``: the preset that is measured, without its vectors."""

BASELINE_NAMES = ("vector", "keyword", "bm25", "fusion", "classic", "hybrid", "tuned")


def baseline_named(name: str, measured: System) -> System:
    """Return a baseline; ``keyword`` is the measured system in keyword mode.

    Raises:
        InvalidInputError: there is none of that name (permanent).
    """
    if name == "keyword":
        return System(name, measured.preset, "keyword", measured.constants, measured.min_score)
    try:
        return BASELINES[name]
    except KeyError:
        msg = f"Unknown baseline {name!r}: use one of {', '.join(BASELINE_NAMES)}."
        raise InvalidInputError(msg) from None
