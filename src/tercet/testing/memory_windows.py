"""Session windows in memory, and a journal that forgets in them too."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import TYPE_CHECKING

from tercet.errors import InvalidInputError
from tercet.model import Reach
from tercet.ports.windows import SessionMemoryState, SessionStatus, Stretch, TopicFacts
from tercet.testing.memory_capture import MemoryInbox, MemoryJournal, is_in_reach
from tercet.text.same_text import normalised, text_digest

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from tercet.model import Entry, InboxItem, Scope
    from tercet.ports.capture import Forgotten
    from tercet.ports.windows import ExtractedFact, Session, WindowMessage


@dataclass(slots=True)
class _Held:
    messages: list[WindowMessage] = field(default_factory=list["WindowMessage"])
    last: int = 0
    extracted_to: int = 0
    ended: bool = False
    claim: int = 0
    leased_until: datetime | None = None
    attempts: int = 0
    retry_at: datetime | None = None
    reason: str = ""
    extracted_at: datetime | None = None

    @property
    def said(self) -> list[WindowMessage]:
        return [message for message in self.messages if message.role != "tool"]

    @property
    def state(self) -> SessionMemoryState:
        new = [message for message in self.messages if message.number > self.extracted_to]
        tools = sum(message.role == "tool" for message in new)
        return SessionMemoryState(sum(m.tokens for m in new), tools, sum(m.begins_turn for m in new))

    def trim(self, keep_tokens: int) -> None:
        first, behind = self.last + 1, 0
        for message in reversed(self.said):
            if behind >= keep_tokens:
                break
            first, behind = message.number, behind + message.tokens
        self.messages = [
            message
            for message in self.messages
            if message.number > self.extracted_to or (message.role != "tool" and message.number >= first)
        ]


@dataclass(slots=True)
class _HeldFact:
    scope: Scope
    topic: str
    title: str
    extraction: tuple[Session, int]
    evidence: tuple[str, ...]
    sources: tuple[str, ...]
    noted: bool = False


class MemoryWindows:
    """See ``tercet.ports.windows.SessionWindows``."""

    def __init__(self, journal: WindowedJournal) -> None:
        self._journal = journal
        self._held: dict[Session, _Held] = {}
        self._keys: set[str] = set()
        self._facts: dict[tuple[str, str], _HeldFact] = {}
        self._claims = 0

    async def put(self, session: Session, messages: Sequence[WindowMessage], *, keep_tokens: int) -> int:
        """Add messages and return how many are new."""
        for message in messages:
            if message.said_at is not None and message.said_at.tzinfo is None:
                msg = f"The time {message.said_at.isoformat()} has no zone: give an aware datetime."
                raise InvalidInputError(msg)
        if not messages:
            return 0
        held = self._held.setdefault(session, _Held())
        added = 0
        for message in messages:
            if message.key not in self._keys:
                self._keys.add(message.key)
                held.last += 1
                added += 1
                held.messages.append(replace(message, number=held.last))
        held.trim(keep_tokens)
        return added

    async def window(self, session: Session, budget_tokens: int) -> list[WindowMessage]:
        """Return the latest messages of at most so many tokens together, oldest first."""
        kept: list[WindowMessage] = []
        for message in reversed(self._held.get(session, _Held()).said):
            budget_tokens -= message.tokens
            if budget_tokens < 0:
                break
            kept.append(message)
        return kept[::-1]

    async def in_reach(self, reach: Reach) -> list[tuple[Session, WindowMessage]]:
        """Return every message kept in reach."""
        found = [session for session in self._held if is_in_reach(session.scope, reach)]
        return [(session, message) for session in sorted(found, key=_place) for message in self._held[session].said]

    async def sessions(self, agent: str) -> list[SessionStatus]:
        """Return how the sessions of an agent stand."""
        mine = sorted((session for session in self._held if session.scope.agent == agent), key=_place)
        return [self._status(session, self._held[session]) for session in mine]

    def _status(self, session: Session, held: _Held) -> SessionStatus:
        return SessionStatus(
            session=session,
            state=held.state,
            messages=len(held.said),
            tokens=sum(message.tokens for message in held.messages),
            bytes_on_disk=sum(len(message.text.encode()) for message in held.messages),
            ended=held.ended,
            attempts=held.attempts,
            retry_at=held.retry_at,
            reason=held.reason,
            extracted_at=held.extracted_at,
        )

    async def end(self, session: Session) -> None:
        """Note that the session is over."""
        if session in self._held:
            self._held[session].ended = True

    async def claim(
        self, session: Session, *, now: datetime, lease_s: float, most_tokens: int, force: bool = False
    ) -> Stretch | None:
        """Lease the session and return what is to be extracted."""
        held = self._held.get(session, _Held())
        is_early = held.retry_at is not None and held.retry_at > now and not force
        if is_early or (held.leased_until is not None and held.leased_until > now):
            return None
        upto, tokens, chosen = held.last, 0, list["WindowMessage"]()
        for message in (message for message in held.said if message.number > held.extracted_to):
            tokens += message.tokens
            if chosen and tokens > most_tokens:
                upto = message.number - 1
                break
            chosen.append(message)
        if not chosen:
            return None
        self._claims += 1
        held.claim, held.leased_until = self._claims, now + timedelta(seconds=lease_s)
        return Stretch(session, held.claim, tuple(chosen), upto, held.attempts, is_last=upto >= held.last)

    def _leased(self, stretch: Stretch) -> _Held | None:
        held = self._held.get(stretch.session)
        is_ours = held is not None and held.claim == stretch.claim and held.leased_until is not None
        return held if is_ours else None

    async def renew(self, stretch: Stretch, *, now: datetime, lease_s: float) -> bool:
        """Lengthen the lease; False when it is lost."""
        held = self._leased(stretch)
        if held is not None:
            held.leased_until = now + timedelta(seconds=lease_s)
        return held is not None

    async def release(self, stretch: Stretch, *, retry_at: datetime | None = None, reason: str = "") -> None:
        """Give the session back unextracted."""
        held = self._leased(stretch)
        if held is None:
            return
        held.leased_until = None
        if retry_at is None:
            held.ended = False
        else:
            held.attempts, held.retry_at, held.reason = held.attempts + 1, retry_at, reason

    async def finish(
        self, stretch: Stretch, facts: Sequence[ExtractedFact], *, at: datetime, keep_tokens: int
    ) -> list[str] | None:
        """Write the entries and count the stretch as extracted; None when the lease is lost."""
        held = self._leased(stretch)
        if held is None:
            return None
        sources = {message.key: message.message_id or message.key for message in held.messages}
        whole = [fact for fact in facts if all(key in sources for key in fact.evidence)]
        added = await self._journal.apply([fact.stored for fact in whole if fact.stored is not None], at=at)
        scope = stretch.session.scope
        known = await self._journal.get([fact.entry_id for fact in whole], Reach(scope.agent, (scope.anchor,)))
        for fact in whole:
            if fact.entry_id in {entry.id for entry in known}:
                cited = tuple(sources[key] for key in fact.evidence)
                topic = normalised(fact.topic)
                new = _HeldFact(scope, topic, fact.topic, (stretch.session, stretch.claim), fact.evidence, cited)
                self._facts.setdefault((fact.entry_id, topic), new)
        held.extracted_to = max(held.extracted_to, stretch.upto)
        held.ended = held.ended and held.extracted_to < held.last
        held.leased_until, held.attempts, held.retry_at, held.reason = None, 0, None, ""
        held.extracted_at = at
        held.trim(keep_tokens)
        return added

    async def told(self, session: Session, messages: Sequence[WindowMessage]) -> list[Entry]:
        """Return the entries that were made of these messages one by one."""
        ids = {message.message_id for message in messages if message.message_id}
        times = {message.said_at for message in messages if not message.message_id}
        return [
            entry
            for entry in self._journal.kept()
            if (entry.scope, entry.session) == (session.scope, session.key)
            and (entry.message_id in ids if entry.message_id else entry.said_at in times)
        ]

    async def recurring(self, agent: str, *, extractions: int, facts: int) -> list[TopicFacts]:
        """Return topics with something new that came up so often."""
        found: list[TopicFacts] = []
        topics = {(fact.scope, fact.topic) for fact in self._facts.values() if fact.topic and fact.scope.agent == agent}
        for scope, topic in sorted(topics, key=lambda each: (each[0].anchor, each[1])):
            mine = {key: fact for (key, _), fact in self._facts.items() if (fact.scope, fact.topic) == (scope, topic)}
            if len({fact.extraction for fact in mine.values()}) < extractions and len(mine) < facts:
                continue
            live = [entry for entry in self._journal.kept() if entry.state == "live" and entry.id in mine]
            new = sorted((entry for entry in live if not mine[entry.id].noted), key=lambda entry: str(entry.said_at))
            if new:
                cited = tuple(mine[entry.id].sources for entry in new)
                found.append(TopicFacts(scope, topic, mine[new[-1].id].title, tuple(new), cited))
        return found

    async def noted(self, topic: TopicFacts) -> None:
        """Remember that these entries are in the topic's note."""
        for entry in topic.entries:
            self._facts[entry.id, topic.topic].noted = True

    def forget(self, is_gone: Callable[[Session], bool], entries: Sequence[Entry], items: Sequence[InboxItem]) -> None:
        """Drop windows, and the turns that told entries or waiting messages."""
        self._held = {session: held for session, held in self._held.items() if not is_gone(session)}
        told: list[Entry | InboxItem] = [*entries, *items]
        ids = {entry.id for entry in entries}
        cited = {key for (entry_id, _), fact in self._facts.items() if entry_id in ids for key in fact.evidence}
        for session, held in self._held.items():
            gone: set[int] = set()
            for message in held.said:
                if message.key in cited or any(_tells(session, message, one) for one in told):
                    ends = [m.number for m in held.said if m.role == "user" and m.number > message.number]
                    gone.update(range(message.number, min(ends, default=held.last + 1)))
            held.messages = [message for message in held.messages if message.number not in gone]
        self._facts = {key: fact for key, fact in self._facts.items() if key[0] not in ids}


def _tells(session: Session, message: WindowMessage, one: Entry | InboxItem) -> bool:
    if one.scope != session.scope:
        return False
    of_message = one.message_id == message.message_id if one.message_id else one.said_at == message.said_at
    return text_digest(one.text) == text_digest(message.text) or (one.session == session.key and of_message)


def _place(session: Session) -> tuple[str, str, str]:
    return session.scope.agent, session.scope.anchor, session.key


class WindowedJournal(MemoryJournal):
    """A journal whose ``forget`` takes windows and turns along."""

    def __init__(self, inbox: MemoryInbox, queries: list[tuple[str, list[str]]]) -> None:
        super().__init__(inbox, queries)
        self.windows = MemoryWindows(self)

    def kept(self) -> list[Entry]:
        """Return entries in any state but forgotten, in the order they were stored."""
        return [held.entry for held in self._held.values() if held.entry.state != "forgotten"]

    async def forget(
        self,
        *,
        at: datetime,
        purge_at: datetime,
        ids: Sequence[str] = (),
        anchors: Sequence[Scope] = (),
        session: tuple[str, str] | None = None,
    ) -> Forgotten:
        """Take entries, waiting items, windows and turns out."""
        done = await super().forget(at=at, purge_at=purge_at, ids=ids, anchors=anchors, session=session)
        entries = [self._held[entry_id].entry for entry_id in done.entry_ids]
        items = [self._inbox.held[item_id].item for item_id in done.inbox_ids]

        def is_gone(one: Session) -> bool:
            of_session = session is not None and bool(session[1]) and (one.scope.agent, one.key) == session
            return one.scope in anchors or of_session

        self.windows.forget(is_gone, entries, items)
        return done
