"""What a person who looks into a memory is shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from datetime import datetime

    from tercet.model import Entry

Cursor: TypeAlias = str
"""Where a page of the timeline ends; opaque, and good for as long as the memory lasts."""


@dataclass(frozen=True, slots=True)
class FileSummary:
    """One indexed file, as the index has it."""

    ref: str
    """``root:path``, as answers name it."""
    root: str
    path: str
    """Below the root; of a note in the vault."""
    directory: str
    """Absolute, the folder that is indexed."""
    size: int
    """Bytes."""
    changed_at: datetime
    chunks: int
    waiting: int
    """Chunks without a vector."""
    warning: str
    """What was wrong when it was read; empty when nothing was."""
    note: str
    """Ref of the note that it is; empty for any other file."""
    anchor: str
    """Whose it is; empty when it is shared."""


@dataclass(frozen=True, slots=True)
class ChunkSpan:
    """A span of lines of a file that searches find as one passage."""

    id: str
    start_line: int
    end_line: int
    header: str
    """Heading path joined with ``" > "``."""
    has_vector: bool
    terms: int
    """How many, with repeats."""
    is_indexed: bool = True
    """False for what the index does not have as it stands here now."""


@dataclass(frozen=True, slots=True)
class FileView:
    """A file as it lies on disk now, and how it is cut."""

    summary: FileSummary
    text: str
    digest: str
    """sha256 of its bytes."""
    is_stale: bool
    """Whether it is not what was indexed."""
    chunks: tuple[ChunkSpan, ...]
    """Of the text as it is now, in line order; blank lines and bare headings are in none."""


@dataclass(frozen=True, slots=True)
class TimelineItem:
    """An entry, with what it replaced and what replaced it."""

    entry: Entry
    """Of a forgotten one no more than id, scope, category, ``stored_at`` and state."""
    superseded: tuple[Entry, ...] = ()
    superseded_by: str = ""
    undo_until: datetime | None = None
    """Until when a forgotten one can be brought back."""


@dataclass(frozen=True, slots=True)
class TimelinePage:
    """Some of the timeline, the latest first."""

    items: tuple[TimelineItem, ...]
    older: Cursor | None
    """Leads to the next page; None on the last."""


@dataclass(frozen=True, slots=True)
class WaitingItem:
    """A message that no entry was made of yet."""

    id: str
    anchor: str
    session: str
    text: str
    """Envelopes and secrets taken out."""
    said_at: datetime | None
    received_at: datetime
    attempts: int
    is_dead: bool
    """Given up; it is kept and not tried again."""
    reason: str
    """Why it was given up; empty while it waits."""
    next_try: datetime | None
    """At the earliest; None when it is dead, or can be tried at once."""


@dataclass(frozen=True, slots=True)
class NoteLines:
    """Lines of one note that say what is to be forgotten."""

    ref: str
    gone: tuple[str, ...]
    """An extraction appended them: they are taken out."""
    left: tuple[str, ...]
    """Somebody wrote them: they stay."""


@dataclass(frozen=True, slots=True)
class ForgetPreview:
    """What a forget of some ids would take."""

    entries: tuple[Entry, ...]
    """In the order of the ids."""
    waiting: tuple[WaitingItem, ...]
    """Messages that were named, or say the same as an entry in the same scope; these go for good."""
    notes: tuple[NoteLines, ...]


@dataclass(frozen=True, slots=True)
class UndoPreview:
    """What an undo without ids would bring back."""

    ids: tuple[str, ...]
    until: datetime | None
    """When that lapses; None when there is nothing."""
