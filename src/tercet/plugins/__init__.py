"""Plug-ins: layers, engines, embedders, rerankers and extractors, found by entry point.

Listing imports nothing of a plug-in: its manifest is a file. Only what is chosen is loaded. The built-ins
are declared the same way, so a third party's is no special case.
"""

from tercet.plugins.catalogue import (
    ChosenLayer,
    PluginInfo,
    SlotChange,
    chosen_layers,
    disable,
    enable,
    inspect,
    list_plugins,
)
from tercet.plugins.discovery import Group, installed
from tercet.plugins.loading import load, make_chosen, make_layer
from tercet.plugins.manifests import Manifest

__all__ = [
    "ChosenLayer",
    "Group",
    "Manifest",
    "PluginInfo",
    "SlotChange",
    "chosen_layers",
    "disable",
    "enable",
    "inspect",
    "installed",
    "list_plugins",
    "load",
    "make_chosen",
    "make_layer",
]
