"""Imports what is chosen, and makes layers of it; every failure names the distribution it came from."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, cast

from tercet.errors import ConfigurationError, TercetError, TransientError
from tercet.plugins.config_schema import check_config
from tercet.plugins.discovery import Group, claims, clash, distribution_of, kind_of
from tercet.plugins.guarded import GuardedLayer
from tercet.plugins.unusable import UnusableLayer
from tercet.ports.manager import MemorySearchManager

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from tercet.plugins.catalogue import ChosenLayer, PluginInfo
    from tercet.ports.layers import LayerContext, LayerFactory

_METHODS = tuple(name for name in vars(MemorySearchManager) if not name.startswith("_"))
_OPTIONAL_GROUPS = {"tercet.embedders", "tercet.rerankers", "tercet.extractors"}
"""What can be left out by the word ``none``, which no entry point needs."""


def load(group: Group, name: str) -> Any:
    """Import and return the object registered under a name.

    Raises:
        ConfigurationError: there is none of that name, two distributions claim it, or its import failed.
    """
    known = claims(group)
    points = known.get(name)
    if points is None:
        names = sorted([*known, "none"] if group in _OPTIONAL_GROUPS else known)
        msg = f"There is no {kind_of(group)} {name!r}: use one of {', '.join(names)}."
        raise ConfigurationError(msg)
    if len(points) > 1:
        raise ConfigurationError(clash(group, points))
    return _imported(points[0])


def make_layer(plugin: PluginInfo, context: LayerContext) -> MemorySearchManager:
    """Import a layer's factory and make the layer, its settings checked before; a stranger's is guarded.

    Raises:
        ConfigurationError: the plug-in has a fault, its settings break its schema, its import or its factory
            failed, or what it made is no layer; the message names the distribution (permanent).
        TransientError: what the layer stands on is down now.
        PermanentError: a built-in layer's own error, as it is.
    """
    if plugin.point is None or plugin.manifest is None or plugin.fault:
        raise ConfigurationError(plugin.fault)
    # The settings of a built-in layer are those of the program, checked where they are read.
    if not plugin.built_in or context.config:
        try:
            check_config(context.config, plugin.manifest.config_schema)
        except ConfigurationError as error:
            msg = f"{plugin.title}: {error}. Mend the settings of {plugin.id!r}."
            raise ConfigurationError(msg) from error
    factory = cast("LayerFactory", _imported(plugin.point))  # what it returns is checked below
    made = _made(plugin, factory, context)
    if missing := [name for name in _METHODS if not callable(getattr(made, name, None))]:
        if inspect.iscoroutine(made):
            made.close()  # never awaited, and Python would warn of it long after
        raise ConfigurationError(
            plugin.cannot_be_used(f"its factory made a {type(made).__name__} without {', '.join(missing)}")
        )
    layer = cast("MemorySearchManager", made)  # it has the methods; the rest is the guard's and the contract suite's
    if plugin.built_in or plugin.manifest.slot is None:
        return layer
    return GuardedLayer(layer, plugin.title, plugin.manifest.slot, context.agent)


def make_chosen(chosen: ChosenLayer, context: LayerContext) -> MemorySearchManager:
    """Make what fills a slot; a stranger's layer that cannot be made is one that is down, and says why.

    Raises:
        TercetError: a built-in layer cannot be made.
    """
    try:
        return make_layer(chosen.plugin, context)
    except (ConfigurationError, TransientError) as error:
        if chosen.plugin.built_in:
            raise
        return UnusableLayer(chosen.slot, str(error), permanent=isinstance(error, ConfigurationError))


def _made(plugin: PluginInfo, factory: LayerFactory, context: LayerContext) -> object:
    try:
        return factory(context)
    except TransientError as error:
        if plugin.built_in:
            raise
        msg = f"{plugin.title} is down: {error}"
        raise TransientError(msg) from error
    except Exception as error:  # a stranger's code may raise anything, and one line must say whose it is
        if plugin.built_in and isinstance(error, TercetError):
            raise
        raise ConfigurationError(plugin.cannot_be_used(f"its factory failed ({_in_words(error)})")) from error


def _imported(point: EntryPoint) -> Any:
    try:
        return point.load()
    except Exception as error:  # an import runs a stranger's code, which may raise anything
        owner = distribution_of(point)
        msg = f"{point.name!r} of {owner} cannot be loaded ({_in_words(error)}): reinstall or disable it."
        raise ConfigurationError(msg) from error


def _in_words(error: Exception) -> str:
    text = " ".join(str(error).split())
    return (
        text
        if isinstance(error, (TercetError, ImportError, AttributeError)) and text
        else f"{type(error).__name__}: {text}"
    )
