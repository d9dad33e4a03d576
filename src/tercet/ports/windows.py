"""Windows of conversations: what was said last, word for word, and what of it was not extracted yet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from tercet.model import Entry, Reach, Scope
    from tercet.ports.capture import Stored

WindowRole = Literal["user", "assistant", "tool"]


@dataclass(frozen=True, slots=True)
class Session:
    """One conversation."""

    scope: Scope
    key: str
    """Normalised session key, its thread included."""


@dataclass(frozen=True, slots=True)
class WindowMessage:
    """One message of a window."""

    key: str
    """Deterministic: of session and message id (or text and time where it has none)."""
    role: WindowRole
    text: str
    """Sanitised and redacted; empty for a tool call, which is only counted."""
    tokens: int
    """Estimate, >= 0; 0 for a tool call."""
    begins_turn: bool = False
    """The first of the user's messages that the agent answers together."""
    message_id: str = ""
    said_at: datetime | None = None
    number: int = 0
    """Position in its session, from 1; the store gives it."""


@dataclass(frozen=True, slots=True)
class SessionMemoryState:
    """What came into a session since its last successful extraction."""

    tokens: int = 0
    tool_calls: int = 0
    turns: int = 0


@dataclass(frozen=True, slots=True)
class SessionStatus:
    """How a session stands."""

    session: Session
    state: SessionMemoryState
    messages: int
    """Kept word for word, tool calls not among them."""
    tokens: int
    """Of these messages."""
    bytes_on_disk: int = 0
    """Of their texts."""
    ended: bool = False
    """Its end was announced, and what is left of it was not looked at yet."""
    attempts: int = 0
    """Failed extractions since the last that succeeded."""
    retry_at: datetime | None = None
    """Before it no extraction is tried again; None when none failed."""
    reason: str = ""
    """Why the last one failed; empty when none did."""
    extracted_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Stretch:
    """A claimed stretch of a session: from the first message not extracted yet."""

    session: Session
    claim: int
    """Every claim of a session has a higher number; a lapsed one can finish nothing."""
    messages: tuple[WindowMessage, ...]
    """Of user and assistant, oldest first."""
    upto: int
    """Number of its last message, tool calls among them."""
    attempts: int
    """Extractions of it that failed before."""
    is_last: bool
    """Nothing that is not extracted stands behind it."""


@dataclass(frozen=True, slots=True)
class ExtractedFact:
    """One thing that a stretch gave: a new entry, or an entry that says it already."""

    entry_id: str
    evidence: tuple[str, ...]
    """Keys of the messages that say it; never empty."""
    stored: Stored | None = None
    """The entry to write; None where ``entry_id`` is there already."""
    topic: str = ""
    """Title of the person or topic it is about; empty when it is about none."""


@dataclass(frozen=True, slots=True)
class TopicFacts:
    """A topic that came up often enough for a note, with what is not in its note yet."""

    scope: Scope
    topic: str
    """Normalised."""
    title: str
    """As it was written last."""
    entries: tuple[Entry, ...]
    """Live ones, oldest first."""
    evidence: tuple[tuple[str, ...], ...]
    """Of each entry: ids of the messages that say it (a message's key where it has none)."""


class Windows(Protocol):
    """The windows themselves; a write is one transaction with the counters it changes."""

    async def put(self, session: Session, messages: Sequence[WindowMessage], *, keep_tokens: int) -> int:
        """Add messages and return how many are new; a known key is no error.

        They outlive the process; a loss of power may take the latest, whose user's words the inbox has.

        A key stays known after its message left the window or was forgotten: a replay adds nothing.
        What was extracted and lies further back than ``keep_tokens`` is dropped.
        """
        ...

    async def window(self, session: Session, budget_tokens: int) -> list[WindowMessage]:
        """Return the latest messages of at most so many tokens together, oldest first, without tool calls."""
        ...

    async def in_reach(self, reach: Reach) -> list[tuple[Session, WindowMessage]]:
        """Return every message kept in reach, by session and number, without tool calls."""
        ...

    async def sessions(self, agent: str) -> list[SessionStatus]:
        """Return how the sessions of an agent stand, by anchor and key."""
        ...

    async def end(self, session: Session) -> None:
        """Note durably that the session is over; an unknown one is no error."""
        ...


class Extractions(Protocol):
    """Who extracts what of a session: once at a time, over all processes of a home."""

    async def claim(
        self, session: Session, *, now: datetime, lease_s: float, most_tokens: int, force: bool = False
    ) -> Stretch | None:
        """Lease the session and return what is to be extracted.

        Args:
            session: Of which.
            now: When the lease begins.
            lease_s: After it, unless renewed, another may claim the session.
            most_tokens: The stretch ends where this is reached; it holds one message at least.
            force: Also before the time of the next try has come.

        Returns:
            None when somebody else has it, it is not time yet, or nothing is left to extract.
        """
        ...

    async def renew(self, stretch: Stretch, *, now: datetime, lease_s: float) -> bool:
        """Lengthen the lease; False when it is lost."""
        ...

    async def release(self, stretch: Stretch, *, retry_at: datetime | None = None, reason: str = "") -> None:
        """Give the session back unextracted, its counters as they are.

        With a time to try again at it counts as a failed attempt; without one nothing was tried, and
        a session that had ended goes on. A lost lease changes nothing.
        """
        ...

    async def finish(
        self, stretch: Stretch, facts: Sequence[ExtractedFact], *, at: datetime, keep_tokens: int
    ) -> list[str] | None:
        """Write the entries, note their evidence, and count the stretch as extracted, in one transaction.

        A fact one of whose messages was forgotten meanwhile is not written. What came after the
        stretch stays counted.

        Returns:
            Ids of the entries that were added; None when the lease is lost, and then nothing is written.

        Raises:
            InvalidInputError: what is to be superseded is not live any more; nothing is written: decide
                again (permanent).
        """
        ...

    async def told(self, session: Session, messages: Sequence[WindowMessage]) -> list[Entry]:
        """Return the entries that were made of these messages one by one, live or superseded."""
        ...


class Topics(Protocol):
    """Which topics came up how often."""

    async def recurring(self, agent: str, *, extractions: int, facts: int) -> list[TopicFacts]:
        """Return topics with something new that came up in so many extractions or gave so many facts."""
        ...

    async def noted(self, topic: TopicFacts) -> None:
        """Remember that these entries are in the topic's note."""
        ...


class SessionWindows(Windows, Extractions, Topics, Protocol):
    """Everything of sessions, one object for the parts above.

    ``Journal.forget`` takes the windows of forgotten scopes and sessions along, and with a forgotten
    entry (or waiting message) the whole turns that told it; ``undo`` does not bring them back.
    """
