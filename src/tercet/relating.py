"""The cross-reference graph behind the facade: who asks decides what is in it."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Protocol

from tercet.errors import InvalidInputError, NotFoundError, TransientError
from tercet.graph_building import build_graph
from tercet.insight.items import place_of
from tercet.insight.neighbours import threshold_in
from tercet.insight.saved import as_saved, known_in, saved_graph, saved_without
from tercet.layers.semantic.background import kept_background
from tercet.model import Related, SearchResult
from tercet.ranking.calibration import BackgroundCosines, background_in_effect
from tercet.ranking.formula import Calibration

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence

    from tercet.insight.graph import Graph, GraphStatistics, Neighbour
    from tercet.insight.saved import SavedGraph
    from tercet.layers.semantic.layer import SemanticLayer
    from tercet.model import Reach, Space
    from tercet.ports import Ledger

WORDS_ALONE: Final = "no vectors are in use: links, names, days and supersession alone"

NO_GRAPH: Final = "There is no graph of what is seen here now: run 'tercet crossref build'."
MOST_RELATED: Final = 20
MOST_HELD: Final = 16
"""Graphs of sessions that are kept in memory."""


class GraphStore(Protocol):
    """Keeps one built graph a session key."""

    async def stamp(self, session_key: str | None) -> tuple[int, ...] | None:
        """Return what changes whenever the saved graph does; None for nothing. Cheap: read at every look."""
        ...

    async def load(self, session_key: str | None) -> dict[str, Any] | None:
        """Return what was saved, None for nothing."""
        ...

    async def save(self, session_key: str | None, value: Mapping[str, Any]) -> None:
        """Replace it."""
        ...

    async def change(self, holding: Sequence[str], change: Callable[[dict[str, Any]], Mapping[str, Any]]) -> None:
        """Put what ``change`` makes of it in place of every session's graph that holds one of these ids."""
        ...


@dataclass(frozen=True, slots=True)
class RelatingParts:
    """What cross-references are made with."""

    agent: str
    ledger: Ledger
    semantic: SemanticLayer | None
    """None where the layer is not used."""
    reach: Callable[[str | None], Awaitable[Reach]]
    store: GraphStore
    threshold: float | None = None
    """Cosine from which two items are similar, where a build names none; None is the calibrated one."""


@dataclass(frozen=True, slots=True)
class CrossrefReport:
    """What a build made."""

    statistics: GraphStatistics
    asked: int
    """Files and entries whose neighbours were sought; the others had not changed."""
    threshold: float
    """Cosine from which two items count as similar."""
    degraded: str | None = None


class CrossReferences:
    """Builds and shows what belongs together.

    A graph holds what its session sees and nothing else; without a session key that is what the
    agent's owner sees. It is as of its last build: a build takes in what changed since.
    """

    def __init__(self, parts: RelatingParts) -> None:
        """Hold the parts; nothing is opened yet."""
        self._parts = parts
        self._looked_at: dict[str | None, tuple[tuple[int, ...], SavedGraph]] = {}
        """By session key, each with its stamp: a search with ``related`` reads the graph every time."""

    async def build(
        self, *, threshold: float | None = None, full: bool = False, session_key: str | None = None
    ) -> CrossrefReport:
        """Take in changed files, and bring the graph up to date.

        Args:
            threshold: Cosine in (0, 1] from which items are similar; None is that of the settings, or
                without one .75 with the builtin model, and in another space as far above the cosines
                of unrelated passages.
            full: Ask about everything again; the graph is the same.
            session_key: Whose graph; None is the owner's.

        Raises:
            InvalidInputError: the threshold is out of range, or the layer is not used (permanent).
            EngineUnavailableError, LedgerBusyError: transient.
        """
        parts = self._parts
        threshold = parts.threshold if threshold is None else threshold
        if threshold is not None and not 0 < threshold <= 1:
            msg = f"The threshold {threshold} is out of range: give a cosine above 0, at most 1."
            raise InvalidInputError(msg)
        semantic, reach = self._semantic, await parts.reach(session_key)
        stale = await semantic.refresh()
        engine = await semantic.engine()
        space = semantic.space
        cut = await self._threshold(space) if threshold is None else threshold
        settings = _settings(reach, space, cut)
        before = {} if full else known_in(await parts.store.load(session_key), settings)
        built = await build_graph(engine, parts.ledger.journal, reach, before, cut)
        saved = as_saved(built.graph, built.known, settings)
        # What was forgotten while the graph was made is not written into it.
        gone = await self._gone(built.graph.nodes, reach)
        await parts.store.save(session_key, saved_without(saved, gone) if gone else saved)
        notes = [note for note in (stale, _missing(space, built.without_vector)) if note]
        return CrossrefReport(built.graph.without(gone).statistics(), built.asked, cut, "; ".join(notes) or None)

    async def show(self, ref: str, *, session_key: str | None = None) -> tuple[str, list[Neighbour]]:
        """Return the node that a path, ``root:path`` or an entry's id means, and what it is linked to.

        Raises:
            NotFoundError: no graph is built, or it has no such node (permanent).
            AmbiguousRefError: the path lies in several folders (permanent).
        """
        graph = await self.graph(session_key=session_key)
        node = graph.resolve(ref)
        return node, graph.neighbours(node)

    async def graph(self, *, session_key: str | None = None) -> Graph:
        """Return the graph as last built, without the entries that were forgotten since.

        Raises:
            NotFoundError: none is built for what this session may see now (permanent).
        """
        reach = await self._parts.reach(session_key)
        graph = await self._seen_by(reach, session_key)
        return graph.without(await self._gone(graph.nodes, reach))

    async def relate(
        self, found: SearchResult, most: int, reach: Reach, *, session_key: str | None = None
    ) -> SearchResult:
        """Return the hits, each with up to ``most`` items that the graph as last built links it to.

        Without a graph of just this reach they tell nothing of it, and the answer says why.

        Raises:
            InvalidInputError: ``most`` outside 0..20 (permanent).
        """
        if not 0 <= most <= MOST_RELATED:
            msg = f"The number {most} of related items is out of range: give 0 to {MOST_RELATED}."
            raise InvalidInputError(msg)
        if not most or not found:
            return found
        try:
            return await self._related(found, most, reach, session_key)
        except (NotFoundError, TransientError) as error:
            return _with_note(found, f"nothing related is shown: {error}")

    async def _related(self, found: SearchResult, most: int, reach: Reach, session_key: str | None) -> SearchResult:
        started = time.perf_counter()
        graph = await self._seen_by(reach, session_key)
        refs = [place_of(hit.passage)[0] for hit in found]
        linked = graph.neighbours_of(set(refs))
        others = {each.ref for neighbours in linked.values() for each in neighbours}
        gone = await self._gone({ref: graph.nodes[ref] for ref in others}, reach)
        hits = [
            replace(hit, related=_shown([each for each in linked[ref] if each.ref not in gone][:most]))
            for hit, ref in zip(found, refs, strict=True)
        ]
        took_ms = found.took_ms + (time.perf_counter() - started) * 1000
        return SearchResult(hits, degraded=found.degraded, took_ms=took_ms, is_calibrated=found.is_calibrated)

    async def leave_out(self, ids: Sequence[str]) -> None:
        """Take forgotten entries out of every graph that is saved.

        Raises:
            ConfigurationError, TransientError: a graph cannot be written; it shows them no more all the same.
        """
        if ids:
            gone = frozenset(ids)
            await self._parts.store.change(ids, lambda saved: saved_without(saved, gone))

    async def _seen_by(self, reach: Reach, session_key: str | None) -> Graph:
        """Return the graph as last built.

        Raises:
            NotFoundError: none is built of what is in reach now. Links between platforms may have been
                parted since: what was in reach then may not be now (permanent).
        """
        stamp = await self._parts.store.stamp(session_key)
        if stamp is None:
            raise NotFoundError(NO_GRAPH)
        held = self._looked_at.get(session_key)
        if held is None or held[0] != stamp:
            held = stamp, saved_graph(await self._parts.store.load(session_key))
            self._looked_at.pop(session_key, None)
            self._looked_at[session_key] = held
            if len(self._looked_at) > MOST_HELD:
                del self._looked_at[next(iter(self._looked_at))]
        if held[1].seen != _seen(reach):
            raise NotFoundError(NO_GRAPH)
        return held[1].graph

    async def _gone(self, nodes: Mapping[str, str], reach: Reach) -> frozenset[str]:
        """Return the entries among these nodes that are there no more."""
        entries = [ref for ref, kind in nodes.items() if kind == "entry"]
        if not entries:
            return frozenset()
        return frozenset(entries) - {entry.id for entry in await self._parts.ledger.journal.get(entries, reach)}

    async def _threshold(self, space: Space | None) -> float:
        constants = Calibration()
        builtin = BackgroundCosines(constants.background_mean, constants.background_std, 0)
        measured = await kept_background(self._parts.ledger)
        return threshold_in(builtin, background_in_effect(space.model, measured) if space is not None else None)

    @property
    def _semantic(self) -> SemanticLayer:
        if self._parts.semantic is None:
            msg = "The layer memory-lancedb is not used: 'tercet plugins enable memory-lancedb' brings it back."
            raise InvalidInputError(msg)
        return self._parts.semantic


def _settings(reach: Reach, space: Space | None, threshold: float) -> dict[str, Any]:
    """Return all that neighbours depend on besides the items."""
    return {
        "seen": _seen(reach),
        "space": asdict(space) if space is not None else None,
        "threshold": threshold,
    }


def _seen(reach: Reach) -> list[str]:
    return [reach.agent, *sorted(reach.anchors)]


def _shown(neighbours: Iterable[Neighbour]) -> tuple[Related, ...]:
    return tuple(
        Related(each.ref, each.weight, tuple(dict.fromkeys(evidence.kind for evidence in each.evidence)))
        for each in neighbours
    )


def _with_note(found: SearchResult, note: str) -> SearchResult:
    degraded = f"{found.degraded}; {note}" if found.degraded else note
    return SearchResult(list(found), degraded=degraded, took_ms=found.took_ms, is_calibrated=found.is_calibrated)


def _missing(space: Space | None, without_vector: int) -> str | None:
    if space is None:
        return WORDS_ALONE
    return f"{without_vector} passages have no vector yet: these by words alone" if without_vector else None
