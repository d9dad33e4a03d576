"""The cross-reference graph behind the facade: who asks decides what is in it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol

from tercet.errors import InvalidInputError, NotFoundError
from tercet.graph_building import build_graph
from tercet.insight.graph import GraphStatistics, as_json, from_json
from tercet.insight.neighbours import Known, threshold_in
from tercet.layers.semantic.background import kept_background
from tercet.ranking.calibration import BackgroundCosines, background_in_effect
from tercet.ranking.formula import Calibration

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from tercet.insight.graph import Graph, Neighbour
    from tercet.layers.semantic.layer import SemanticLayer
    from tercet.model import Reach, Space
    from tercet.ports import Ledger

FORMAT: Final = "tercet-crossref-1"
WORDS_ALONE: Final = "no vectors are in use: links, names, days and supersession alone"


class GraphStore(Protocol):
    """Keeps one built graph a session key."""

    async def load(self, session_key: str | None) -> dict[str, Any] | None:
        """Return what was saved, None for nothing."""
        ...

    async def save(self, session_key: str | None, value: Mapping[str, Any]) -> None:
        """Replace it."""
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

    async def build(
        self, *, threshold: float | None = None, full: bool = False, session_key: str | None = None
    ) -> CrossrefReport:
        """Take in changed files, and bring the graph up to date.

        Args:
            threshold: Cosine in (0, 1] from which items are similar; None is .75 with the builtin
                model, and in another space as far above the cosines of unrelated passages.
            full: Ask about everything again; the graph is the same.
            session_key: Whose graph; None is the owner's.

        Raises:
            InvalidInputError: the threshold is out of range, or the layer is not used (permanent).
            EngineUnavailableError, LedgerBusyError: transient.
        """
        if threshold is not None and not 0 < threshold <= 1:
            msg = f"The threshold {threshold} is out of range: give a cosine above 0, at most 1."
            raise InvalidInputError(msg)
        parts, reach = self._parts, await self._parts.reach(session_key)
        semantic = self._semantic
        stale = await semantic.refresh()
        engine = await semantic.engine()
        space = semantic.space
        cut = await self._threshold(space) if threshold is None else threshold
        settings = _settings(reach, space, cut)
        before = {} if full else _known(await parts.store.load(session_key), settings)
        built = await build_graph(engine, parts.ledger.journal, reach, before, cut)
        known = {ref: asdict(each) for ref, each in built.known.items()}
        await parts.store.save(
            session_key, {"format": FORMAT, "settings": settings, **as_json(built.graph), "known": known}
        )
        notes = [note for note in (stale, _missing(space, built.without_vector)) if note]
        return CrossrefReport(built.graph.statistics(), built.asked, cut, "; ".join(notes) or None)

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
        """Return the graph as last built.

        Raises:
            NotFoundError: none is built for what this session may see now (permanent).
        """
        wanted = _seen(await self._parts.reach(session_key))
        saved = await self._parts.store.load(session_key)
        try:
            # Links between platforms may have been parted since: what was in reach then may not be now.
            if saved is not None and saved["settings"]["seen"] == wanted:
                return from_json(saved)
        except (KeyError, TypeError):
            pass  # of another version, and made anew by a build
        msg = "There is no graph of what is seen here now: run 'tercet crossref build'."
        raise NotFoundError(msg)

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


def _known(saved: Mapping[str, Any] | None, settings: Mapping[str, Any]) -> dict[str, Known]:
    """Return what the last build knew; nothing when it was another kind of build."""
    if saved is None or saved.get("format") != FORMAT or saved.get("settings") != settings:
        return {}
    try:
        return {ref: Known.from_json(value) for ref, value in saved["known"].items()}
    except (KeyError, TypeError, AttributeError):
        return {}


def _missing(space: Space | None, without_vector: int) -> str | None:
    if space is None:
        return WORDS_ALONE
    return f"{without_vector} passages have no vector yet: these by words alone" if without_vector else None
