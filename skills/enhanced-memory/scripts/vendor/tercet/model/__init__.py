"""The values that travel between the rooms: frozen, without behaviour beyond their own shape.

Every score is a float in [0, 1]. Every time is an aware ``datetime``. Lines are 1-based and
inclusive. ``anchor`` is ``""`` for what an agent shares with everyone it speaks to.
"""

from typing import TYPE_CHECKING

from tercet.model.answers import (
    BackendStatus,
    Explanation,
    FileText,
    Finding,
    FolderStatus,
    Hit,
    Probe,
    Related,
    SearchOptions,
    SearchResult,
    SignalPart,
)
from tercet.model.conversation import (
    Entry,
    InboxItem,
    Message,
    RecallSection,
    Turn,
)
from tercet.model.notes import (
    Claim,
    Note,
    WikiLink,
)
from tercet.model.passages import (
    Chunk,
    Match,
    Passage,
    Row,
    TermStatistics,
)
from tercet.model.scopes import (
    SHARED,
    Category,
    LayerName,
    Leg,
    Mode,
    Origin,
    PassageKind,
    Placement,
    Reach,
    Scope,
    Space,
    TimeRange,
)

if TYPE_CHECKING:
    from tercet.model.passages import Vector as Vector

__all__ = [
    "SHARED",
    "BackendStatus",
    "Category",
    "Chunk",
    "Claim",
    "Entry",
    "Explanation",
    "FileText",
    "Finding",
    "FolderStatus",
    "Hit",
    "InboxItem",
    "LayerName",
    "Leg",
    "Match",
    "Message",
    "Mode",
    "Note",
    "Origin",
    "Passage",
    "PassageKind",
    "Placement",
    "Probe",
    "Reach",
    "RecallSection",
    "Related",
    "Row",
    "Scope",
    "SearchOptions",
    "SearchResult",
    "SignalPart",
    "Space",
    "TermStatistics",
    "TimeRange",
    "Turn",
    "WikiLink",
]
