"""What the index holds: chunks, passages, rows with terms and vector, and what one leg found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    import numpy as np
    from numpy.typing import NDArray

    from tercet.model.scopes import Origin, PassageKind, Scope

    Vector: TypeAlias = NDArray[np.float32]


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
