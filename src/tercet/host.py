"""Federates the layers: asks each within its deadline, merges what they found, says what was down."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from typing import TYPE_CHECKING

from tercet.errors import InvalidInputError, TransientError
from tercet.model import LayerName, Probe, RecallSection, SearchResult
from tercet.recall.evidence import with_own_evidence
from tercet.recall.gate import skip_reason
from tercet.recall.section import DEFAULT_BUDGET_TOKENS, build_section
from tercet.text.entry_passage import passage_of
from tercet.text.envelopes import sanitise_user_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from tercet.model import BackendStatus, FileText, Hit, Passage, Placement, Reach, SearchOptions
    from tercet.ports import EventSink, Journal, MemorySearchManager

MAX_LIMIT = 1000
DEFAULT_DEADLINE_S = 30.0
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
    ) -> None:
        """Hold the layers in the order in which equal scores are merged.

        Args:
            layers: By name.
            journal: Knows which entries are to be shown together; None shows each by itself.
            events: Counts what was recalled and why not.
        """
        self._layers: dict[LayerName, MemorySearchManager] = dict(layers)
        self._journal = journal
        self._events = events

    async def search(self, query: str, options: SearchOptions) -> SearchResult:
        """Ask the layers side by side and merge by score.

        A layer that is late or down costs its deadline at most; the answer says so.

        Raises:
            InvalidInputError: blank query, limit outside 1..1000, min_score outside [0, 1], a
                deadline of 0 or less, a time without a zone.
        """
        _check(query, options)
        query = sound_query(query)
        started = time.perf_counter()
        names: list[LayerName] = [name for name in self._layers if options.layers is None or name in options.layers]
        absent = [name for name in options.layers or () if name not in self._layers]
        answers = await asyncio.gather(*(self._ask(name, query, options) for name in names))
        hits: list[Hit] = [hit for answer in answers for hit in answer]
        hits.sort(key=lambda hit: -hit.score)
        notes = [answer.degraded for answer in answers if answer.degraded]
        notes.extend(f"the {name} layer is not enabled" for name in absent)
        degraded = "; ".join(notes)
        took_ms = (time.perf_counter() - started) * 1000
        return SearchResult(hits[: options.limit], degraded=degraded or None, took_ms=took_ms)

    async def _ask(self, name: LayerName, query: str, options: SearchOptions) -> SearchResult:
        deadline = options.deadline_s or DEFAULT_DEADLINE_S
        try:
            async with asyncio.timeout(deadline):
                return await self._layers[name].search(query, replace(options, deadline_s=deadline))
        except TimeoutError:
            return SearchResult([], degraded=f"the {name} layer did not answer within {deadline:g} s")
        except TransientError as error:
            return SearchResult([], degraded=f"the {name} layer is down: {error}")

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
        found = await self.search(query, replace(options, explain=True))
        hits = with_own_evidence(found, query, now)
        companions = await self._companions(hits, options.reach, ends) if hits else {}
        made = build_section(hits, now=now, budget_tokens=budget_tokens, placement=placement, companions=companions)
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

    async def read_file(self, ref: str, start: int | None = None, lines: int | None = None) -> FileText:
        """Return lines of what a ref points at, from the layer that knows it.

        Raises:
            NotFoundError, AmbiguousRefError, InvalidInputError: permanent.
        """
        layer = self._layers.get("semantic")
        if layer is None:
            msg = "The semantic layer is disabled: enable it to read indexed files."
            raise InvalidInputError(msg)
        return await layer.read_file(ref, start, lines)

    async def status(self) -> list[BackendStatus]:
        """Return the status of every layer."""
        return list(await asyncio.gather(*(layer.status() for layer in self._layers.values())))

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
