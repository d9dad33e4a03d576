"""Whose memory a thing is, the words that name its kind, and the space its vector lies in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from datetime import datetime

LayerName = Literal["semantic", "wiki", "active"]
PassageKind = Literal["entry", "chunk", "note"]
Leg = Literal["vector", "keyword", "date", "neighbour"]
Mode = Literal["hybrid", "vector", "keyword"]
Origin = Literal["owner", "agent", "untrusted", "system"]
Placement = Literal["context", "system"]
Category = Literal["preference", "fact", "decision", "entity", "other"]

SHARED = ""
"""The anchor of what belongs to the agent and no one person."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Whose memory one item is."""

    agent: str
    anchor: str = SHARED
    """Normalised session key, or ``SHARED``."""


@dataclass(frozen=True, slots=True)
class Reach:
    """What one query may see: one agent's rows under any of these anchors.

    Links between platforms are expanded before a ``Reach`` is made, so that unlinking parts the
    histories again. An empty ``anchors`` sees nothing.
    """

    agent: str
    anchors: tuple[str, ...] = (SHARED,)


@dataclass(frozen=True, slots=True)
class TimeRange:
    """Half-open interval ``[start, end)`` of aware datetimes; None leaves that side open."""

    start: datetime | None
    end: datetime | None


@dataclass(frozen=True, slots=True)
class Space:
    """One embedding space; vectors of two spaces are never compared."""

    provider: str
    model: str
    dimensions: int
    revision: str = ""
    """sha256 of the weights or the provider's own revision; empty when it tells none."""
    document_prefix: str = ""
    query_prefix: str = ""
    pooling: str = "mean"
    max_tokens: int = 0
    """Tokens the model reads of one text; 0 when unknown."""
