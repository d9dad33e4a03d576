"""The shapes of ``wire.py`` as models: the schemas of the HTTP answers and of the tools' results."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from tercet.model import Category, LayerName, Origin, PassageKind, Placement  # noqa: TC001 - pydantic reads them


class Shape(BaseModel):
    """Names in camelCase."""

    model_config = ConfigDict(alias_generator=to_camel, validate_by_name=True, validate_by_alias=True)


class RelatedShape(Shape):
    """What a hit's file or entry is linked to."""

    ref: str
    weight: float = Field(gt=0, le=1)
    kinds: list[str] = Field(description="similar, wikilink, same_entity, same_day, supersedes.")


class HitShape(Shape):
    """One passage found."""

    id: str
    layer: LayerName
    path: str | None
    start_line: int | None
    end_line: int | None
    score: float = Field(ge=0, le=1)
    relevance: float = Field(ge=0, le=1)
    snippet: str
    header: str
    root: str | None
    kind: PassageKind
    category: str | None
    importance: float | None
    origin: Origin
    timestamp: str | None
    signals: dict[str, Any] | None = None
    """Any: with ``explain`` only; see the documentation of the command line."""
    explanation: dict[str, Any] | None = None
    related: list[RelatedShape] | None = Field(default=None, description="Where it was asked for and there is any.")
    passage: dict[str, Any] | None = None


class SearchShape(Shape):
    """Hits, best first."""

    results: list[HitShape]
    degraded: str | None = Field(description="Which part was down, and what was answered instead.")
    took_ms: float


class SectionShape(Shape):
    """The section of a prompt; empty with a reason."""

    text: str
    placement: Placement
    tokens: int
    skipped_reason: str | None
    degraded: str | None
    results: list[HitShape]


class EntryShape(Shape):
    """One stored fact."""

    id: str
    anchor: str | None
    text: str
    category: Category
    importance: float
    said_at: str | None
    stored_at: str | None
    origin: Origin
    session: str | None
    message_id: str | None
    state: Literal["live", "superseded", "forgotten"]
    superseded_by: str | None
    seen: int
    last_seen: str | None
    links: list[str]


class OneEntryShape(Shape):
    """One entry."""

    entry: EntryShape


class EntriesShape(Shape):
    """Several entries."""

    entries: list[EntryShape]


class ForgetShape(Shape):
    """What a forget found and removed."""

    candidates: list[EntryShape]
    removed: list[str]
    waiting_removed: int
    purge_at: str | None
    notes_left: list[str]


class RestoredShape(Shape):
    """Entries brought back."""

    restored: list[str]


class AcceptedShape(Shape):
    """A turn that is durable."""

    accepted: int = Field(description="Messages of the user in it.")


class FileShape(Shape):
    """Lines of a file, or the text of an entry."""

    path: str
    start_line: int
    end_line: int
    total_lines: int
    text: str


class StatusShape(Shape):
    """Settings, sizes and health."""

    home: str
    agent: str
    folders: list[dict[str, Any]]
    layers: list[dict[str, Any]]
    embedder: dict[str, Any]
    vector_store: dict[str, Any]
    capture: dict[str, Any]
    settings: list[dict[str, Any]]


class SignInLinkShape(Shape):
    """A link of the inspector: below the service's address, for one browser, once."""

    path: str
    seconds: int
    """How long it may be used."""


class HealthShape(Shape):
    """That the service answers."""

    ok: bool
    service: Literal["tercet"]
    version: str
    instance: str


class ErrorBody(Shape):
    """Which kind of error, and one line with the mend."""

    type: str
    message: str


class ErrorShape(Shape):
    """Every error."""

    error: ErrorBody
