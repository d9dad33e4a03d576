"""Which layers a memory has: those that the home's plug-ins choose, built in or not."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tercet.errors import TercetError
from tercet.layers.active.layer import ActiveLayer
from tercet.layers.active.plugin import PLUGIN_ID as ACTIVE
from tercet.layers.semantic.layer import SemanticLayer
from tercet.layers.semantic.plugin import PLUGIN_ID as SEMANTIC
from tercet.layers.wiki.layer import WikiLayer
from tercet.layers.wiki.plugin import PLUGIN_ID as WIKI
from tercet.plugins import make_chosen
from tercet.ports.layers import LayerContext

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tercet.layers.semantic.layer import SemanticParts
    from tercet.layers.wiki.layer import WikiParts
    from tercet.model import LayerName
    from tercet.plugins import ChosenLayer
    from tercet.ports import Clock, EventSink, MemorySearchManager
    from tercet.ports.windows import SessionWindows
    from tercet.settings import Settings


@dataclass(frozen=True, slots=True)
class Layers:
    """The layers of one memory, and which of them are its own."""

    by_slot: Mapping[LayerName, MemorySearchManager]
    semantic: SemanticLayer
    """There whether or not it is used, since entries are listed and forgotten through it."""
    uses_semantic: bool
    wiki: WikiLayer | None
    """None where it is not used."""
    notes: WikiLayer
    """There whether or not it is used, since what is forgotten leaves the notes as well."""
    uses_active: bool

    async def close(self) -> None:
        """Let go of every layer, also where one of them fails in that."""
        for layer in {id(each): each for each in (*self.by_slot.values(), self.semantic, self.notes)}.values():
            close = getattr(layer, "close", None)
            if close is not None:
                with suppress(TercetError):
                    await close()


def has_own_wiki(chosen: Sequence[ChosenLayer]) -> bool:
    """Say whether Tercet's own wiki is among the chosen layers: without it its notes are nobody's to find."""
    return any(each.plugin.built_in and each.plugin.id == WIKI for each in chosen)


def make_layers(
    settings: Settings,
    chosen_layers: Sequence[ChosenLayer],
    semantic: SemanticParts,
    wiki: WikiParts,
    windows: SessionWindows,
    clock: Clock,
    events: EventSink,
) -> Layers:
    """Return the layers that are chosen; one of a stranger that cannot be made answers why."""
    services = {SEMANTIC: semantic, WIKI: wiki, ACTIVE: windows}
    made: dict[LayerName, MemorySearchManager] = {}
    for chosen in chosen_layers:
        plugin = chosen.plugin
        config = settings.plugins.get(plugin.id, {})
        lent = services if plugin.built_in else {}
        context = LayerContext(settings.agent, settings.home, config, clock, events, lent)
        made[chosen.slot] = make_chosen(chosen, context)
    own = made.get("semantic")
    wiki_layer = made.get("wiki")
    return Layers(
        made,
        own if isinstance(own, SemanticLayer) else SemanticLayer(semantic),
        isinstance(own, SemanticLayer),
        wiki_layer if isinstance(wiki_layer, WikiLayer) else None,
        wiki_layer if isinstance(wiki_layer, WikiLayer) else WikiLayer(wiki),
        isinstance(made.get("active"), ActiveLayer),
    )
