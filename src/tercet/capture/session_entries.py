"""From the facts of a session to entries: each thing once, whoever kept it first."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, get_args

from tercet.capture.dedupe import decide
from tercet.capture.drafts import entry_id
from tercet.capture.entry_sync import entry_record, entry_row
from tercet.capture.injection import looks_like_injection
from tercet.capture.neighbours import squared_l2
from tercet.capture.retelling import retells
from tercet.model import Category, Entry
from tercet.ports.capture import Stored
from tercet.ports.windows import ExtractedFact
from tercet.text.redaction import redact

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tercet.capture.entry_sync import Embed
    from tercet.capture.neighbours import Neighbours
    from tercet.model import Row
    from tercet.ports.extraction import SessionFact
    from tercet.ports.windows import SessionWindows, Stretch, WindowMessage

_REDACTED: Final = re.compile(r"\[redacted[^\]\n]*\]")
_CATEGORIES: Final = frozenset(get_args(Category))


@dataclass(frozen=True, slots=True)
class _Draft:
    entry: Entry
    cited: tuple[WindowMessage, ...]
    topic: str

    @property
    def evidence(self) -> tuple[str, ...]:
        return tuple(message.key for message in self.cited)

    def told_by(self, entry_id: str) -> ExtractedFact:
        """Return the fact as one that an entry says already."""
        return ExtractedFact(entry_id, self.evidence, topic=self.topic)


class SessionEntries:
    """Decides what becomes of the facts of a stretch; writes nothing."""

    def __init__(self, windows: SessionWindows, neighbours: Neighbours, embed: Embed) -> None:
        """Compare with what was kept of single messages, and with what is near in the scope."""
        self._windows = windows
        self._neighbours = neighbours
        self._embed = embed

    async def facts(self, stretch: Stretch, found: Sequence[SessionFact]) -> list[ExtractedFact]:
        """Return new entries, and the facts that live entries say already.

        What was kept of a cited message and says the same stands for the fact; where that entry was
        superseded, the fact is as old and is left out. Each fact cites numbers of the stretch's
        messages, from 1.
        """
        told = await self._windows.told(stretch.session, stretch.messages)
        drafts = _drafts(stretch, found)
        rows = await self._rows([draft.entry for draft in drafts])
        facts: list[ExtractedFact] = []
        earlier: list[tuple[Entry, Row]] = []
        for draft in drafts:
            own = [entry for entry in told if _came_of(entry, draft.cited)]
            same = [entry for entry in own if retells(draft.entry.text, entry.text)]
            if same:
                facts += [draft.told_by(entry.id) for entry in same if entry.state == "live"][:1]
                continue
            fact = await self._decided(draft, rows[draft.entry.id], earlier)
            facts.append(fact)
            if fact.stored is not None:
                earlier.append((draft.entry, rows[draft.entry.id]))
        return facts

    async def _rows(self, entries: Sequence[Entry]) -> dict[str, Row]:
        plain = [entry_row(entry) for entry in entries]
        # Without the embedder they are compared by their words; vectors are filled in later.
        made = ((await self._embed(plain)) or plain) if plain else plain
        return {row.passage.id: row for row in made}

    async def _decided(self, draft: _Draft, row: Row, earlier: Sequence[tuple[Entry, Row]]) -> ExtractedFact:
        entry = draft.entry
        exact = await self._neighbours.same(entry.scope, entry.text)
        if exact is not None:
            return draft.told_by(exact.id)
        near = await self._neighbours.near(row)
        near += [(other, squared_l2(held.vector, row.vector)) for other, held in earlier]
        near.sort(key=lambda pair: pair[1])
        decision = decide(entry.text, near, said_at=entry.said_at, may_supersede=entry.origin == "owner")
        if decision.verdict == "duplicate":
            return draft.told_by(decision.targets[0])
        self._neighbours.add(row)
        stored = Stored(entry, entry_record(row), decision.superseded, decision.links)
        return ExtractedFact(entry.id, draft.evidence, stored, draft.topic)


def _drafts(stretch: Stretch, found: Sequence[SessionFact]) -> list[_Draft]:
    drafts: dict[str, _Draft] = {}
    for fact in found:
        # What a model writes itself was never looked at for secrets.
        text = redact(" ".join(fact.text.split())).text
        if not _REDACTED.sub("", text).strip(" .,:;。，：；"):
            continue
        cited = tuple(stretch.messages[number - 1] for number in sorted(set(fact.evidence)))
        entry = _entry(stretch, fact, text, cited)
        drafts.setdefault(entry.id, _Draft(entry, cited, redact(fact.topic).text))
    return list(drafts.values())


def _entry(stretch: Stretch, fact: SessionFact, text: str, cited: Sequence[WindowMessage]) -> Entry:
    session = stretch.session
    # The user's own last word on it: the session said it then, not when it was extracted.
    source = [message for message in cited if message.role == "user"][-1:] or cited[-1:]
    is_suspect = looks_like_injection(text) or any(looks_like_injection(message.text) for message in cited)
    return Entry(
        id=entry_id("session", session.scope.agent, session.scope.anchor, session.key, source[0].key, text),
        scope=session.scope,
        text=text,
        category=fact.category if fact.category in _CATEGORIES else "other",
        importance=min(1.0, max(0.0, fact.importance)),
        said_at=source[0].said_at,
        origin="untrusted" if is_suspect else "owner",
        session=session.key,
        message_id=source[0].message_id,
    )


def _came_of(entry: Entry, cited: Sequence[WindowMessage]) -> bool:
    return any(
        entry.message_id == message.message_id if entry.message_id else entry.said_at == message.said_at
        for message in cited
    )
