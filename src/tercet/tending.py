"""Gathers what salience is made of: files and entries in reach, their accesses, what was asked in vain."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import chain
from typing import TYPE_CHECKING

from tercet.access_notes import GOOD_SCORE
from tercet.errors import InvalidInputError
from tercet.insight.kinds import kind_of
from tercet.insight.salience import (
    ACCESS_DAYS,
    GAP_DAYS,
    GAP_HITS,
    KIND_WEIGHTS,
    Item,
    Question,
    bears_on,
    most_salient,
)
from tercet.ranking.federation import NOTES_ROOT, vault_path
from tercet.text.terms import query_terms, terms

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence

    from tercet.access_notes import AccessNotes
    from tercet.insight.salience import Salient
    from tercet.model import Entry, Reach
    from tercet.ports import Accesses, FileRecord, Ledger, RootRecord, WeakQuery

MOST_ENTRIES = 10_000
MOST_QUESTIONS = 200
"""Of the questions asked in vain, the latest so many are compared with every item."""
NO_TERMS = frozenset[str]()


class Tending:
    """What a person or a heartbeat is told about the memory of one agent's owner."""

    def __init__(
        self, agent: str, ledger: Ledger, reach: Callable[[str | None], Awaitable[Reach]], notes: AccessNotes
    ) -> None:
        """Hold the parts; ``reach`` returns what a session may see, of None the owner."""
        self._agent = agent
        self._ledger = ledger
        self._reach = reach
        self._notes = notes

    async def salience(self, top: int, now: datetime) -> list[Salient]:
        """Return up to ``top`` files and entries, the most salient first.

        Files are those of the index as it stands, nothing is read anew. Entries of untrusted origin
        are left out: what is returned here is brought up by an agent.

        Raises:
            InvalidInputError: top below 1, or a time without a zone (permanent).
        """
        if top < 1:
            msg = f"The top {top} is out of range: give a number of at least 1."
            raise InvalidInputError(msg)
        if now.tzinfo is None:
            msg = f"The time {now.isoformat()} has no zone: add one, e.g. +00:00."
            raise InvalidInputError(msg)
        await self._notes.settled()
        reach, log = await self._reach(None), self._ledger.accesses
        accesses = await log.counts(now - timedelta(days=ACCESS_DAYS))
        weak = await log.weak_queries(reach, now - timedelta(days=GAP_DAYS), GOOD_SCORE)
        questions = _by_shown(_questions(weak))
        items = await self._entries(reach, accesses, questions)
        for root in await self._ledger.manifest.roots(self._agent):
            if root.scope.anchor in reach.anchors:
                items += await self._files(root, accesses, questions)
        return most_salient(items, now, top)

    async def _files(
        self, root: RootRecord, accesses: Mapping[str, Accesses], questions: Mapping[str, Sequence[Question]]
    ) -> list[Item]:
        manifest = self._ledger.manifest
        files = await manifest.files(root.label)
        wanted = frozenset[str]().union(*(each.terms for asked in questions.values() for each in asked))
        held = await manifest.paths_with(root.label, sorted(wanted))
        passages = await manifest.passages(root.label, list(held))
        return [
            _file_item(record, accesses, _bearing(questions, passages.get(path, ()), held.get(path, NO_TERMS)))
            for path, record in files.items()
        ]

    async def _entries(
        self, reach: Reach, accesses: Mapping[str, Accesses], questions: Mapping[str, Sequence[Question]]
    ) -> list[Item]:
        live = await self._ledger.journal.live(reach, limit=MOST_ENTRIES)
        return [_entry_item(entry, accesses, questions) for entry in live if entry.origin != "untrusted"]


def _questions(weak: Sequence[WeakQuery]) -> list[Question]:
    """Take queries of the same terms together, in the words of the latest."""
    grouped: dict[frozenset[str], Question] = {}
    for each in weak:
        of_terms = frozenset(query_terms(each.query))
        shown = frozenset(each.hit_ids[:GAP_HITS])
        held = grouped.get(of_terms, Question(each.query, of_terms, 0, NO_TERMS))
        grouped[of_terms] = replace(held, times=held.times + each.times, shown=held.shown | shown)
    return [question for question in grouped.values() if question.terms][:MOST_QUESTIONS]


def _by_shown(questions: Iterable[Question]) -> dict[str, list[Question]]:
    """Return, by the id of each passage that was shown for it, the questions; the one asked last first."""
    by_shown: dict[str, list[Question]] = {}
    for question in questions:
        for passage_id in question.shown:
            by_shown.setdefault(passage_id, []).append(question)
    return by_shown


def _bearing(
    questions: Mapping[str, Sequence[Question]], passage_ids: Iterable[str], held: frozenset[str]
) -> tuple[Question, ...]:
    """Return the questions that an item of these passages, which hold these terms, bears on, each once."""
    shown = chain.from_iterable(questions.get(each, ()) for each in passage_ids)
    return tuple(dict.fromkeys(each for each in shown if bears_on(each, held)))


def _file_item(record: FileRecord, accesses: Mapping[str, Accesses], questions: tuple[Question, ...]) -> Item:
    """Return an indexed file with the questions that it bears on."""
    in_vault = vault_path(record.root, record.path)
    ref = f"{record.root}:{record.path}" if in_vault is None else f"{NOTES_ROOT}:{in_vault}"
    kind = kind_of(record.path) if in_vault is None else "topic"
    # A read by path alone is kept under the path alone.
    looked_at = [accesses[name] for name in (ref, in_vault or record.path) if name in accesses]
    return Item(
        ref=ref,
        name=in_vault or record.path,
        kind=kind,
        weight=KIND_WEIGHTS[kind],
        size=record.size,
        changed_at=datetime.fromtimestamp(record.mtime_ns / 1e9, UTC),
        accesses=sum(each.count for each in looked_at),
        accessed_at=max((each.latest for each in looked_at), default=None),
        questions=questions,
    )


def _entry_item(entry: Entry, accesses: Mapping[str, Accesses], questions: Mapping[str, Sequence[Question]]) -> Item:
    held = frozenset(terms(entry.text)) if entry.id in questions else NO_TERMS
    looked_at = accesses.get(entry.id)
    told = [at for at in (entry.said_at or entry.stored_at, entry.last_seen) if at is not None]
    return Item(
        ref=entry.id,
        name=entry.text,
        kind="entry",
        weight=entry.importance,
        size=len(entry.text),
        changed_at=max(told, default=datetime.fromtimestamp(0, UTC)),
        # To be told again is to be looked at again.
        accesses=(looked_at.count if looked_at else 0) + entry.seen - 1,
        accessed_at=looked_at.latest if looked_at else None,
        questions=_bearing(questions, (entry.id,), held),
    )
