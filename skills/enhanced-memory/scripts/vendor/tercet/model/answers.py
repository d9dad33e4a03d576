"""How a search is asked and what it answers; what a layer says of itself."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from tercet.model.passages import Passage
    from tercet.model.scopes import LayerName, Leg, Mode, Reach, TimeRange


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """How to search; None means the preset's or the settings' own value."""

    limit: int = 10
    min_score: float | None = None
    mode: Mode | None = None
    preset: str | None = None
    weights: Mapping[str, float] = field(default_factory=dict[str, float])
    """Overrides of the preset's constants by name."""
    reach: Reach | None = None
    layers: tuple[LayerName, ...] | None = None
    categories: tuple[str, ...] = ()
    time_range: TimeRange | None = None
    now: datetime | None = None
    """Aware; relative dates resolve against it, in its zone."""
    explain: bool = False
    deadline_s: float | None = None
    related: int = 0
    """How many items each hit tells that the graph of cross-references links it to."""


@dataclass(frozen=True, slots=True)
class SignalPart:
    """One addend of a score: ``contribution = weight * value``."""

    name: str
    value: float
    weight: float
    contribution: float


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a hit has its score, and why it stands where it stands."""

    preset: str
    parts: tuple[SignalPart, ...]
    multipliers: tuple[tuple[str, float], ...]
    """Applied to the sum in this order, e.g. ``("importance", 0.85)``."""
    legs: tuple[Leg, ...]
    notes: tuple[str, ...] = ()
    """Rules that acted, in plain words."""


@dataclass(frozen=True, slots=True)
class Related:
    """What the graph of cross-references links a hit's file or entry to."""

    ref: str
    """``root:path`` of a file, the id of an entry."""
    weight: float
    """In (0, 1]."""
    kinds: tuple[str, ...]
    """Of evidence: ``similar``, ``wikilink``, ``same_entity``, ``same_day``, ``supersedes``."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage found."""

    passage: Passage
    score: float
    """Composite in [0, 1], non-increasing down a list."""
    relevance: float
    """Before importance, in [0, 1]."""
    layer: LayerName
    snippet: str
    explanation: Explanation | None = None
    related: tuple[Related, ...] = ()
    """The strongest first; empty unless the options ask for it."""


class SearchResult(list[Hit]):
    """Hits, best first, and what the whole answer has to say about itself."""

    def __init__(
        self,
        hits: list[Hit],
        *,
        degraded: str | None = None,
        took_ms: float = 0.0,
        is_calibrated: bool = True,
    ) -> None:
        super().__init__(hits)
        self.degraded = degraded
        """None, or one line that says which part was down and what was answered instead."""
        self.took_ms = took_ms
        self.is_calibrated = is_calibrated
        """Whether a score says how likely the hit answers, on the scale that all layers share; False
        where only the order counts, so that these hits are merged by rank."""


@dataclass(frozen=True, slots=True)
class FileText:
    """Lines of a file or the text of an entry or note."""

    text: str
    path: str
    start_line: int
    end_line: int
    total_lines: int


@dataclass(frozen=True, slots=True)
class Probe:
    """Whether a part works; truthy when it does, and never raised."""

    ok: bool
    reason: str = ""
    """Why not, in one line; empty when ok."""
    permanent: bool = False
    """True when only a change of configuration mends it."""

    def __bool__(self) -> bool:
        return self.ok


@dataclass(frozen=True, slots=True)
class BackendStatus:
    """Health and size of one layer."""

    layer: LayerName
    healthy: bool
    rows: int
    bytes_on_disk: int
    notes: tuple[str, ...] = ()
    """Plain sentences: what is degraded, what waits, what to do."""


@dataclass(frozen=True, slots=True)
class FolderStatus:
    """One indexed folder."""

    label: str
    directory: str
    files: int
    chunks: int
    waiting: int
    """Chunks that wait for a vector."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One check of the doctor."""

    check: str
    verdict: Literal["ok", "warning", "problem", "fixed"]
    detail: str
    mend: str = ""
    """What to do; empty when nothing is."""
