"""The entry point of the active layer."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from tercet.layers.active.layer import ActiveLayer

if TYPE_CHECKING:
    from tercet.ports.layers import LayerContext
    from tercet.ports.windows import SessionWindows

PLUGIN_ID = "active-memory"


def create(context: LayerContext) -> ActiveLayer:
    """Return the layer, over the windows that the program lends under its id."""
    return ActiveLayer(context.agent, cast("SessionWindows", context.services[PLUGIN_ID]), context.clock)
