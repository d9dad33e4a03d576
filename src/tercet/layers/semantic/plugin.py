"""The entry point of the semantic layer."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from tercet.layers.semantic.layer import SemanticLayer, SemanticParts

if TYPE_CHECKING:
    from tercet.ports.layers import LayerContext

PLUGIN_ID = "memory-lancedb"


def create(context: LayerContext) -> SemanticLayer:
    """Return the layer, of the parts that the program lends under its id."""
    return SemanticLayer(cast("SemanticParts", context.services[PLUGIN_ID]))
