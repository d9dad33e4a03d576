"""Markdown files of a folder."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class FoundFile:
    """One Markdown file seen in a folder, not read yet."""

    path: str
    """POSIX, NFC, below the folder."""
    size: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class SkippedFile:
    """A file that is not indexed, or indexed with a caveat, and why."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class Listing:
    """Everything one walk of a folder saw."""

    files: tuple[FoundFile, ...]
    skipped: tuple[SkippedFile, ...]


@dataclass(frozen=True, slots=True)
class FileContent:
    """A file's text as decoded, and its raw identity."""

    text: str
    sha256: str
    """Of the raw bytes."""
    size: int
    mtime_ns: int
    warning: str = ""


class FileStore(Protocol):
    """Markdown files of a folder."""

    async def list(self, directory: str) -> Listing:
        """Walk a folder; what cannot be taken is named in ``skipped``, never raised.

        Raises:
            NotFoundError: the folder itself is not there (permanent).
        """
        ...

    async def read(self, directory: str, path: str) -> FileContent:
        """Read and decode one file below a folder.

        Raises:
            NotFoundError: it is gone, not readable, binary, too large, or its path leaves the
                folder; the message is the reason that ``skipped`` shows.
        """
        ...
