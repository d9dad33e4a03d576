"""Federates the layers: asks each within its deadline, merges what they found, says what was down."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from typing import TYPE_CHECKING

from tercet.errors import InvalidInputError, TransientError
from tercet.model import LayerName, Probe, SearchResult

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tercet.model import BackendStatus, FileText, Hit, SearchOptions
    from tercet.ports import MemorySearchManager

MAX_LIMIT = 1000
DEFAULT_DEADLINE_S = 30.0
QUERY_HEAD_CHARS = 3000
QUERY_TAIL_CHARS = 1000
"""Of a longer query only head and tail are read: a pasted log is no question, and what is asked
about it stands before or after."""


class Host:
    """Layers behind one interface; with none of them an answer is empty, not an error."""

    def __init__(self, layers: Mapping[LayerName, MemorySearchManager]) -> None:
        """Hold the layers in the order in which equal scores are merged."""
        self._layers: dict[LayerName, MemorySearchManager] = dict(layers)

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
