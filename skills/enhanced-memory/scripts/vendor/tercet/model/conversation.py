"""What is said, what is kept of it, and what of it goes into a prompt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from datetime import datetime

    from tercet.model.answers import Hit
    from tercet.model.scopes import Category, Origin, Placement, Scope


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation, as the host handed it over."""

    role: Literal["user", "assistant", "tool", "system"]
    text: str
    id: str = ""
    """The host's own id; empty when it has none."""
    timestamp: datetime | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    """What one run of the agent added to a conversation."""

    session_key: str
    """As the host wrote it; normalised where it is used."""
    messages: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class Entry:
    """One captured or stored fact."""

    id: str
    """Deterministic: of scope, message and text; the same again is the same entry."""
    scope: Scope
    text: str
    category: Category = "other"
    importance: float = 0.7
    said_at: datetime | None = None
    stored_at: datetime | None = None
    origin: Origin = "owner"
    session: str = ""
    """Normalised session key it came from; empty when stored by hand."""
    message_id: str = ""
    ordinal: int = 0
    """Position in its session, from 1, where the whole conversation is kept; else 0."""
    state: Literal["live", "superseded", "forgotten"] = "live"
    superseded_by: str = ""
    seen: int = 1
    """How often it was told."""
    last_seen: datetime | None = None
    links: tuple[str, ...] = ()
    """Near entries that differ in a detail: both stay, and are shown together."""


@dataclass(frozen=True, slots=True)
class InboxItem:
    """One user message that waits to be worked into entries."""

    id: str
    """Deterministic: of scope, session and message id (or text and time where there is none)."""
    scope: Scope
    session: str
    message_id: str
    text: str
    """As handed over, nothing stripped yet."""
    said_at: datetime | None
    received_at: datetime
    attempts: int = 0
    keep_all: bool = False
    """Select everything that is left after sanitising (``capture.select = all``)."""


@dataclass(frozen=True, slots=True)
class RecallSection:
    """What goes into the prompt."""

    text: str
    """Fenced, escaped, with sources and dates; empty when there is nothing to say."""
    hits: tuple[Hit, ...] = ()
    skipped_reason: str | None = None
    """Why it is empty: ``greeting``, ``command``, ``heartbeat``, ``nothing_relevant``, ..."""
    degraded: str | None = None
    tokens: int = 0
    placement: Placement = "context"
    """Where the settings want it: beside the message (safer), or in the system prompt."""
