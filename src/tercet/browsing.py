"""What a person who looks into a memory is shown: people, files, the timeline, what waits, what would go."""

from __future__ import annotations

import base64
import binascii
import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, TypeAlias

from tercet.errors import AmbiguousRefError, InvalidInputError, NotFoundError
from tercet.layers.semantic.chunking import rows_of_file
from tercet.layers.semantic.lent_roots import lent_ref
from tercet.layers.semantic.refs import parse_file_ref
from tercet.model import SHARED, Reach
from tercet.ranking.federation import NOTES_ROOT, vault_path
from tercet.text.envelopes import sanitise_user_text
from tercet.text.lines import split_lines
from tercet.text.notes.edit import without_facts
from tercet.text.redaction import redact
from tercet.text.same_text import text_digest

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence

    from tercet.model import Category, Entry, InboxItem, Row
    from tercet.ports import EntryState, FileRecord, FileStore, Ledger, PassageState, Recorded, RootRecord, Unworked

    NotesWith: TypeAlias = Callable[[Collection[str], str], Awaitable[Mapping[str, str]]]

Cursor: TypeAlias = str
"""Where a page of the timeline ends; opaque, and good for as long as the memory lasts."""

MOST_AT_ONCE: Final = 500
"""Items of one page."""
MOST_UNWORKED: Final = 1_000_000
"""Messages among which those that a forget takes are sought: all of them."""
ALL_STATES: Final[tuple[EntryState, ...]] = ("live", "superseded", "forgotten")


@dataclass(frozen=True, slots=True)
class FileSummary:
    """One indexed file, as the index has it."""

    ref: str
    """``root:path``, as answers name it."""
    root: str
    path: str
    """Below the root; of a note in the vault."""
    directory: str
    """Absolute, the folder that is indexed."""
    size: int
    """Bytes."""
    changed_at: datetime
    chunks: int
    waiting: int
    """Chunks without a vector."""
    warning: str
    """What was wrong when it was read; empty when nothing was."""
    note: str
    """Ref of the note that it is; empty for any other file."""
    anchor: str
    """Whose it is; empty when it is shared."""


@dataclass(frozen=True, slots=True)
class ChunkSpan:
    """A span of lines of a file that searches find as one passage."""

    id: str
    start_line: int
    end_line: int
    header: str
    """Heading path joined with ``" > "``."""
    has_vector: bool
    terms: int
    """How many, with repeats."""
    is_indexed: bool = True
    """False for what the index does not have as it stands here now."""


@dataclass(frozen=True, slots=True)
class FileView:
    """A file as it lies on disk now, and how it is cut."""

    summary: FileSummary
    text: str
    digest: str
    """sha256 of its bytes."""
    is_stale: bool
    """Whether it is not what was indexed."""
    chunks: tuple[ChunkSpan, ...]
    """Of the text as it is now, in line order; blank lines and bare headings are in none."""


@dataclass(frozen=True, slots=True)
class TimelineItem:
    """An entry, with what it replaced and what replaced it."""

    entry: Entry
    """Of a forgotten one no more than id, scope, category, ``stored_at`` and state."""
    superseded: tuple[Entry, ...] = ()
    superseded_by: str = ""
    undo_until: datetime | None = None
    """Until when a forgotten one can be brought back."""


@dataclass(frozen=True, slots=True)
class TimelinePage:
    """Some of the timeline, the latest first."""

    items: tuple[TimelineItem, ...]
    older: Cursor | None
    """Leads to the next page; None on the last."""


@dataclass(frozen=True, slots=True)
class WaitingItem:
    """A message that no entry was made of yet."""

    id: str
    anchor: str
    session: str
    text: str
    """Envelopes and secrets taken out."""
    said_at: datetime | None
    received_at: datetime
    attempts: int
    is_dead: bool
    """Given up; it is kept and not tried again."""
    reason: str
    """Why it was given up; empty while it waits."""
    next_try: datetime | None
    """At the earliest; None when it is dead, or can be tried at once."""


@dataclass(frozen=True, slots=True)
class NoteLines:
    """Lines of one note that say what is to be forgotten."""

    ref: str
    gone: tuple[str, ...]
    """An extraction appended them: they are taken out."""
    left: tuple[str, ...]
    """Somebody wrote them: they stay."""


@dataclass(frozen=True, slots=True)
class ForgetPreview:
    """What a forget of some ids would take."""

    entries: tuple[Entry, ...]
    """In the order of the ids."""
    waiting: tuple[WaitingItem, ...]
    """Messages that were named, or say the same as an entry in the same scope; these go for good."""
    notes: tuple[NoteLines, ...]


@dataclass(frozen=True, slots=True)
class UndoPreview:
    """What an undo without ids would bring back."""

    ids: tuple[str, ...]
    until: datetime | None
    """When that lapses; None when there is nothing."""


@dataclass(frozen=True, slots=True)
class BrowsingParts:
    """What browsing reads."""

    agent: str
    ledger: Ledger
    reach: Callable[[str | None], Awaitable[Reach]]
    """What a session may see; of None the owner."""
    take_in: Callable[[], Awaitable[None]]
    """Brings into the inbox what it would not take before."""
    notes_with: NotesWith
    """Returns the texts of an anchor's notes that hold any of some words, by path in the vault."""
    files: FileStore | None = None
    """None where no folders are indexed, since that layer is not used."""
    refresh: Callable[[], Awaitable[object]] | None = None
    """Takes in changed files."""


class Browsing:
    """Reads for whoever looks into a memory, and changes nothing.

    Every method shows what its session may see and nothing else; without a session key that is what
    the agent's owner sees. A forget or an undo without a session key is the whole agent's, and so is
    its preview.
    """

    def __init__(self, parts: BrowsingParts) -> None:
        """Hold the parts."""
        self._parts = parts

    async def people(self) -> list[str]:
        """Return the anchors under which the agent has anything, sorted; each is a session key.

        For the owner alone: who else speaks to the agent is nobody's business.
        """
        ledger, agent = self._parts.ledger, self._parts.agent
        roots = await ledger.manifest.roots(agent)
        anchors = {*(await ledger.journal.anchors(agent)), *(root.scope.anchor for root in roots)}
        return sorted(anchors - {SHARED})

    async def files(self, *, session_key: str | None = None) -> list[FileSummary]:
        """Return every indexed file in reach as the index has it, by root and path.

        Raises:
            IdentityError: the session key is malformed (permanent).
        """
        if self._parts.files is None:
            return []
        manifest = self._parts.ledger.manifest
        found: list[FileSummary] = []
        for root in await self._roots(await self._parts.reach(session_key)):
            counts = await manifest.file_counts(root.label)
            records = await manifest.files(root.label)
            found += [_summary(root, record, *counts.get(path, (0, 0))) for path, record in records.items()]
        return sorted(found, key=lambda file: (file.root, file.path))

    async def file(self, ref: str, *, session_key: str | None = None) -> FileView:
        """Take in changed files, then return one as it lies on disk.

        Args:
            ref: ``root:path`` or a path; lines in it are passed over.
            session_key: Who asks; None is the agent's owner.

        Raises:
            NotFoundError, AmbiguousRefError, InvalidInputError: permanent.
        """
        parts = self._parts
        if parts.files is None:
            msg = "The layer memory-lancedb is not used: 'tercet plugins enable memory-lancedb' brings it back."
            raise InvalidInputError(msg)
        if parts.refresh is not None:
            await parts.refresh()
        root, record = await self._located(ref, await parts.reach(session_key))
        content = await parts.files.read(root.directory, record.path)
        states = await parts.ledger.manifest.passage_states(root.label, record.path)
        known = {state.id: state for state in states}
        chunks = tuple(_span(row, known.get(row.passage.id)) for row in rows_of_file(root, record.path, content.text))
        summary = _summary(root, record, len(states), sum(not state.has_vector for state in states))
        return FileView(summary, content.text, content.sha256, content.sha256 != record.sha256, chunks)

    async def timeline(
        self,
        *,
        session_key: str | None = None,
        before: Cursor | None = None,
        limit: int = 50,
        states: Sequence[EntryState] = ALL_STATES,
        categories: Sequence[Category] = (),
        since: datetime | None = None,
        until: datetime | None = None,
    ) -> TimelinePage:
        """Return entries in reach by the time they were stored, the latest first.

        Forgotten ones are shown while they can be brought back, and without their text.

        Args:
            session_key: Who asks; None is the agent's owner.
            before: Of the page before.
            limit: 1 to 500.
            states: Only these.
            categories: Only these; empty for all.
            since: Aware; stored then or later.
            until: Aware; stored before then.

        Raises:
            InvalidInputError: the limit is out of range, a time has no zone, the cursor is not one of
                these, or the session key is malformed (permanent).
        """
        _check_limit(limit)
        journal, reach = self._parts.ledger.journal, await self._parts.reach(session_key)
        found = await journal.page(
            reach,
            states=states,
            categories=categories,
            since=_with_zone(since),
            until=_with_zone(until),
            before=None if before is None else _place_of(before),
            limit=limit + 1,
        )
        shown = found[:limit]
        retired = [each for recorded in shown for each in recorded.supersedes]
        texts = {entry.id: entry for entry in await journal.get(retired, reach)} if retired else {}
        items = tuple(_timeline_item(recorded, texts) for recorded in shown)
        return TimelinePage(items, _cursor(shown[-1].entry) if len(found) > limit else None)

    async def waiting(self, *, session_key: str | None = None, limit: int = 100) -> list[WaitingItem]:
        """Return the messages in reach that wait or were given up, the last handed over first.

        Raises:
            InvalidInputError: the limit is not within 1 to 500, or the session key malformed (permanent).
        """
        _check_limit(limit)
        await self._parts.take_in()
        reach = await self._parts.reach(session_key)
        return [_waiting_item(each) for each in await self._parts.ledger.inbox.unworked(reach, limit)]

    async def forget_preview(self, ids: Sequence[str], *, session_key: str | None = None) -> ForgetPreview:
        """Return what a forget of these ids would take, and what notes would still say of it.

        Raises:
            NotFoundError: an id is neither an entry in reach nor a message that waits (permanent).
        """
        await self._parts.take_in()
        reach, wanted = await self._whole_reach(session_key), dict.fromkeys(ids)
        entries = await self._parts.ledger.journal.get(list(wanted), reach)
        unworked = await self._parts.ledger.inbox.unworked(reach, MOST_UNWORKED)
        told = {(entry.scope, text_digest(entry.text)) for entry in entries}
        named = {each.item.id for each in unworked if each.item.id in wanted and not each.is_dead}
        for missing in wanted.keys() - named - {entry.id for entry in entries}:
            msg = f"There is no entry {missing!r} here: take a whole id from the timeline or from a search."
            raise NotFoundError(msg)
        going = [each for each in unworked if each.item.id in named or _says(each.item) in told]
        return ForgetPreview(
            tuple(entries), tuple(_waiting_item(each) for each in going), tuple(await self._note_lines(entries))
        )

    async def undo_preview(self, *, session_key: str | None = None) -> UndoPreview:
        """Return what of the last forget can be brought back, and until when."""
        journal, agent = self._parts.ledger.journal, self._parts.agent
        ids = await journal.last_forgotten(agent)
        left = await journal.undo_until(ids, agent)
        if session_key is not None:
            anchors = (await self._parts.reach(session_key)).anchors
            left = {entry_id: held for entry_id, held in left.items() if held[0].anchor in anchors}
        until = min((at for _, at in left.values()), default=None)
        return UndoPreview(tuple(entry_id for entry_id in ids if entry_id in left), until)

    async def _roots(self, reach: Reach) -> list[RootRecord]:
        roots = await self._parts.ledger.manifest.roots(reach.agent)
        return [root for root in roots if root.scope.anchor in reach.anchors]

    async def _located(self, ref: str, reach: Reach) -> tuple[RootRecord, FileRecord]:
        roots = await self._roots(reach)
        labels = {root.label for root in roots}
        target = parse_file_ref(ref if NOTES_ROOT in labels else lent_ref(ref, reach.agent), labels)
        found: list[tuple[RootRecord, FileRecord]] = []
        for root in roots:
            if target.root in {None, root.label}:
                record = (await self._parts.ledger.manifest.files(root.label)).get(target.path)
                found += [(root, record)] if record is not None else []
        if len(found) > 1:
            choices = ", ".join(f"{root.label}:{record.path}" for root, record in found)
            msg = f"{target.path!r} is in several indexed folders: say which, {choices}."
            raise AmbiguousRefError(msg)
        if not found:
            msg = f"{ref!r} is no indexed file: take a ref from the list of files, or index its folder."
            raise NotFoundError(msg)
        return found[0]

    async def _whole_reach(self, session_key: str | None) -> Reach:
        """Return what a forget by id reaches: without a session key everything of the agent."""
        if session_key is not None:
            return await self._parts.reach(session_key)
        anchors = await self._parts.ledger.journal.anchors(self._parts.agent)
        return Reach(self._parts.agent, tuple(dict.fromkeys((SHARED, *anchors))))

    async def _note_lines(self, entries: Sequence[Entry]) -> list[NoteLines]:
        facts: dict[str, set[str]] = {}
        for entry in entries:
            facts.setdefault(entry.scope.anchor, set()).add(_in_one_line(entry.text))
        found: list[NoteLines] = []
        for anchor, told in facts.items():
            texts = await self._parts.notes_with(told, anchor)
            found += [_lines_about(f"{NOTES_ROOT}:{path}", text, told) for path, text in texts.items()]
        return found


def _summary(root: RootRecord, record: FileRecord, chunks: int, waiting: int) -> FileSummary:
    in_vault = vault_path(root.label, record.path)
    label, path = (root.label, record.path) if in_vault is None else (NOTES_ROOT, in_vault)
    ref = f"{label}:{path}"
    return FileSummary(
        ref=ref,
        root=label,
        path=path,
        directory=root.directory,
        size=record.size,
        changed_at=datetime.fromtimestamp(record.mtime_ns / 1e9, UTC),
        chunks=chunks,
        waiting=waiting,
        warning=record.warning,
        note="" if in_vault is None else ref,
        anchor=root.scope.anchor,
    )


def _span(row: Row, state: PassageState | None) -> ChunkSpan:
    passage = row.passage
    has_vector = state is not None and state.has_vector
    return ChunkSpan(
        passage.id,
        passage.start_line,
        passage.end_line,
        passage.header,
        has_vector,
        len(row.terms),
        is_indexed=state is not None,
    )


def _timeline_item(recorded: Recorded, texts: Mapping[str, Entry]) -> TimelineItem:
    superseded = tuple(texts[each] for each in recorded.supersedes if each in texts)
    return TimelineItem(recorded.entry, superseded, recorded.entry.superseded_by, recorded.undo_until)


def _waiting_item(unworked: Unworked) -> WaitingItem:
    item = unworked.item
    return WaitingItem(
        id=item.id,
        anchor=item.scope.anchor,
        session=item.session,
        text=redact(sanitise_user_text(item.text).text).text,
        said_at=item.said_at,
        received_at=item.received_at,
        attempts=item.attempts,
        is_dead=unworked.is_dead,
        reason=unworked.reason,
        next_try=unworked.not_before,
    )


def _says(item: InboxItem) -> tuple[object, str]:
    return item.scope, text_digest(item.text)


def _lines_about(ref: str, text: str, facts: Collection[str]) -> NoteLines:
    """Return the lines of a note that hold a fact, as a forget takes them out or leaves them."""
    held = _holding(text, facts)
    left = _holding(without_facts(text, facts), facts)
    gone = list(held)
    for line in left:
        gone.remove(line)
    return NoteLines(ref, tuple(gone), tuple(left))


def _holding(text: str, facts: Collection[str]) -> list[str]:
    lines = [_in_one_line(line) for line in split_lines(text)]
    return [line for line in lines if any(fact in line for fact in facts)]


def _in_one_line(text: str) -> str:
    return " ".join(text.split())


def _check_limit(limit: int) -> None:
    if not 1 <= limit <= MOST_AT_ONCE:
        msg = f"The limit {limit} is out of range: give 1 to {MOST_AT_ONCE}."
        raise InvalidInputError(msg)


def _with_zone(at: datetime | None) -> datetime | None:
    if at is not None and at.tzinfo is None:
        msg = f"The time {at.isoformat()} has no zone: add one, e.g. +00:00."
        raise InvalidInputError(msg)
    return at


def _cursor(entry: Entry) -> Cursor:
    stored_at = entry.stored_at or datetime.fromtimestamp(0, UTC)
    place = json.dumps([stored_at.isoformat(), entry.id]).encode()
    return base64.urlsafe_b64encode(place).rstrip(b"=").decode()


def _place_of(cursor: Cursor) -> tuple[datetime, str]:
    try:
        place = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
        stored_at, entry_id = json.loads(place)
        return datetime.fromisoformat(stored_at).astimezone(UTC), str(entry_id)
    except (binascii.Error, ValueError, TypeError) as error:
        msg = f"The cursor {cursor!r} leads nowhere: begin at the first page."
        raise InvalidInputError(msg) from error
