"""Pure: from what a folder holds and what the ledger knows, what an index run has to do."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from tercet.ports import FileRecord, FoundFile, Listing

RACY_WINDOW_NS = 2_000_000_000
"""A file whose mtime lies this close before its indexing may have been written again within the same
tick of the file system's clock, with the same size: it is read once more (FAT keeps 2 s)."""


@dataclass(frozen=True, slots=True)
class IndexPlan:
    """What to read, what to take out, and how much stays."""

    to_read: tuple[FoundFile, ...]
    """New files and those whose size or time differs, by path; then those that only may differ."""
    gone: tuple[str, ...]
    """Indexed paths that are no longer there, by path."""
    unchanged: int
    differ: int
    """How many of ``to_read``, from the first, surely have something new."""

    def cut(self, at_most_files: int) -> tuple[IndexPlan, int]:
        """Return the plan for no more files than that, and how many that differ it leaves out."""
        return replace(self, to_read=self.to_read[:at_most_files]), max(0, self.differ - at_most_files)


def plan_index(
    listing: Listing, known: Mapping[str, FileRecord], unfinished: Collection[str] = (), *, full: bool = False
) -> IndexPlan:
    """Compare a walk with the ledger.

    Args:
        listing: One walk of the folder.
        known: Finished files by path.
        unfinished: Paths whose last run was cut short; they are done again whatever their times say.
        full: Read every file, whatever the ledger knows.
    """
    here = {file.path for file in listing.files}
    redo = frozenset(unfinished)
    differ: list[FoundFile] = []
    racy: list[FoundFile] = []
    for file in listing.files:
        record = known.get(file.path)
        if full or file.path in redo or record is None or _differs(file, record):
            differ.append(file)
        elif record.mtime_ns > record.indexed_at_ns - RACY_WINDOW_NS:
            racy.append(file)
    gone = tuple(sorted({*known, *redo} - here))
    to_read = (*differ, *racy)
    return IndexPlan(to_read, gone, len(listing.files) - len(to_read), len(differ))


def _differs(file: FoundFile, record: FileRecord) -> bool:
    return (file.size, file.mtime_ns) != (record.size, record.mtime_ns)
