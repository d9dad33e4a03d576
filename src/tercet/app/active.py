"""Active memory: windows, the gate, and the extraction of what conversations said."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tercet.app.semantic import ENTRIES_LOCK_WAIT_S
from tercet.app.wiki import note_updater
from tercet.capture.session_extraction import SessionExtraction, SessionExtractionParts
from tercet.layers.active.gate import ExtractionGate
from tercet.layers.active.memory import ActiveMemory, ActiveParts

if TYPE_CHECKING:
    from tercet.app.extractors import Extractors
    from tercet.app.layers import Layers
    from tercet.app.stores import Stores
    from tercet.ports import Clock, EventSink
    from tercet.settings import Settings


def make_active_memory(
    settings: Settings, stores: Stores, layers: Layers, extractors: Extractors, clock: Clock, events: EventSink
) -> ActiveMemory:
    """Return it; nothing is opened yet."""
    wanted = settings.active
    extraction = SessionExtraction(
        SessionExtractionParts(
            stores.ledger,
            layers.semantic.engine,
            layers.semantic.embed_rows,
            extractors.sessions,
            extractors.session_rules,
            extractors.rules,
            stores.locks.entries(ENTRIES_LOCK_WAIT_S),
            clock,
            events,
            append_note=note_updater(layers.wiki) if layers.wiki is not None else None,
            window_tokens=wanted.window_tokens,
        )
    )
    gate = ExtractionGate(wanted.min_tokens, wanted.min_tool_calls, wanted.min_turns)
    return ActiveMemory(ActiveParts(settings.agent, stores.ledger.windows, extraction, clock, events, gate))
