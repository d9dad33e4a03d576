"""A layer of somebody else, held to what every layer promises: its faults stay its own."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from tercet.errors import InvalidInputError, TercetError, TransientError
from tercet.identity import owner_reach
from tercet.model import BackendStatus, Probe, SearchResult
from tercet.text.counted import counted

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from tercet.model import FileText, Hit, LayerName, Reach, SearchOptions
    from tercet.ports.manager import MemorySearchManager

T = TypeVar("T")


class GuardedLayer:
    """Passes on what the layer does right, and names its distribution where it does wrong.

    Hits out of reach, below the bar or without a score in [0, 1] are left out and said; the rest is put in
    order and cut to the limit. Whatever else the layer raises is a ``TransientError``: the others answer.
    """

    def __init__(self, layer: MemorySearchManager, title: str, slot: LayerName, agent: str) -> None:
        """Guard a layer.

        Args:
            layer: Has the methods of ``MemorySearchManager``.
            title: How messages name it: plug-in and distribution.
            slot: Which layer it stands for, whatever its hits say.
            agent: Whose memory it is.
        """
        self._layer = layer
        self._title = title
        self._slot: LayerName = slot
        self._agent = agent

    async def search(self, query: str, options: SearchOptions) -> SearchResult:
        """Return the layer's hits that keep the promises, best first.

        Raises:
            InvalidInputError: the layer refuses the query.
            TransientError: anything else went wrong in it.
        """
        return await self._own(lambda: self._search(query, options))

    async def _search(self, query: str, options: SearchOptions) -> SearchResult:
        found = await self._layer.search(query, options)
        reach = options.reach or owner_reach(self._agent)
        kept = [replace(hit, layer=self._slot) for hit in found if _is_sound(hit, reach)]
        notes = [found.degraded] if found.degraded else []
        if len(kept) < len(found):
            left_out = counted(len(found) - len(kept), "hit")
            notes.append(f"{self._title} gave {left_out} out of reach or without a score in [0, 1], left out here")
        kept = [hit for hit in kept if hit.score >= (options.min_score or 0.0)]
        kept.sort(key=lambda hit: -hit.score)
        return SearchResult(
            kept[: options.limit],
            degraded="; ".join(notes) or None,
            took_ms=found.took_ms,
            is_calibrated=found.is_calibrated,
        )

    async def read_file(
        self, ref: str, start: int | None = None, lines: int | None = None, *, reach: Reach | None = None
    ) -> FileText:
        """Return what the layer reads.

        Raises:
            TercetError: the layer's own, as it is.
            TransientError: anything else went wrong in it.
        """
        try:
            return await self._layer.read_file(ref, start, lines, reach=reach)
        except TercetError:
            raise
        except Exception as error:
            raise TransientError(self._failed(error)) from error

    async def status(self) -> BackendStatus:
        """Return the layer's status; one that cannot be had is unhealthy."""
        try:
            return replace(await self._own(self._layer.status), layer=self._slot)
        except TransientError as error:
            return BackendStatus(self._slot, healthy=False, rows=0, bytes_on_disk=0, notes=(str(error),))

    async def probe_embedding_availability(self) -> Probe:
        """Return the layer's probe."""
        return await self._probe(self._layer.probe_embedding_availability)

    async def probe_vector_availability(self) -> Probe:
        """Return the layer's probe."""
        return await self._probe(self._layer.probe_vector_availability)

    async def close(self) -> None:
        """Close the layer if it can be closed.

        Raises:
            TransientError: it could not.
        """
        close = getattr(self._layer, "close", None)
        if close is not None:
            await self._own(close)

    async def _probe(self, ask: Callable[[], Awaitable[Probe]]) -> Probe:
        try:
            return await self._own(ask)
        except TransientError as error:
            return Probe(ok=False, reason=str(error))

    async def _own(self, ask: Callable[[], Awaitable[T]]) -> T:
        try:
            return await ask()
        except InvalidInputError:
            raise
        except Exception as error:  # a stranger's code may raise anything, and must not take the others along
            raise TransientError(self._failed(error)) from error

    def _failed(self, error: Exception) -> str:
        kind = "" if isinstance(error, TercetError) else f"{type(error).__name__}: "
        return f"{self._title} failed ({kind}{' '.join(str(error).split())})"


def _is_sound(hit: Hit, reach: Reach) -> bool:
    """Say whether a hit may be shown: of this reach, with numbers that are scores."""
    scope = hit.passage.scope
    numbers: Sequence[float] = (hit.score, hit.relevance)
    is_scored = all(math.isfinite(number) and 0 <= number <= 1 for number in numbers)
    return is_scored and scope.agent == reach.agent and scope.anchor in reach.anchors
