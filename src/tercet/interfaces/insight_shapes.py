"""The shapes of ``insight_wire.py`` as models: the schemas of the HTTP answers."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from tercet.insight.graph import EvidenceKind  # noqa: TC001 - pydantic reads it
from tercet.interfaces.wire_shapes import Shape


class QuestionShape(Shape):
    """A question that found nothing good."""

    text: str
    times: int


class SalientItemShape(Shape):
    """What a score was made from, unrounded."""

    name: str
    weight: float
    size: int
    changed_at: str
    accessed_at: str | None
    importance: float
    staleness: float
    days_unseen: float


class SalientShape(Shape):
    """One file or entry that matters and was not looked at for long."""

    ref: str
    kind: Literal["topic", "core", "daily", "entry"]
    score: float = Field(ge=0, le=1)
    importance: float = Field(ge=0, le=1)
    staleness: float = Field(ge=0, le=1)
    days_unseen: float
    accesses: int
    questions: list[QuestionShape]
    prompt: str = Field(description="A sentence for an agent to bring up.")
    item: SalientItemShape | None = None


class SalienceShape(Shape):
    """The most salient first."""

    items: list[SalientShape]


class EvidenceShape(Shape):
    """One reason to link two items."""

    kind: EvidenceKind
    weight: float = Field(gt=0, le=1)
    detail: str
    one_line: int
    two_line: int


class NodeShape(Shape):
    """A file or an entry."""

    ref: str
    kind: Literal["file", "entry"]


class EdgeShape(Shape):
    """Two items that belong together."""

    one: str
    two: str
    weight: float = Field(gt=0, le=1)
    evidence: list[EvidenceShape]


class GraphShape(Shape):
    """All of a graph."""

    nodes: list[NodeShape]
    edges: list[EdgeShape]


class HubShape(Shape):
    """An item with many edges."""

    ref: str
    edges: int


class StatisticsShape(Shape):
    """Figures of a graph."""

    nodes: int
    edges: int
    by_kind: dict[EvidenceKind, int]
    components: int
    hubs: list[HubShape]
    orphans: list[str]


class BuiltGraphShape(StatisticsShape):
    """What a build made."""

    asked: int = Field(description="Files and entries whose neighbours were sought; the others had not changed.")
    threshold: float
    degraded: str | None


class NeighbourShape(Shape):
    """An item that another is linked to."""

    ref: str
    weight: float = Field(gt=0, le=1)
    evidence: list[EvidenceShape]


class NeighboursShape(Shape):
    """The strongest first."""

    ref: str
    neighbours: list[NeighbourShape]
