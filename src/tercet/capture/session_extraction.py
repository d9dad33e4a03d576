"""Turns stretches of sessions into entries and notes: once at a time, each thing once, whatever dies meanwhile."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Final, Protocol

from tercet.capture.entry_sync import sync_entries
from tercet.capture.evidence import with_evidence
from tercet.capture.neighbours import Neighbours
from tercet.capture.session_entries import SessionEntries
from tercet.errors import InvalidInputError, PermanentError, TercetError, TransientError
from tercet.ports.extraction import SessionLine

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from tercet.capture.entry_sync import Embed
    from tercet.model import Scope
    from tercet.ports.capture import Extractor
    from tercet.ports.engine import Engine
    from tercet.ports.extraction import SessionDigest, SessionExtractor
    from tercet.ports.ledger import Ledger
    from tercet.ports.locking import WriterLock
    from tercet.ports.manager import Clock, EventSink
    from tercet.ports.windows import ExtractedFact, Session, Stretch, TopicFacts, WindowMessage

LEASE_S: Final = 120.0
"""How long a dead process keeps a session from the others; a living one renews it."""
RENEW_S: Final = 30.0
MOST_TOKENS: Final = 24_000
"""Of one stretch; a longer session is extracted in several, each finished by itself."""
MOST_ATTEMPTS: Final = 5
"""After so many failures in a row the model counts as down for good, and the rules take over."""
FIRST_BACKOFF_S: Final = 30.0
MOST_BACKOFF_S: Final = 3600.0
NOTE_EXTRACTIONS: Final = 2
NOTE_FACTS: Final = 3
_RACES: Final = 5
"""How often a decision is made anew because the entries changed under it."""


class AppendNote(Protocol):
    """Adds lines to the note of a topic, made when there is none; never drops any."""

    async def __call__(
        self, topic: str, heading: str, lines: Sequence[str], sources: Sequence[str], scope: Scope
    ) -> None:
        """Append under a heading.

        Lines that stand under this heading already (a kill came between the note and its mark) are to
        be left out.

        Args:
            topic: Title of a person or topic.
            heading: The day of the extraction, ISO.
            lines: One fact each, plain text.
            sources: Ids of the messages that say them.
            scope: Whose note it is.
        """
        ...


@dataclass(frozen=True, slots=True)
class SessionExtractionParts:
    """What extracting from sessions works with."""

    ledger: Ledger
    engine: Callable[[], Awaitable[Engine]]
    """Returns the open engine, or raises EngineUnavailableError."""
    embed: Embed
    extractor: SessionExtractor
    rules: SessionExtractor
    """Takes over where ``extractor`` is wrong or down for good; the same object where there is no other."""
    selector: Extractor
    """Says whether an ended session holds anything worth keeping: the rules."""
    lock: WriterLock
    """Held by the one process that makes entries."""
    clock: Clock
    events: EventSink
    append_note: AppendNote | None = None
    """None where there is no vault."""
    window_tokens: int = 4000
    """How much of the latest conversation stays word for word after it was extracted."""
    lease_s: float = LEASE_S
    renew_s: float = RENEW_S


@dataclass(slots=True)
class ExtractionReport:
    """What extracting gave; grows while it runs."""

    sessions: int = 0
    """Stretches extracted."""
    kept: int = 0
    """New entries."""
    folded: int = 0
    """Facts that a live entry says already."""
    superseded: int = 0
    dropped: int = 0
    """Facts without evidence in the lines they cite."""
    notes: int = 0
    """Notes written to."""
    passed_over: int = 0
    """Ended sessions without anything worth keeping."""
    failed: list[str] = field(default_factory=list[str])
    """Why sessions, or notes, wait for another try."""
    made_by: list[str] = field(default_factory=list[str])
    """Who extracted, in words, each once."""


class SessionExtraction:
    """Extracts from claimed stretches; any number of processes may try the same session."""

    def __init__(self, parts: SessionExtractionParts) -> None:
        """Hold the parts; nothing is opened yet."""
        self._parts = parts
        self._windows = parts.ledger.windows
        self._neighbours = Neighbours(parts.ledger.journal, parts.engine)
        self._entries = SessionEntries(self._windows, self._neighbours, parts.embed)

    @property
    def window_tokens(self) -> int:
        """How much of the latest conversation stays word for word after it was extracted."""
        return self._parts.window_tokens

    async def extract(
        self, session: Session, report: ExtractionReport, *, force: bool = False, if_worth_it: bool = False
    ) -> None:
        """Extract everything that is not extracted yet; what fails keeps its counters and is tried later.

        Args:
            session: Of which.
            report: Counts and reasons are added to it.
            force: Also before the time of the next try has come.
            if_worth_it: Only stretches of which the selector would keep something.

        Raises:
            TransientError: the ledger is busy; nothing is lost.
        """
        goes_on = True
        while goes_on:
            stretch = await self._windows.claim(
                session,
                now=self._parts.clock.now(),
                lease_s=self._parts.lease_s,
                most_tokens=MOST_TOKENS,
                force=force,
            )
            goes_on = stretch is not None and await self._extract_one(stretch, report, if_worth_it=if_worth_it)

    async def update_notes(self, agent: str, report: ExtractionReport) -> None:
        """Append to the notes of topics that recur what is new about them; what fails waits for the next time."""
        append = self._parts.append_note
        if append is None or not await self._recurring(agent):
            return
        # What two find to write at once would stand there twice: who comes second looks again.
        await self._parts.lock.acquire()
        try:
            for topic in await self._recurring(agent):
                try:
                    await append(*_note(topic, self._parts.clock.now().date().isoformat()), topic.scope)
                except (TercetError, OSError) as error:
                    report.failed.append(f"The note {topic.title!r} was not written: {error}")
                    continue
                await self._windows.noted(topic)
                report.notes += 1
        finally:
            self._parts.lock.release()

    async def _recurring(self, agent: str) -> Sequence[TopicFacts]:
        return await self._windows.recurring(agent, extractions=NOTE_EXTRACTIONS, facts=NOTE_FACTS)

    async def _extract_one(self, stretch: Stretch, report: ExtractionReport, *, if_worth_it: bool) -> bool:
        """Extract one stretch; returns whether more may be left of its session."""
        if not any(message.role == "user" for message in stretch.messages):
            return await self._finish(stretch, []) is not None and not stretch.is_last
        if if_worth_it and not await self._is_worth_it(stretch):
            report.passed_over += 1
            if stretch.is_last:
                await self._windows.release(stretch)
                return False
            return await self._finish(stretch, []) is not None
        try:
            return await self._renewing(stretch, self._work(stretch, report))
        except Exception as error:  # noqa: BLE001 - whatever an extractor raises, the session is kept for another try
            await self._put_off(stretch, error, report)
            return False

    async def _is_worth_it(self, stretch: Stretch) -> bool:
        for message in stretch.messages:
            if message.role == "user" and await self._parts.selector.extract(message.text):
                return True
        return False

    async def _work(self, stretch: Stretch, report: ExtractionReport) -> bool:
        """Extract and write; returns whether more may be left of the session."""
        digest = await self._digest(stretch)
        stretch = _as_far_as_read(stretch, digest)
        await self._parts.lock.acquire()
        try:
            facts, added = await self._write(stretch, digest)
            if added is None:
                return False
            await self._sync()
        finally:
            self._parts.lock.release()
        self._parts.events.count("active.extracted")
        stored = [fact.stored for fact in facts if fact.entry_id in added and fact.stored is not None]
        report.sessions += 1
        report.kept += len(added)
        report.folded += len(facts) - len(added)
        report.superseded += sum(len(each.supersedes) for each in stored)
        report.dropped += digest.dropped
        report.made_by += [digest.made_by] if digest.made_by not in report.made_by else []
        return not stretch.is_last

    async def _digest(self, stretch: Stretch) -> SessionDigest:
        lines = [_line(number, message) for number, message in enumerate(stretch.messages, start=1)]
        try:
            digest = await self._parts.extractor.extract_session(lines)
            if 1 not in digest.unread:
                return with_evidence(digest, lines)
            self._parts.events.count("active.too_long_for_extractor")
        except TransientError:
            if stretch.attempts + 1 < MOST_ATTEMPTS:
                raise
        except PermanentError:
            # Trigger: the model is configured wrongly, or refuses. Why: asking again changes nothing.
            # Outcome: the rules' digest, which says that no model made it.
            self._parts.events.count("active.extractor_refused")
        return with_evidence(await self._parts.rules.extract_session(lines), lines)

    async def _write(self, stretch: Stretch, digest: SessionDigest) -> tuple[list[ExtractedFact], list[str] | None]:
        race = 0
        while True:
            facts = await self._entries.facts(stretch, digest.facts)
            try:
                return facts, await self._finish(stretch, facts)
            except InvalidInputError:
                # Trigger: somebody forgot or replaced an entry between decision and writing.
                race += 1
                if race == _RACES:
                    raise

    async def _finish(self, stretch: Stretch, facts: Sequence[ExtractedFact]) -> list[str] | None:
        return await self._windows.finish(
            stretch, facts, at=self._parts.clock.now(), keep_tokens=self._parts.window_tokens
        )

    async def _sync(self) -> None:
        """Tell the engine; where it is away the journal knows what it lacks."""
        with suppress(TransientError):
            await sync_entries(self._parts.ledger.journal, await self._parts.engine(), self._parts.embed)
            self._neighbours.clear()

    async def _put_off(self, stretch: Stretch, error: Exception, report: ExtractionReport) -> None:
        backoff = timedelta(seconds=min(MOST_BACKOFF_S, FIRST_BACKOFF_S * 2.0**stretch.attempts))
        reason = f"{type(error).__name__}: {' '.join(str(error).split())}"
        self._parts.events.count("active.failed")
        report.failed.append(f"The session {stretch.session.key} was not extracted: {reason}")
        await self._windows.release(stretch, retry_at=self._parts.clock.now() + backoff, reason=reason)

    async def _renewing(self, stretch: Stretch, work: Awaitable[bool]) -> bool:
        """Wait for work and renew the lease meanwhile: a model may take minutes."""
        task = asyncio.ensure_future(work)
        try:
            while not (await asyncio.wait({task}, timeout=self._parts.renew_s))[0]:
                await self._windows.renew(stretch, now=self._parts.clock.now(), lease_s=self._parts.lease_s)
            return task.result()
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


def _as_far_as_read(stretch: Stretch, digest: SessionDigest) -> Stretch:
    """Return the part of a stretch that was read; the rest stays counted and is claimed again."""
    if not digest.unread:
        return stretch
    first = min(digest.unread)
    upto = stretch.messages[first - 1].number - 1
    return replace(stretch, messages=stretch.messages[: first - 1], upto=upto, is_last=False)


def _line(number: int, message: WindowMessage) -> SessionLine:
    is_user = message.role == "user"
    return SessionLine(number, "user" if is_user else "assistant", message.text, message.message_id, message.said_at)


def _note(topic: TopicFacts, day: str) -> tuple[str, str, list[str], list[str]]:
    lines = [" ".join(entry.text.split()) for entry in topic.entries]
    sources = list(dict.fromkeys(source for cited in topic.evidence for source in cited))
    return topic.title, day, lines, sources
