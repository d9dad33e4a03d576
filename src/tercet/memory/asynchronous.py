"""The facade that every interface calls."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from tercet.capture.transcripts import read_transcript
from tercet.errors import InvalidInputError, TercetError, TransientError
from tercet.host import RECALLED_HITS
from tercet.layers.semantic.indexing import IndexReport
from tercet.memory.notes import Notes
from tercet.model import SearchOptions
from tercet.recall.section import after_window
from tercet.search_settings import with_settings
from tercet.text.token_count import token_count

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import datetime

    from tercet.capture.session_extraction import ExtractionReport
    from tercet.capture.transcripts import Transcript
    from tercet.capture.worker import CaptureReport
    from tercet.diagnosis import MemoryStatus
    from tercet.importing.entry_import import ImportReport
    from tercet.importing.facts import ImportedFact
    from tercet.insight.salience import Salient
    from tercet.keeping import ForgetReport
    from tercet.layers.active.memory import ActiveMemory
    from tercet.layers.semantic.layer import SemanticLayer
    from tercet.layers.semantic.reembedding import ReembedReport
    from tercet.layers.semantic.standing import Standing
    from tercet.memory.parts import MemoryParts
    from tercet.model import Category, Entry, FileText, Finding, RecallSection, SearchResult, Turn
    from tercet.ports.windows import SessionStatus


WINDOW_SHARE = 0.4
"""Of a recall's budget: what the latest turns may take, where they are wanted."""


class AsyncMemory:
    """One agent's memory; made by ``tercet.app.build_async``."""

    def __init__(self, parts: MemoryParts) -> None:
        """Hold the parts."""
        self._loaded = parts.loaded
        self._host = parts.host
        self._semantic = parts.semantic
        self._doctor = parts.doctor
        self._loop = parts.loop
        self._keeping = parts.keeping
        self._clock = parts.clock
        self._tending = parts.tending
        self._changes = parts.changes
        self._close = parts.close
        self._active = parts.active
        self._uses_semantic = parts.uses_semantic
        self.wiki = Notes(parts.wiki, parts.loaded.settings.agent, parts.keeping.reach)
        """The notes of the vault."""
        self.graph = parts.graph
        """What belongs together."""
        self.browse = parts.browsing
        """For whoever looks into the memory."""

    @property
    def default_options(self) -> SearchOptions:
        """Options with the settings' limit and nothing else decided."""
        return SearchOptions(limit=self._loaded.settings.retrieval.limit)

    async def search(
        self, query: str, options: SearchOptions | None = None, *, session_key: str | None = None
    ) -> SearchResult:
        """Return the hits for a query, best first; what the options leave open comes from the settings.

        Args:
            query: In words, in any language.
            options: How to search; a ``reach`` given here stands.
            session_key: Who asks (``telegram:123``); None is the agent's owner.

        Raises:
            InvalidInputError: blank query, an option out of range, or a malformed session key.
        """
        given = await self._with_reach(options or self.default_options, session_key)
        found = await self._host.search(query, with_settings(given, self._loaded.settings.retrieval))
        if not given.related or given.reach is None:
            return found
        return await self.graph.relate(found, given.related, given.reach, session_key=session_key)

    async def recall(
        self,
        message: str,
        session_key: str | None = None,
        now: datetime | None = None,
        budget_tokens: int | None = None,
    ) -> RecallSection:
        """Return the section of a prompt for an incoming message, before the agent answers it.

        Args:
            message: As the host has it; envelopes are taken off.
            session_key: Who speaks (``telegram:123``); None is the agent's owner.
            now: Aware; relative dates count from it. None is the present.
            budget_tokens: Hard; None is ``recall.budget_tokens`` of the settings.

        Raises:
            InvalidInputError: a malformed session key, or a time without a zone.
        """
        settings, at = self._loaded.settings, now or self._clock.now()
        options = SearchOptions(
            limit=RECALLED_HITS, min_score=settings.recall.min_score, now=at, deadline_s=settings.recall.deadline_s
        )
        reached = await self._with_reach(options, session_key)
        budget = settings.recall.budget_tokens if budget_tokens is None else budget_tokens
        window = await self._window(session_key, budget)
        section = await self._host.recall(
            message,
            with_settings(reached, settings.retrieval),
            now=at,
            budget_tokens=budget - token_count(window),
            placement=settings.recall.placement,
        )
        section = after_window(section, window)
        if settings.capture.enabled:
            self._loop.wake()  # what another process left in the inbox is worked in behind the answer
        return section

    async def agent_end(self, turn: Turn) -> None:
        """Hand over what was said; returns as soon as it is durable, and never raises into the agent.

        Raises:
            InvalidInputError: a malformed session key, or a time without a zone: nothing else.
        """
        await self._loop.agent_end(turn)

    async def capture(
        self, transcript: Iterable[str], session_key: str | None = None
    ) -> tuple[Transcript, CaptureReport]:
        """Take in a whole transcript (its lines, JSON each) and work it into entries.

        Args:
            transcript: OpenClaw v3, pi v1, Claude Code, or lines with ``role`` and ``content``.
            session_key: Whose it is; None is the file's own key, or else the agent's owner.

        Returns:
            What was read of it, and what was kept, skipped (why) and merged.

        Raises:
            InvalidInputError: it is no transcript (permanent).
        """
        read = read_transcript(transcript)
        return read, await self._loop.capture(read, session_key or read.session_key or "main")

    async def flush(self) -> CaptureReport:
        """Work in everything that waits in the inbox, as far as the embedder lets it."""
        return await self._loop.flush()

    async def remember(
        self,
        text: str,
        *,
        category: Category = "fact",
        importance: float = 0.7,
        session_key: str | None = None,
        supersedes: Sequence[str] = (),
    ) -> Entry:
        """Store one fact now; the entry returned may be an older one that says the same.

        Raises:
            InvalidInputError: blank, importance outside [0, 1], or a ``supersedes`` id not live in this scope.
        """
        return await self._keeping.remember(
            text, category=category, importance=importance, session_key=session_key, supersedes=supersedes
        )

    async def import_facts(self, facts: Sequence[ImportedFact], session_key: str | None = None) -> ImportReport:
        """Take facts of another memory over as entries, oldest first; again adds nothing."""
        return await self._keeping.import_facts(facts, session_key)

    async def list_entries(self, session_key: str | None = None, since: datetime | None = None) -> list[Entry]:
        """Return live entries that a session sees, newest first."""
        return await self._keeping.list_entries(session_key, since)

    async def history(self, entry_id: str, session_key: str | None = None) -> list[Entry]:
        """Return what an entry replaced and what replaced it, oldest first.

        Raises:
            NotFoundError: there is no such entry in reach.
        """
        return await self._keeping.history(entry_id, session_key)

    async def forget(
        self,
        ids: Sequence[str] = (),
        *,
        query: str | None = None,
        session: str | None = None,
        anchor: str | None = None,
        session_key: str | None = None,
        confirm: bool = False,
    ) -> ForgetReport:
        """Take entries out of every read at once: by id, query, session, or everything about a person.

        A query only shows its candidates unless ``confirm`` is set. ``session_key`` says whose
        memory ids and query are sought in.

        Raises:
            NotFoundError: an id is no entry; nothing is removed.
            InvalidInputError: none or several ways are given.
        """
        await self._loop.take_in()
        report = await self._keeping.forget(
            ids, query=query, session=session, anchor=anchor, session_key=session_key, confirm=confirm
        )
        if report.purge_at is not None:
            self._loop.erase_at(report.purge_at)
        await self.graph.leave_out(report.removed)
        return report

    async def undo(self, ids: Sequence[str] = ()) -> list[str]:
        """Bring back what the last forget took, or these ids; returns the ids.

        Raises:
            NotFoundError: there is nothing left to bring back.
        """
        return await self._keeping.undo(ids)

    async def link(self, name: str, keys: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """Make session keys one person; returns all links (IdentityError: a key is a group's or another's)."""
        return await self._keeping.link(name, keys)

    async def unlink(self, name: str, keys: Sequence[str] = ()) -> dict[str, tuple[str, ...]]:
        """Part session keys from a name, or with none drop the name; returns what is left."""
        return await self._keeping.unlink(name, keys)

    async def links(self) -> dict[str, tuple[str, ...]]:
        """Return anchors by name."""
        return await self._keeping.links()

    async def prepare(self) -> None:
        """Open the store and load the model, so that the first recall keeps its deadline."""
        with suppress(TercetError):  # what is wrong is said by the answers and by the status
            await asyncio.gather(self._host.probe_embedding_availability(), self._host.probe_vector_availability())

    async def _window(self, session_key: str | None, budget_tokens: int) -> str:
        """Return the latest turns for a prompt, where the settings want them there."""
        if self._active is None or not self._loaded.settings.recall.window:
            return ""
        with suppress(TransientError):  # the section without them is still of use
            return await self._active.window_section(session_key or "main", int(WINDOW_SHARE * budget_tokens))
        return ""

    async def session_status(self, session_key: str | None = None) -> tuple[SessionStatus, ...]:
        """Return how conversations stand: their windows, and what came since their last extraction.

        Raises:
            IdentityError: the session key is malformed (permanent).
            InvalidInputError: the active layer is not used (permanent).
        """
        return await self._sessions().status(session_key)

    async def session_flush(self, session_key: str | None = None) -> ExtractionReport:
        """Extract now what is not extracted yet, of one conversation or of all; raises as ``session_status``."""
        await self._loop.flush()
        return await self._sessions().flush(session_key)

    async def end_session(self, session_key: str) -> None:
        """Note that a conversation is over: it is extracted if it holds anything worth keeping."""
        await self._sessions().end_session(session_key)
        self._loop.wake()

    def _sessions(self) -> ActiveMemory:
        if self._active is None:
            msg = "The layer active-memory is not used: 'tercet plugins enable active-memory' brings it back."
            raise InvalidInputError(msg)
        return self._active

    def _indexed(self) -> SemanticLayer:
        if not self._uses_semantic:
            msg = "The layer memory-lancedb is not used: 'tercet plugins enable memory-lancedb' brings it back."
            raise InvalidInputError(msg)
        return self._semantic

    async def _with_reach(self, options: SearchOptions, session_key: str | None) -> SearchOptions:
        return options if options.reach else replace(options, reach=await self._keeping.reach(session_key))

    async def read(
        self, ref: str, start: int | None = None, lines: int | None = None, *, session_key: str | None = None
    ) -> FileText:
        """Return lines of what a ref points at: an id, a path, or ``root:path#L1-L4``.

        Args:
            ref: As a hit gives it.
            start: First line, from 1; None is the first that the ref points at.
            lines: How many; None is all.
            session_key: Who asks; None is the agent's owner.

        Raises:
            NotFoundError, AmbiguousRefError, InvalidInputError: permanent.
        """
        return await self._host.read_file(ref, start, lines, reach=await self._keeping.reach(session_key))

    async def index(
        self,
        directories: Sequence[str] = (),
        *,
        full: bool = False,
        rebuild: bool = False,
        progress: Callable[[int, int], None] | None = None,
        on_wait: Callable[[str], None] | None = None,
    ) -> IndexReport:
        """Index folders of Markdown; without any, bring every indexed folder up to date.

        Args:
            directories: Folders to index.
            full: Read every file, even those whose size and time are unchanged.
            rebuild: Make the whole derived index anew.
            progress: Called with (files done, files to do).
            on_wait: Called with a sentence when another process is indexing.
        """
        report = await self._indexed().index(
            directories, full=full, rebuild=rebuild, progress=progress, on_wait=on_wait
        )
        await self._loop.catch_up()
        return report

    async def remove_folders(self, directories: Sequence[str]) -> IndexReport:
        """Take folders out of the index; their files stay."""
        return await self._indexed().remove_folders(directories)

    async def watch(self, on_report: Callable[[IndexReport], None]) -> None:
        """Follow changes of the indexed folders until cancelled; reports are of runs that found something.

        Raises:
            TransientError: the system refuses to watch. What else is transient stands in a report.
        """
        directories = [root.directory for root in await self._indexed().roots()]
        async for _paths in self._changes(directories, asyncio.Event()):
            try:
                report = await self._semantic.index(())
            except TransientError as error:
                report = IndexReport(degraded=f"{error} The next change tries again.")
            if report != IndexReport(report.files, report.chunks, warnings=report.warnings, skipped=report.skipped):
                on_report(report)

    async def why(
        self, ref: str, query: str, options: SearchOptions | None = None, *, session_key: str | None = None
    ) -> tuple[list[Standing], str | None]:
        """Return where the passages that a ref points at stand for a query, and what was degraded.

        Raises:
            NotFoundError: the ref points at nothing that is indexed and in reach of the session.
        """
        given = await self._with_reach(options or self.default_options, session_key)
        return await self._indexed().why(ref, query, with_settings(given, self._loaded.settings.retrieval))

    async def reembed(self, progress: Callable[[int, int], None] | None = None) -> ReembedReport:
        """Move every vector to the embedder of the settings, while the old ones serve.

        Raises:
            EmbedderUnavailableError: it went away half way; call again to go on (transient).
        """
        return await self._indexed().reembed(progress)

    async def salience(self, top: int = 10, now: datetime | None = None) -> list[Salient]:
        """Return what matters and was not looked at for long, most salient first; ``now`` as for ``recall``."""
        return await self._tending.salience(top, now or self._clock.now())

    async def status(self) -> MemoryStatus:
        """Return settings with their origins, sizes and health."""
        return await self._doctor.status(self._loaded, self._host, self._semantic)

    async def diagnose(self, *, fix: bool = False) -> list[Finding]:
        """Check every part, and with ``fix`` mend what can be mended without losing anything."""
        return await self._doctor.diagnose(self._loaded, self._host, self._semantic, fix=fix)

    async def close(self) -> None:
        """Wait for what is being captured, then let go of stores, models and connections."""
        await self._loop.close()
        await self._close()
