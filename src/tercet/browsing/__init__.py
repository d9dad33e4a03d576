"""Looking into a memory: people, files, the timeline, what waits, what a forget or an undo would do."""

from tercet.browsing.facade import Browsing, BrowsingParts
from tercet.browsing.values import (
    ChunkSpan,
    Cursor,
    FileSummary,
    FileView,
    ForgetPreview,
    NoteLines,
    TimelineItem,
    TimelinePage,
    UndoPreview,
    WaitingItem,
)

__all__ = [
    "Browsing",
    "BrowsingParts",
    "ChunkSpan",
    "Cursor",
    "FileSummary",
    "FileView",
    "ForgetPreview",
    "NoteLines",
    "TimelineItem",
    "TimelinePage",
    "UndoPreview",
    "WaitingItem",
]
