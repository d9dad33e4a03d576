"""The values that travel between the rooms: frozen, without behaviour beyond their own shape.

Every score is a float in [0, 1]. Every time is an aware ``datetime``. Lines are 1-based and
inclusive. ``anchor`` is ``""`` for what an agent shares with everyone it speaks to.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    import numpy as np
    from numpy.typing import NDArray

    Vector: TypeAlias = NDArray[np.float32]

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


@dataclass(frozen=True, slots=True)
class Chunk:
    """A span of whole lines of one Markdown file."""

    text: str
    """The lines as the file has them, joined with their own line ends; no final line end."""
    start_line: int
    end_line: int
    headings: tuple[str, ...] = ()
    """Heading path from the top, without the ``#`` marks."""


@dataclass(frozen=True, slots=True)
class Passage:
    """An entry, chunk or note as the index sees it."""

    id: str
    kind: PassageKind
    scope: Scope
    text: str
    """What a reader gets."""
    header: str = ""
    """Heading path joined with ``" > "``, or a note's title; empty for most entries."""
    context: str = ""
    """Words that belong to the text but stand elsewhere: the header row of a continued table."""
    root: str = ""
    """Label of the indexed folder; empty for entries."""
    path: str = ""
    """POSIX path below the root, NFC; empty for entries."""
    start_line: int = 0
    end_line: int = 0
    timestamp: datetime | None = None
    """When it was said or written, if that is known from the item itself."""
    importance: float | None = None
    category: str = ""
    origin: Origin = "owner"
    speaker: str = ""
    session: str = ""
    """Conversation it belongs to; turns of one session are neighbours by ``ordinal``."""
    ordinal: int = 0
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """A passage with what the index adds: its terms and, once made, its vector."""

    passage: Passage
    terms: tuple[str, ...]
    """Terms of the indexed text in order, with repeats."""
    vector: Vector | None = None
    """float32 (dimensions,), L2-normalised; None while it waits for the embedder."""


@dataclass(frozen=True, slots=True, eq=False)
class Match:
    """One row found by one leg, with the engine's raw number for it."""

    row: Row
    raw: float
    """Squared L2 distance (vector leg) or the engine's own text score (keyword leg)."""


@dataclass(frozen=True, slots=True)
class TermStatistics:
    """Counts over everything a query may see, for BM25 and idf."""

    documents: int
    total_length: int
    """Sum of the passages' lengths in terms."""
    document_frequency: Mapping[str, int]
    """Of the terms asked for; a term nobody has is 0 or absent."""


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


class SearchResult(list[Hit]):
    """Hits, best first, and what the whole answer has to say about itself."""

    def __init__(self, hits: list[Hit], *, degraded: str | None = None, took_ms: float = 0.0) -> None:
        super().__init__(hits)
        self.degraded = degraded
        """None, or one line that says which part was down and what was answered instead."""
        self.took_ms = took_ms


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
