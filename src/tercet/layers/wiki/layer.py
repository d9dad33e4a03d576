"""The wiki layer behind the common interface, and what is done with its notes."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, TypeVar

from tercet.errors import InvalidInputError, TercetError, VaultUnavailableError
from tercet.identity import owner_reach
from tercet.layers.wiki.freshness import TAKING_IN, Freshness
from tercet.layers.wiki.linking import links_at
from tercet.layers.wiki.lint import lint
from tercet.layers.wiki.refs import NoteRef, find_note, find_notes, lines_of, parse_note_ref
from tercet.layers.wiki.retrieval import find_hits, mentioned_hits
from tercet.layers.wiki.writing import NoteWriter
from tercet.model import SHARED, BackendStatus, Probe, Reach, Scope, SearchResult
from tercet.ports.note_index import NoteFilter

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection, Sequence
    from datetime import datetime

    from tercet.layers.wiki.linking import NoteLinks
    from tercet.layers.wiki.lint import LintFinding
    from tercet.layers.wiki.writing import NoteText
    from tercet.model import FileText, Hit, Note, SearchOptions
    from tercet.ports import Clock
    from tercet.ports.note_index import NoteIndex
    from tercet.ports.vault import Vault

T = TypeVar("T")

REFRESH_SHARE: Final = 0.5
"""Share of the deadline that a search may spend on changed notes; the rest is taken in behind it."""
STATUS_PATIENCE_S: Final = 5.0
"""A large vault that was never read takes longer: the status then says so."""
PROMPT_PATIENCE_S: Final = 1.0
"""A prompt does not wait longer for changed notes; the rest is taken in behind it."""
PROMPT_COVERAGE: Final = 0.6
PROMPT_TITLE: Final = 0.4
"""A note that a message does not name is for its prompt when one section of it holds that much of the
message (by idf), or its title that much: a single word somewhere in a long note is none of its topics."""
BY_WORDS: Final = "the wiki layer searches by words: it needs neither embedder nor vector store"


@dataclass(frozen=True, slots=True)
class WikiParts:
    """What the layer is made of."""

    agent: str
    vault: Vault
    index: NoteIndex
    clock: Clock


class WikiLayer:
    """Notes of a vault, found by words, read and written.

    What a reach sees is the shared notes, when it holds ``SHARED``, and those in the folders of its
    own anchors; any other note is not found, whatever it is called by. Without a reach it is the
    owner's.
    """

    def __init__(self, parts: WikiParts) -> None:
        """Hold the parts; nothing is opened yet."""
        self._parts = parts
        self._freshness = Freshness(parts.vault, parts.index, parts.clock)
        self._writer = NoteWriter(parts.vault, parts.clock)
        self._appending = asyncio.Lock()
        """Held from looking for a note to making it, so that one title makes one note."""

    async def search(self, query: str, options: SearchOptions) -> SearchResult:
        """Take in changed notes, then return the hits, best first; by words in every mode but ``vector``.

        Raises:
            InvalidInputError: the query is blank or the limit below 1 (permanent).
        """
        if not query.strip():
            msg = "The query is blank: give at least one word."
            raise InvalidInputError(msg)
        if options.limit < 1:
            msg = f"The limit {options.limit} is out of range: give 1 or more."
            raise InvalidInputError(msg)
        started = time.perf_counter()
        if options.mode == "vector":
            return SearchResult([])
        seconds = REFRESH_SHARE * options.deadline_s if options.deadline_s else None
        stale = await self._freshness.within(seconds)
        where = NoteFilter(options.reach or self._owner(), options.categories, options.time_range)
        hits = await self._freshness.asked(lambda: find_hits(self._parts.index, query, where, options.limit))
        wanted = [hit for hit in hits if hit.score >= (options.min_score or 0.0)]
        told = wanted if options.explain else [replace(hit, explanation=None) for hit in wanted]
        return SearchResult(told, degraded=stale, took_ms=(time.perf_counter() - started) * 1000)

    async def prompt_notes(self, message: str, reach: Reach | None, now: datetime, limit: int) -> SearchResult:
        """Return the notes about the people and topics of a message, for its prompt.

        First those whose title or alias stands in it, then those that a search finds to be about the
        same (``PROMPT_COVERAGE``, ``PROMPT_TITLE``); each once, with explanations.

        Args:
            message: What was said, in words.
            reach: What the speaker may see; None is the owner's.
            now: Aware; a note of a later day than this is left out.
            limit: >= 1.
        """
        if not message.strip():
            return SearchResult([])
        where = NoteFilter(reach or self._owner())
        index = self._parts.index
        stale = await self._freshness.within(PROMPT_PATIENCE_S)
        named = await self._freshness.asked(lambda: mentioned_hits(index, message, where.reach))
        found = await self._freshness.asked(lambda: find_hits(index, message, where, limit))
        seen = {hit.passage.id for hit in named}
        others = (hit for hit in found if hit.passage.id not in seen and _is_about(hit))
        hits = [hit for hit in (*named, *others) if not _is_later(hit, now)]
        return SearchResult(hits[:limit], degraded=stale)

    async def read_file(
        self, ref: str, start: int | None = None, lines: int | None = None, *, reach: Reach | None = None
    ) -> FileText:
        """Return lines of a note.

        Args:
            ref: An id, ``wiki:path``, a path, a title or an alias, perhaps with ``#L1-L4``.
            start: First line instead of the ref's own, >= 1.
            lines: How many lines, >= 1; None reads to the end of the ref's span, or of the file.
            reach: What may be seen.

        Raises:
            NotFoundError, AmbiguousRefError, InvalidInputError: permanent.
        """
        named = parse_note_ref(ref)
        found = await self.text_of(named.name, reach)
        return lines_of(found.text, found.note.path, named, start, lines)

    async def status(self) -> BackendStatus:
        """Return health and size, after taking in what changed as far as ``STATUS_PATIENCE_S`` goes."""
        try:
            stale = await self._freshness.within(STATUS_PATIENCE_S)
            rows = len(await self._parts.index.files())
            size = await self._parts.index.size_bytes()
        except TercetError as error:
            return BackendStatus("wiki", healthy=False, rows=0, bytes_on_disk=0, notes=(str(error),))
        return BackendStatus("wiki", stale in {None, TAKING_IN}, rows, size, (stale,) if stale else ())

    async def probe_embedding_availability(self) -> Probe:
        """Say that search by meaning is not for this layer."""
        return Probe(ok=False, reason=BY_WORDS, permanent=True)

    async def probe_vector_availability(self) -> Probe:
        """Say that this layer has no vectors."""
        return Probe(ok=False, reason=BY_WORDS, permanent=True)

    async def new(
        self,
        title: str,
        *,
        body: str = "",
        type: str = "",  # noqa: A002 - the key it is written under
        tags: Sequence[str] = (),
        aliases: Sequence[str] = (),
        sources: Sequence[str] = (),
        anchor: str = SHARED,
    ) -> NoteText:
        """Write a new note; one of the same title is left as it is and the new one gets a name of its own.

        Args:
            title: Any characters; the file's name is made from it.
            body: Markdown.
            type: ``entity``, ``concept``, ``synthesis``, ``source``, ``report`` or another word.
            tags: Without ``#``.
            aliases: Other names.
            sources: What it rests on.
            anchor: Whose note it is: that of the session in which it is written.

        Raises:
            InvalidInputError: the title is blank (permanent).
            VaultUnavailableError: it cannot be written (transient).
        """
        scope = Scope(self._parts.agent, anchor)
        return await self._writer.new(title, scope, body=body, type=type, tags=tags, aliases=aliases, sources=sources)

    async def show(self, ref: str, reach: Reach | None = None) -> NoteText:
        """Return a note as it lies in the vault now (``text_of`` by another name)."""
        return await self.text_of(ref, reach)

    async def text_of(self, ref: str, reach: Reach | None = None) -> NoteText:
        """Return a note with its text and the digest that ``replace`` expects.

        Raises:
            NotFoundError: no note in reach is called so, or it is gone (permanent).
            AmbiguousRefError: several are (permanent).
        """
        note = await self._find(parse_note_ref(ref), reach or self._owner())
        return await self._writer.read(note.path)

    async def replace(self, ref: str, text: str, expected: str, reach: Reach | None = None) -> NoteText:
        """Put an edited text in place of a note.

        Args:
            ref: As for ``text_of``.
            text: The whole file.
            expected: ``sha256`` of the note as it was read.
            reach: What the writer may see. With a reach of its own a session writes its anchors'
                notes alone: what it may only read is shared with others.

        Raises:
            InvalidInputError: the text is blank or its front matter cannot be read; or the note is
                shared and the writer's session is not (permanent).
            WriteConflictError: it was changed meanwhile; nothing was written (permanent).
            NotFoundError, AmbiguousRefError: as for ``text_of``.
        """
        note = await self._find(parse_note_ref(ref), reach or self._owner())
        if reach is not None and note.scope.anchor == SHARED:
            msg = f"The note {note.path} is shared with everyone: edit it without a session, or write one of your own."
            raise InvalidInputError(msg)
        return await self._writer.replace(note.path, text, expected)

    async def append(
        self,
        title: str,
        heading: str,
        text: str,
        sources: Sequence[str] = (),
        *,
        anchor: str = SHARED,
        type: str = "",  # noqa: A002 - the key it is written under
    ) -> NoteText:
        """Add text under a heading at the end of a note, which is made when there is none.

        Nothing that is there is dropped; what others write meanwhile stays.

        Args:
            title: Title, alias, path or id of a note of this very anchor; of several the first by path.
            heading: One line, e.g. a date.
            text: Markdown.
            sources: What it rests on; added to those of the note.
            anchor: Whose note it is. A private session's words never go into a note that others read.
            type: Of the note, when it is made.

        Raises:
            InvalidInputError: title, heading or text is blank (permanent).
            WriteConflictError: others changed the note every time (permanent).
            VaultUnavailableError: it cannot be written (transient).
        """
        own = Reach(self._parts.agent, (anchor,))
        async with self._appending:
            notes = await self._asked(lambda: find_notes(self._parts.index, NoteRef(title), own))
            if notes:
                path = notes[0].path
            else:
                path = (await self.new(title, type=type, sources=sources, anchor=anchor)).note.path
            return await self._writer.append(path, heading, text, sources)

    async def retract(self, facts: Collection[str], anchor: str) -> int:
        """Take out of an anchor's notes what an extraction appended to them; returns how many notes changed.

        Raises:
            VaultUnavailableError: notes hold some of it and cannot be read or written (transient).
            InvalidInputError, WriteConflictError: as for ``NoteWriter.retract``.
        """
        index = self._parts.index
        stale = await self._freshness.within(None)
        own = Reach(self._parts.agent, (anchor,))
        paths = [note.path for note in await self._freshness.asked(index.notes) if _is_seen(note, own)]
        texts = await index.texts(paths)
        holding = [path for path in paths if any(f"- {fact}" in texts.get(path, "") for fact in facts)]
        if stale is not None and holding:
            raise VaultUnavailableError(stale)
        return sum([await self._writer.retract(path, facts) for path in holding])

    async def texts_with(self, words: Collection[str], anchor: str) -> dict[str, str]:
        """Return the texts of an anchor's notes that hold any of these words, by path, as last taken in."""
        index = self._parts.index
        await self._freshness.within(None)
        own = Reach(self._parts.agent, (anchor,))
        paths = [note.path for note in await self._freshness.asked(index.notes) if _is_seen(note, own)]
        texts = await index.texts(paths)
        return {path: text for path, text in sorted(texts.items()) if any(each in text for each in words)}

    async def paths_of(self, anchors: Sequence[str]) -> list[str]:
        """Return the paths of the notes that lie in the folders of these anchors.

        Raises:
            VaultUnavailableError: the vault cannot be read (transient).
        """
        return [file.path for file in await self._parts.vault.files() if file.scope.anchor in anchors]

    async def links(self, ref: str, reach: Reach | None = None) -> NoteLinks:
        """Return where a note's links lead and what leads to it, among the notes in reach.

        Raises:
            NotFoundError, AmbiguousRefError: as for ``text_of``.
        """
        seen = reach or self._owner()
        note = await self._find(parse_note_ref(ref), seen)
        return links_at(note.path, await self._notes(seen))

    async def lint(self, reach: Reach | None = None) -> list[LintFinding]:
        """Return what is wrong in the notes in reach, by path and line; None looks at the whole vault."""
        notes = await self._notes(reach)
        return lint(notes, await self._parts.index.texts([note.path for note in notes]))

    async def close(self) -> None:
        """End what still runs behind answers and let go of the index."""
        await self._freshness.close()

    async def _find(self, ref: NoteRef, reach: Reach) -> Note:
        return await self._asked(lambda: find_note(self._parts.index, ref, reach))

    async def _notes(self, reach: Reach | None) -> list[Note]:
        notes = await self._asked(self._parts.index.notes)
        return notes if reach is None else [note for note in notes if _is_seen(note, reach)]

    async def _asked(self, ask: Callable[[], Awaitable[T]]) -> T:
        """Take in what changed, then ask the index."""
        await self._freshness.within(None)
        return await self._freshness.asked(ask)

    def _owner(self) -> Reach:
        return owner_reach(self._parts.agent)


def _is_seen(note: Note, reach: Reach) -> bool:
    return note.scope.agent == reach.agent and note.scope.anchor in reach.anchors


def _is_about(hit: Hit) -> bool:
    values = {part.name: part.value for part in hit.explanation.parts} if hit.explanation else {}
    return values.get("coverage", 0.0) >= PROMPT_COVERAGE or values.get("title", 0.0) >= PROMPT_TITLE


def _is_later(hit: Hit, now: datetime) -> bool:
    at = hit.passage.timestamp
    return at is not None and at.date() > now.astimezone(at.tzinfo).date()
