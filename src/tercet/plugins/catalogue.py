"""Every plug-in that is installed, its faults, and which layers a home uses; nothing of it is imported."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from tercet.errors import ConfigurationError, InvalidInputError, NotFoundError
from tercet.plugins.choices import CHOICES_FILE, Choices, disabled, enabled, filler, read_choices, to_bytes
from tercet.plugins.config_schema import check_schema
from tercet.plugins.discovery import GROUPS, LAYERS, Group, claims, clash, distribution_of, is_built_in, kind_of
from tercet.plugins.manifests import SLOTS, Manifest, layer_manifest, optional_manifest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from importlib.metadata import EntryPoint

    from tercet.model import LayerName

State = Literal["enabled", "disabled", "replaced", "available"]
"""``replaced``: a built-in layer whose slot another one fills. ``available``: no layer, the settings choose it."""
Write: TypeAlias = Callable[[Path, bytes], None]
"""Replaces a file's bytes in one step, readable by its owner alone."""


@dataclass(frozen=True, slots=True)
class PluginInfo:
    """One plug-in as it declares itself."""

    id: str
    group: Group
    distribution: str
    """Name and version; empty for one that is chosen but not installed."""
    built_in: bool
    point: EntryPoint | None
    """None for one that is chosen but not installed."""
    manifest: Manifest | None = None
    fault: str = ""
    """Why it cannot be used, with the mend; empty when nothing is known against it."""
    state: State = "available"

    @property
    def kind(self) -> str:
        """``layer``, ``engine``, ``embedder``, ``reranker`` or ``extractor``."""
        return kind_of(self.group)

    @property
    def title(self) -> str:
        """Id and distribution, as messages name it."""
        return f"Plug-in {self.id!r} of {self.distribution}" if self.distribution else f"Plug-in {self.id!r}"

    def cannot_be_used(self, reason: str) -> str:
        """Return the line that says why it cannot be used, and what to do."""
        mend = f"disable it with 'tercet plugins disable {self.id}'" if self.group == LAYERS else "uninstall it"
        return f"{self.title} cannot be used, {reason}: reinstall it, or {mend}."


@dataclass(frozen=True, slots=True)
class ChosenLayer:
    """What fills a slot; a plug-in with a fault still fills it, and cannot be made."""

    slot: LayerName
    plugin: PluginInfo


@dataclass(frozen=True, slots=True)
class SlotChange:
    """What enabling or disabling did to a slot."""

    slot: LayerName
    before: str | None
    """Id of what filled it; None when nothing did."""
    after: str | None


def list_plugins(home: Path) -> list[PluginInfo]:
    """Return every plug-in, layers first; a broken one is in it, with its fault.

    Raises:
        ConfigurationError: the home's own choices cannot be read.
    """
    choices = read_choices(home)
    layers = _layers()
    chosen = {(each.plugin.id, each.plugin.distribution): each.plugin for each in _chosen(layers, choices)}
    missing = [plugin for plugin in chosen.values() if plugin.point is None]
    listed = [chosen.get((each.id, each.distribution)) or _resting(each, choices) for each in layers]
    others = [each for group in GROUPS if group != LAYERS for each in _described(group)]
    return [*listed, *missing, *others]


def inspect(home: Path, plugin_id: str) -> list[PluginInfo]:
    """Return the plug-ins of an id (an embedder and a reranker may share one), their schemas checked too.

    Raises:
        NotFoundError: there is none.
    """
    found = [each for each in list_plugins(home) if each.id == plugin_id]
    if not found:
        raise NotFoundError(_unknown(plugin_id))
    return [replace(each, fault=each.fault or _schema_fault(each)) for each in found]


def chosen_layers(home: Path) -> list[ChosenLayer]:
    """Return what fills the slots, in their order; a slot that is turned off is left out.

    A chosen layer that is broken or no longer installed is in the list with its fault, and the built-in
    one does not stand in for it unasked: the answers would come from other notes than the user's.

    Raises:
        ConfigurationError: the home's own choices cannot be read.
    """
    return _chosen(_layers(), read_choices(home))


def enable(home: Path, plugin_id: str, write: Write) -> SlotChange:
    """Let a layer fill its slot, instead of whatever filled it.

    Args:
        home: Must exist.
        plugin_id: A layer's.
        write: How the choice is kept.

    Raises:
        NotFoundError: no plug-in has this id.
        InvalidInputError: it is no layer.
        ConfigurationError: it cannot be used (the message says why), or the choices cannot be read.
    """
    plugin = _layer(plugin_id)
    if fault := plugin.fault or _schema_fault(plugin):
        raise ConfigurationError(fault)
    slot = _slot_of(plugin)
    return _change(home, slot, lambda choices: enabled(choices, plugin_id, slot, built_in=plugin.built_in), write)


def disable(home: Path, plugin_id: str, write: Write) -> SlotChange:
    """Take a layer out of search, status and capture; also one that is broken or no longer installed.

    Args:
        home: Must exist.
        plugin_id: A layer's.
        write: How the choice is kept.

    Raises:
        NotFoundError: no plug-in has this id.
        InvalidInputError: it is no layer, or one that fills no slot and cannot be read.
        ConfigurationError: the choices cannot be read.
    """
    slot: LayerName | None = next(
        (slot for slot, chosen in read_choices(home).slots.items() if chosen == plugin_id), None
    )
    built_in = False
    if slot is None:
        plugin = _layer(plugin_id)
        slot, built_in = _slot_of(plugin), plugin.built_in
    return _change(home, slot, lambda choices: disabled(choices, plugin_id, built_in=built_in), write)


def _change(home: Path, slot: LayerName, change: Callable[[Choices], Choices], write: Write) -> SlotChange:
    before = read_choices(home)
    after = change(before)
    if after != before:
        write(home / CHOICES_FILE, to_bytes(after))
    built_in = _built_in_of(slot, _layers())
    return SlotChange(slot, filler(slot, built_in, before), filler(slot, built_in, after))


def _chosen(layers: Sequence[PluginInfo], choices: Choices) -> list[ChosenLayer]:
    found: list[ChosenLayer] = []
    for slot in SLOTS:
        plugin_id = filler(slot, _built_in_of(slot, layers), choices)
        if plugin_id is not None:
            found.append(ChosenLayer(slot, _filling(slot, plugin_id, layers)))
    return found


def _filling(slot: LayerName, plugin_id: str, layers: Sequence[PluginInfo]) -> PluginInfo:
    plugin = _first_usable([each for each in layers if each.id == plugin_id])
    if plugin is None:
        plugin = PluginInfo(plugin_id, LAYERS, "", built_in=False, point=None)
        plugin = replace(plugin, fault=plugin.cannot_be_used("it is not installed"))
    elif not plugin.fault and _slot_of(plugin) != slot:
        plugin = replace(plugin, fault=plugin.cannot_be_used(f"it no longer stands for the {slot} layer"))
    return replace(plugin, state="enabled")


def _built_in_of(slot: LayerName, layers: Sequence[PluginInfo]) -> str | None:
    return next((each.id for each in layers if each.built_in and each.manifest and each.manifest.slot == slot), None)


def _resting(plugin: PluginInfo, choices: Choices) -> PluginInfo:
    return replace(plugin, state="replaced" if plugin.built_in and plugin.id not in choices.disabled else "disabled")


def _layers() -> list[PluginInfo]:
    return list(_described(LAYERS))


def _layer(plugin_id: str) -> PluginInfo:
    plugin = _first_usable([each for each in _layers() if each.id == plugin_id])
    if plugin is not None:
        return plugin
    kinds = [kind_of(group) for group in GROUPS if plugin_id in claims(group)]
    if not kinds:
        raise NotFoundError(_unknown(plugin_id))
    which = " and ".join(kinds)
    msg = f"{plugin_id!r} is a plug-in of kind {which}, chosen in the settings: only layers are enabled and disabled."
    raise InvalidInputError(msg)


def _slot_of(plugin: PluginInfo) -> LayerName:
    if plugin.manifest is None or plugin.manifest.slot is None:
        raise InvalidInputError(plugin.fault)
    return plugin.manifest.slot


def _first_usable(plugins: Sequence[PluginInfo]) -> PluginInfo | None:
    return min(plugins, key=lambda each: bool(each.fault), default=None)


def _described(group: Group) -> Iterator[PluginInfo]:
    for name, points in claims(group).items():
        ours = [point for point in points if is_built_in(point)]
        for point in points:
            plugin = PluginInfo(name, group, distribution_of(point), is_built_in(point), point)
            # Nobody takes a name away from a built-in plug-in; two strangers with one name are both refused.
            if len(points) > 1 and point not in ours:
                yield replace(plugin, fault=clash(group, points))
            else:
                yield _with_manifest(plugin, point)


def _with_manifest(plugin: PluginInfo, point: EntryPoint) -> PluginInfo:
    read = layer_manifest if plugin.group == LAYERS else optional_manifest
    try:
        return replace(plugin, manifest=read(point))
    except ConfigurationError as error:
        return replace(plugin, fault=plugin.cannot_be_used(str(error)))


def _schema_fault(plugin: PluginInfo) -> str:
    if plugin.manifest is None or plugin.built_in:
        return ""
    try:
        check_schema(plugin.manifest.config_schema)
    except ConfigurationError as error:
        return plugin.cannot_be_used(str(error))
    return ""


def _unknown(plugin_id: str) -> str:
    known = ", ".join(sorted({name for group in GROUPS for name in claims(group)}))
    return f"There is no plug-in {plugin_id!r}: use one of {known}."
