"""Federates the layers: asks each within its deadline, merges what they found, says what was down."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tercet.access_notes import read_item, shown_items
from tercet.errors import InvalidInputError, NotFoundError, TercetError, TransientError
from tercet.layer_health import LayerHealth
from tercet.model import BackendStatus, LayerName, Probe, RecallSection, SearchResult
from tercet.ports.manager import PromptNotes
from tercet.ranking.federation import merge
from tercet.recall.evidence import with_own_evidence
from tercet.recall.gate import skip_reason
from tercet.recall.section import DEFAULT_BUDGET_TOKENS, build_section
from tercet.text.entry_passage import passage_of
from tercet.text.envelopes import sanitise_user_text

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Mapping, Sequence
    from datetime import datetime

    from tercet.access_notes import AccessNotes
    from tercet.model import FileText, Hit, Passage, Placement, Reach, SearchOptions
    from tercet.ports import EventSink, Journal, MemorySearchManager

    Ask = Callable[[LayerName, str, SearchOptions], Coroutine[Any, Any, SearchResult]]

MAX_LIMIT = 1000
DEFAULT_DEADLINE_S = 30.0
STATUS_S = 10.0
PROMPT_NOTES = 8
RECALLED_HITS = 40
"""How many hits a section is made of at most; its budget cuts sooner."""
QUERY_HEAD_CHARS = 3000
QUERY_TAIL_CHARS = 1000
"""Of a longer query only head and tail are read: a pasted log is no question, and what is asked
about it stands before or after."""


class Host:
    """Layers behind one interface; with none of them an answer is empty, not an error."""

    def __init__(
        self,
        layers: Mapping[LayerName, MemorySearchManager],
        journal: Journal | None = None,
        events: EventSink | None = None,
        monotonic: Callable[[], float] = time.monotonic,
        accesses: AccessNotes | None = None,
    ) -> None:
        """Hold the layers in the order in which equal scores are merged.

        Args:
            layers: By name.
            journal: Knows which entries are to be shown together; None shows each by itself.
            events: Counts what was recalled and why not.
            monotonic: Seconds, for how long a layer that hung is left alone.
            accesses: Notes behind the answers what they showed.
        """
        self._layers: dict[LayerName, MemorySearchManager] = dict(layers)
        self._journal = journal
        self._events = events
        self._health = LayerHealth(monotonic)
        self._accesses = accesses

    async def search(self, query: str, options: SearchOptions) -> SearchResult:
        """Ask the layers side by side and merge by score.

        A layer that is late or down costs its deadline at most; the answer says so.

        Raises:
            InvalidInputError: blank query, limit outside 1..1000, min_score outside [0, 1], a
                deadline of 0 or less, a time without a zone.
        """
        _check(query, options)
        found = await self._federated(sound_query(query), options, self._search_of)
        if self._accesses is not None:
            self._accesses.note(shown_items(found), "search")
        return found

    async def _federated(self, query: str, options: SearchOptions, ask: Ask) -> SearchResult:
        """Ask every layer that is wanted in the way that ``ask`` names, and merge."""
        started = time.perf_counter()
        options = replace(options, deadline_s=options.deadline_s or DEFAULT_DEADLINE_S)
        names: list[LayerName] = [name for name in self._layers if options.layers is None or name in options.layers]
        absent = [name for name in options.layers or () if name not in self._layers]
        answers = await asyncio.gather(*(self._within_deadline(name, query, options, ask) for name in names))
        notes = [answer.degraded for answer in answers if answer.degraded]
        notes.extend(f"the {name} layer is not enabled" for name in absent)
        degraded = "; ".join(notes)
        took_ms = (time.perf_counter() - started) * 1000
        return SearchResult(merge(answers, options.limit), degraded=degraded or None, took_ms=took_ms)

    async def _search_of(self, name: LayerName, query: str, options: SearchOptions) -> SearchResult:
        return await self._layers[name].search(query, options)

    async def _recalled_of(self, name: LayerName, query: str, options: SearchOptions) -> SearchResult:
        layer = self._layers[name]
        if not isinstance(layer, PromptNotes) or options.now is None:
            return await layer.search(query, options)
        notes = await layer.prompt_notes(query, options.reach, options.now, PROMPT_NOTES)
        return notes if isinstance(notes, SearchResult) else SearchResult(notes)

    async def _within_deadline(self, name: LayerName, query: str, options: SearchOptions, ask: Ask) -> SearchResult:
        """Return what one layer found by its deadline; what goes wrong in it is said, and remembered."""
        resting = self._health.resting(name)
        if resting is not None:
            return SearchResult([], degraded=f"the {name} layer is left alone for now: {resting}")
        asked = asyncio.ensure_future(ask(name, query, options))
        done, _ = await asyncio.wait({asked}, timeout=options.deadline_s)
        if not done:
            # Not waited for: a layer that hangs may not hear of its cancellation either.
            asked.cancel()
            return self._failed(name, f"the {name} layer did not answer within {options.deadline_s:g} s", hung=True)
        try:
            result = asked.result()
        except TransientError as error:
            return self._failed(name, f"the {name} layer is down: {error}")
        except TercetError:
            raise
        except Exception as error:  # noqa: BLE001 - a layer may be anybody's; its fault must not take the others along
            return self._failed(name, f"the {name} layer failed ({type(error).__name__}: {error})")
        self._health.well(name)
        return result

    def _failed(self, name: LayerName, reason: str, *, hung: bool = False) -> SearchResult:
        self._health.failed(name, reason, hung=hung)
        if self._events is not None:
            self._events.count(f"layer.{name}.{'hung' if hung else 'failed'}")
        return SearchResult([], degraded=reason)

    async def recall(
        self,
        message: str,
        options: SearchOptions,
        *,
        now: datetime,
        budget_tokens: int = DEFAULT_BUDGET_TOKENS,
        placement: Placement = "context",
    ) -> RecallSection:
        """Return the section of a prompt for an incoming message.

        It holds what was found by the deadline of ``options``, and says what was late. It is empty
        with a ``skipped_reason`` when the message cannot need memory or nothing is relevant enough;
        every reason is counted.

        Raises:
            InvalidInputError: an option is out of range, as for ``search``.
        """
        sanitised = sanitise_user_text(message)
        query = sanitised.text
        reason = skip_reason(message) or skip_reason(query)
        if reason == "blank" and message.strip():
            reason = sanitised.reason or reason
        if reason is not None:
            return self._counted(RecallSection("", skipped_reason=reason, placement=placement))
        ends = time.monotonic() + (options.deadline_s or DEFAULT_DEADLINE_S)
        _check(query, options)
        # The window is for the prompt where the host does not send the conversation itself, and then whole.
        layers = tuple(name for name in self._layers if name != "active" and name in (options.layers or self._layers))
        wanted = replace(options, explain=True, now=now, layers=layers)
        found = await self._federated(sound_query(query), wanted, self._recalled_of)
        hits = with_own_evidence(found, query, now)
        companions = await self._companions(hits, options.reach, ends) if hits else {}
        made = build_section(hits, now=now, budget_tokens=budget_tokens, placement=placement, companions=companions)
        if self._accesses is not None:
            self._accesses.note(shown_items(made.hits), "recall")
        return self._counted(replace(made, degraded=found.degraded))

    def _counted(self, section: RecallSection) -> RecallSection:
        if self._events is not None:
            self._events.count(f"recall.skipped.{section.skipped_reason}" if section.skipped_reason else "recall.given")
        return section

    async def _companions(self, hits: Sequence[Hit], reach: Reach | None, ends: float) -> dict[str, list[Passage]]:
        """Return, by the id of a hit, the live entries in reach that differ from it in a detail."""
        if self._journal is None or reach is None:
            return {}
        ids = [hit.passage.id for hit in hits if hit.passage.kind == "entry"]
        try:
            async with asyncio.timeout(ends - time.monotonic()):
                entries = await self._journal.get(ids, reach) if ids else []
                wanted = list(dict.fromkeys(other for entry in entries for other in entry.links))
                others = await self._journal.get(wanted, reach) if wanted else []
        except (TimeoutError, TransientError):
            return {}  # each is then shown by itself
        live = {entry.id: passage_of(entry) for entry in others if entry.state == "live"}
        return {entry.id: [live[other] for other in entry.links if other in live] for entry in entries}

    async def read_file(
        self, ref: str, start: int | None = None, lines: int | None = None, *, reach: Reach | None = None
    ) -> FileText:
        """Return lines of what a ref points at, from the first layer that knows it.

        Raises:
            NotFoundError, AmbiguousRefError, InvalidInputError: permanent.
        """
        if not self._layers:
            msg = "No layer is enabled: enable one to read what is remembered ('tercet plugins list')."
            raise InvalidInputError(msg)
        unknown: NotFoundError | None = None
        down: TransientError | None = None
        for layer in self._layers.values():
            try:
                text = await layer.read_file(ref, start, lines, reach=reach)
            except NotFoundError as error:
                unknown = unknown or error
            except TransientError as error:
                down = down or error
            else:
                if self._accesses is not None:
                    self._accesses.note([read_item(ref, text)], "read")
                return text
        # A layer that is down may be the one that knows it.
        raise down or unknown or NotFoundError(ref)

    async def status(self) -> list[BackendStatus]:
        """Return the status of every layer; one that cannot tell its own is shown as down."""
        return list(await asyncio.gather(*(self._status(name) for name in self._layers)))

    async def _status(self, name: LayerName) -> BackendStatus:
        try:
            async with asyncio.timeout(STATUS_S):
                status = await self._layers[name].status()
        except Exception as error:  # noqa: BLE001 - as above: status is asked for when something is wrong
            reason = "it did not answer" if isinstance(error, TimeoutError) else str(error)
            return BackendStatus(name, healthy=False, rows=0, bytes_on_disk=0, notes=(f"Its status: {reason}",))
        trouble = self._health.trouble(name)
        if trouble is None:
            return status
        return replace(status, healthy=False, notes=(*status.notes, f"At its last search {trouble}."))

    async def probe_embedding_availability(self) -> Probe:
        """Say whether any layer can search by meaning now."""
        return _any_ok([await layer.probe_embedding_availability() for layer in self._layers.values()])

    async def probe_vector_availability(self) -> Probe:
        """Say whether any layer has a working vector store now."""
        return _any_ok([await layer.probe_vector_availability() for layer in self._layers.values()])


def sound_query(query: str) -> str:
    """Return the query without half characters (lone surrogates), and bounded in length."""
    if len(query) > QUERY_HEAD_CHARS + QUERY_TAIL_CHARS:
        query = f"{query[:QUERY_HEAD_CHARS]}\n{query[-QUERY_TAIL_CHARS:]}"
    return query.encode("utf-8", "replace").decode("utf-8")


def _any_ok(probes: list[Probe]) -> Probe:
    for probe in probes:
        if probe:
            return probe
    return probes[0] if probes else Probe(ok=False, reason="no layer is enabled")


def _check(query: str, options: SearchOptions) -> None:
    if not query.strip():
        msg = "The query is blank: give at least one word."
        raise InvalidInputError(msg)
    if not 1 <= options.limit <= MAX_LIMIT:
        msg = f"The limit {options.limit} is out of range: give 1 to {MAX_LIMIT}."
        raise InvalidInputError(msg)
    if options.min_score is not None and not 0 <= options.min_score <= 1:
        msg = f"The minimum score {options.min_score} is out of range: give 0 to 1."
        raise InvalidInputError(msg)
    if options.deadline_s is not None and not options.deadline_s > 0:
        msg = f"The deadline {options.deadline_s} s is out of range: give more than 0."
        raise InvalidInputError(msg)
    if options.now is not None and options.now.tzinfo is None:
        msg = f"The time {options.now.isoformat()} has no zone: add one, e.g. +00:00."
        raise InvalidInputError(msg)
