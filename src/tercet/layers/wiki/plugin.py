"""The entry point of the wiki layer."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from tercet.layers.wiki.layer import WikiLayer, WikiParts

if TYPE_CHECKING:
    from tercet.ports.layers import LayerContext

PLUGIN_ID = "memory-wiki"


def create(context: LayerContext) -> WikiLayer:
    """Return the layer, of the parts that the program lends under its id."""
    return WikiLayer(cast("WikiParts", context.services[PLUGIN_ID]))
