"""A home in memory for tests of active memory: a scripted model, notes that are held, a clock that stands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import TYPE_CHECKING

import numpy as np

from tercet.adapters.counters import Counters
from tercet.capture.digest import RuleSessionExtractor
from tercet.capture.drafts import entry_id
from tercet.capture.entry_sync import entry_record, entry_row, sync_entries
from tercet.capture.selection import RuleExtractor
from tercet.capture.session_extraction import SessionExtraction, SessionExtractionParts
from tercet.layers.active.gate import ExtractionGate
from tercet.layers.active.memory import ActiveMemory, ActiveParts
from tercet.model import Entry, Message, Reach, Row, Scope, Space, Turn
from tercet.ports.capture import Stored
from tercet.ports.extraction import SessionDigest, SessionFact, SessionLine
from tercet.testing.memory_engine import MemoryEngine
from tercet.testing.memory_ledger import MemoryLedger

if TYPE_CHECKING:
    from tercet.model import Vector
    from tercet.ports.engine import Engine
    from tercet.ports.windows import SessionStatus

AT = datetime(2026, 3, 2, 9, tzinfo=UTC)
ANN = Scope("main", "telegram:1")
OF_ANN = Reach("main", ("telegram:1",))
SPACE = Space("test", "letters", 128)
Script = Callable[[Sequence[SessionLine]], Sequence[SessionFact]]


@dataclass
class StandingClock:
    """Moves when a test says so."""

    at: datetime = AT

    def now(self) -> datetime:
        """Return the time it stands at."""
        return self.at


class FreeLock:
    """Counts who holds it."""

    def __init__(self) -> None:
        """Begin unheld."""
        self.held = 0

    def try_acquire(self) -> bool:
        """Take it."""
        self.held += 1
        return True

    async def acquire(self) -> None:
        """Take it."""
        self.held += 1

    def release(self) -> None:
        """Give it back."""
        self.held -= 1


@dataclass
class Model:
    """Answers by a script; fails while ``failure`` is set."""

    script: Script = lambda _: ()
    failure: Exception | None = None
    asked: list[list[str]] = field(default_factory=list[list[str]])
    identity: str = "a model"

    async def extract_session(self, lines: Sequence[SessionLine]) -> SessionDigest:
        """Answer by the script."""
        self.asked.append([line.text for line in lines])
        if self.failure:
            raise self.failure
        return SessionDigest(tuple(self.script(lines)), self.identity)


@dataclass
class Notes:
    """Holds what was appended; fails while ``failure`` is set."""

    written: list[tuple[str, str, list[str], list[str], Scope]] = field(
        default_factory=list[tuple[str, str, list[str], list[str], Scope]]
    )
    """Topic, heading, lines, sources and scope of each."""
    failure: Exception | None = None

    async def append(
        self, topic: str, heading: str, lines: Sequence[str], sources: Sequence[str], scope: Scope
    ) -> None:
        """Hold what is to be appended."""
        if self.failure:
            raise self.failure
        self.written.append((topic, heading, list(lines), list(sources), scope))


def vector_of(text: str) -> Vector:
    """Return a direction of its own for every text: only the same is near."""
    seed = int(sha256(text.encode()).hexdigest()[:8], 16)
    vector = np.random.default_rng(seed).standard_normal(128)
    return (vector / np.linalg.norm(vector)).astype(np.float32)


@dataclass
class ActiveHome:
    """A home in memory whose gate opens after one turn with one tool call."""

    ledger: MemoryLedger = field(default_factory=MemoryLedger)
    engine: MemoryEngine = field(default_factory=MemoryEngine)
    clock: StandingClock = field(default_factory=StandingClock)
    model: Model = field(default_factory=Model)
    notes: Notes = field(default_factory=Notes)
    events: Counters = field(default_factory=Counters)
    lock: FreeLock = field(default_factory=FreeLock)
    gate: ExtractionGate = field(default_factory=lambda: ExtractionGate(1, 1, 1))
    renew_s: float = 30.0
    told: int = 0

    async def open_engine(self) -> Engine:
        """Return the open engine."""
        await self.engine.open(SPACE)
        return self.engine

    async def embed(self, rows: Sequence[Row]) -> list[Row]:
        """Give every text a direction of its own."""
        return [replace(row, vector=vector_of(row.passage.text)) for row in rows]

    @property
    def active(self) -> ActiveMemory:
        """A new process over the same store."""
        parts = SessionExtractionParts(
            ledger=self.ledger,
            engine=self.open_engine,
            embed=self.embed,
            extractor=self.model,
            rules=RuleSessionExtractor(),
            selector=RuleExtractor(),
            lock=self.lock,
            clock=self.clock,
            events=self.events,
            append_note=self.notes.append,
            window_tokens=200,
            renew_s=self.renew_s,
        )
        extraction = SessionExtraction(parts)
        return ActiveMemory(ActiveParts("main", self.ledger.windows, extraction, self.clock, self.events, self.gate))

    async def tell(self, *texts: str, tools: int = 1, key: str = "telegram:1") -> None:
        """Hand over a turn for each text, with an answer and tool calls."""
        active = self.active
        for text in texts:
            self.told += 1
            at = AT + timedelta(minutes=self.told)
            messages = [Message("user", text, f"m{self.told}", at)]
            messages += [Message("tool", "result", f"m{self.told}t{n}", at) for n in range(tools)]
            messages.append(Message("assistant", "Noted, thank you.", f"m{self.told}a", at))
            await active.remember_turn(Turn(key, tuple(messages)), at)

    async def status(self, key: str = "telegram:1") -> SessionStatus:
        """Return how the one session of a key stands."""
        (status,) = await self.active.status(key)
        return status

    async def live(self, reach: Reach = OF_ANN) -> list[str]:
        """Return the texts of live entries, newest first."""
        return [entry.text for entry in await self.ledger.journal.live(reach)]

    async def capture(self, text: str, message_id: str, *, scope: Scope = ANN, minute: int = 1) -> Entry:
        """Put into the journal what the capture of a single message would."""
        said_at = AT + timedelta(minutes=minute)
        entry = Entry(
            entry_id(message_id, text), scope, text, said_at=said_at, session=scope.anchor, message_id=message_id
        )
        await self.ledger.journal.apply([Stored(entry, entry_record(entry_row(entry)))], at=AT)
        await sync_entries(self.ledger.journal, await self.open_engine(), self.embed)
        return entry


def saying(*facts: tuple[str, str, str]) -> Script:
    """Script facts as (text, a word of the line that says it, topic); a line that is not there is made up."""

    def script(lines: Sequence[SessionLine]) -> list[SessionFact]:
        def cited(word: str) -> tuple[int, ...]:
            return tuple(line.number for line in lines if word in line.text) or (len(lines) + 7,)

        return [SessionFact(text, "fact", 0.8, cited(word), topic) for text, word, topic in facts]

    return script
