"""What the composition root hands to a memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import asyncio
    from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence

    from tercet.browsing import Browsing
    from tercet.config import LoadedSettings
    from tercet.diagnosis import Doctor
    from tercet.host import Host
    from tercet.keeping import Keeping
    from tercet.layers.active.memory import ActiveMemory
    from tercet.layers.semantic.layer import SemanticLayer
    from tercet.layers.wiki.layer import WikiLayer
    from tercet.loop import CaptureLoop
    from tercet.ports import Clock
    from tercet.relating import CrossReferences
    from tercet.tending import Tending

    Changes = Callable[[Sequence[str], asyncio.Event], AsyncGenerator[set[str]]]


@dataclass(frozen=True, slots=True)
class MemoryParts:
    """What the composition root made."""

    loaded: LoadedSettings
    host: Host
    semantic: SemanticLayer
    """There whether or not it is used: what was captured can be listed and forgotten all the same."""
    uses_semantic: bool
    wiki: WikiLayer | None
    active: ActiveMemory | None
    doctor: Doctor
    loop: CaptureLoop
    keeping: Keeping
    tending: Tending
    clock: Clock
    changes: Changes
    graph: CrossReferences
    browsing: Browsing
    close: Callable[[], Awaitable[None]]
