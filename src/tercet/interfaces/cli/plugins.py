"""``tercet plugins``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from tercet.interfaces.cli.options import print_json, say, shared_options
from tercet.interfaces.cli.shown import printed_line

if TYPE_CHECKING:
    from pathlib import Path

    from tercet.plugins import PluginInfo, SlotChange


@click.group("plugins")
def command() -> None:
    """List the plug-ins that are installed, and choose which layers are used."""


@command.command("list")
@shared_options
def list_installed(*, home: str | None, agent: str | None, as_json: bool, debug: bool) -> None:
    """List layers, engines, embedders, rerankers and extractors; nothing of them is imported."""
    from tercet.plugins import list_plugins

    del agent, debug
    plugins = list_plugins(_home(home))
    if as_json:
        print_json({"plugins": [plugin_json(plugin) for plugin in plugins]})
        return
    width = max((len(plugin.id) for plugin in plugins), default=0)
    for plugin in plugins:
        slot = plugin.manifest.slot if plugin.manifest else None
        what = f"{plugin.kind} {slot}" if slot else plugin.kind
        click.echo(printed_line(f"{plugin.id:<{width}}  {what:<14}  {plugin.state:<9}  {plugin.distribution}"))
        if plugin.fault:
            say(printed_line(plugin.fault))


@command.command("inspect")
@click.argument("plugin_id", metavar="ID")
@shared_options
def inspect_one(plugin_id: str, *, home: str | None, agent: str | None, as_json: bool, debug: bool) -> None:
    """Show what the plug-in ID says of itself, and what is wrong with it."""
    from tercet.plugins import inspect

    del agent, debug
    plugins = inspect(_home(home), plugin_id)
    if as_json:
        print_json({"plugins": [plugin_json(plugin, whole=True) for plugin in plugins]})
        return
    for plugin in plugins:
        for name, value in plugin_json(plugin, whole=True).items():
            if value is not None:
                click.echo(printed_line(f"{name:<13} {value}"))


@command.command("enable")
@click.argument("plugin_id", metavar="ID")
@shared_options
def enable_layer(plugin_id: str, *, home: str | None, agent: str | None, as_json: bool, debug: bool) -> None:
    """Use the layer ID, in place of the one that fills its slot."""
    from tercet.adapters.files.atomic_write import write_atomically
    from tercet.plugins import enable

    del agent, debug
    _print_change(enable(_made_home(home), plugin_id, write_atomically), as_json=as_json)


@command.command("disable")
@click.argument("plugin_id", metavar="ID")
@shared_options
def disable_layer(plugin_id: str, *, home: str | None, agent: str | None, as_json: bool, debug: bool) -> None:
    """Take the layer ID out of search, status and capture; what it holds stays where it is."""
    from tercet.adapters.files.atomic_write import write_atomically
    from tercet.plugins import disable

    del agent, debug
    _print_change(disable(_made_home(home), plugin_id, write_atomically), as_json=as_json)


def plugin_json(plugin: PluginInfo, *, whole: bool = False) -> dict[str, Any]:
    """Return the wire form of a plug-in; whole with its entry point and the schema of its settings."""
    manifest = plugin.manifest
    shown: dict[str, Any] = {
        "id": plugin.id,
        "kind": plugin.kind,
        "slot": manifest.slot if manifest else None,
        "state": plugin.state,
        "distribution": plugin.distribution or None,
        "builtIn": plugin.built_in,
        "name": manifest.name if manifest else None,
        "description": manifest.description if manifest else None,
        "fault": plugin.fault or None,
    }
    if whole:
        shown["entryPoint"] = plugin.point.value if plugin.point else None
        shown["configSchema"] = manifest.config_schema if manifest else None
    return shown


def _print_change(change: SlotChange, *, as_json: bool) -> None:
    if as_json:
        print_json({"slot": change.slot, "before": change.before, "after": change.after})
        return
    if change.before == change.after:
        how = "nothing changed"
    elif change.before and change.after:
        how = f"in place of {change.before}"
    else:
        how = f"{change.before} is off" if change.before else "nothing did before"
    click.echo(f"The {change.slot} layer is {change.after or 'off'} ({how}).")


def _home(given: str | None) -> Path:
    from tercet.config import load_settings

    return load_settings({"home": given} if given is not None else {}).settings.home


def _made_home(given: str | None) -> Path:
    from tercet.adapters.files.atomic_write import ensure_private_directory

    home = _home(given)
    ensure_private_directory(home)
    return home
