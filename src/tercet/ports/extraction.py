"""What turns a conversation into entries: a language model, or a digest made without one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from tercet.model import Category


@dataclass(frozen=True, slots=True)
class SessionLine:
    """One message of the stretch of a session that is extracted, sanitised and redacted."""

    number: int
    """From 1, in order; what evidence cites."""
    role: Literal["user", "assistant"]
    text: str
    message_id: str = ""
    said_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class SessionFact:
    """One thing worth keeping out of a session."""

    text: str
    category: Category
    importance: float
    """In [0, 1]."""
    evidence: tuple[int, ...]
    """Numbers of the lines that say it; never empty."""
    topic: str = ""
    """Person or topic it is about, as a title of a note; empty when it is about none."""


@dataclass(frozen=True, slots=True)
class SessionDigest:
    """What a session gave."""

    facts: tuple[SessionFact, ...]
    made_by: str
    """The identity of the extractor that really made it."""
    dropped: int = 0
    """Facts that cited no line, or lines that do not exist or do not say it."""
    unread: tuple[int, ...] = ()
    """Numbers of the last lines, which were not read because that would have cost too much: give them again."""


class SessionExtractor(Protocol):
    """Turns a stretch of a session into facts with their evidence."""

    @property
    def identity(self) -> str:
        """Name and kind in words."""
        ...

    async def extract_session(self, lines: Sequence[SessionLine]) -> SessionDigest:
        """Return what to keep; without facts for small talk.

        Raises:
            TransientError: a model is down, over quota or late; try again later.
            PermanentError: it is configured wrongly, or refuses.
        """
        ...
