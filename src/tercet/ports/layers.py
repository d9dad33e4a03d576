"""What a layer is made from: the entry point of group ``tercet.backends`` names a ``LayerFactory``."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tercet.ports.manager import Clock, EventSink, MemorySearchManager


@dataclass(frozen=True, slots=True)
class LayerContext:
    """What the program hands to a layer when it makes it."""

    agent: str
    """Whose memory it is."""
    home: Path
    """Where Tercet keeps its data, absolute; a layer keeps its own in a folder below it, named by its id."""
    config: Mapping[str, object]
    """The layer's own settings, checked against the ``configSchema`` of its manifest; JSON values."""
    clock: Clock
    events: EventSink
    services: Mapping[str, object] = field(default_factory=dict[str, object])
    """What the program lends its own layers, by name; empty for everybody else's."""


class LayerFactory(Protocol):
    """Makes one layer; called once a program, on the thread that builds it.

    A layer that holds something open also has ``async close()``, which is called at the end.
    """

    def __call__(self, context: LayerContext, /) -> MemorySearchManager:
        """Return the layer; nothing slow and nothing on the network happens before its first search.

        Raises:
            PermanentError: it is configured wrongly.
            TransientError: what it stands on is down now.
        """
        ...
