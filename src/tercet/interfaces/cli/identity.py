"""``tercet identity``."""

from __future__ import annotations

import click

from tercet.interfaces.cli.options import open_memory, print_json, say, shared_options


@click.group("identity")
def command() -> None:
    """Say which session keys are one person; linked keys see one another's memory."""


@command.command("link")
@click.argument("name")
@click.argument("keys", metavar="KEY...", nargs=-1, required=True)
@shared_options
def link(
    name: str,
    keys: tuple[str, ...],
    *,
    home: str | None,
    agent: str | None,
    as_json: bool,
    debug: bool,
) -> None:
    """Make the session KEYs (telegram:123 discord:u_456) the person NAME."""
    del debug
    with open_memory(home, agent) as memory:
        links = memory.link(name, keys)
    _print(links, as_json=as_json)


@command.command("unlink")
@click.argument("name")
@click.argument("keys", metavar="[KEY]...", nargs=-1)
@shared_options
def unlink(
    name: str,
    keys: tuple[str, ...],
    *,
    home: str | None,
    agent: str | None,
    as_json: bool,
    debug: bool,
) -> None:
    """Part the session KEYs from the person NAME, or without any drop the name; nothing stored is lost."""
    del debug
    with open_memory(home, agent) as memory:
        links = memory.unlink(name, keys)
    _print(links, as_json=as_json)


@command.command("list")
@shared_options
def list_links(
    *,
    home: str | None,
    agent: str | None,
    as_json: bool,
    debug: bool,
) -> None:
    """List the links."""
    del debug
    with open_memory(home, agent) as memory:
        links = memory.links()
    _print(links, as_json=as_json)


def _print(links: dict[str, tuple[str, ...]], *, as_json: bool) -> None:
    if as_json:
        print_json({"links": {name: list(anchors) for name, anchors in links.items()}})
        return
    if not links:
        say("Nobody is linked.")
    for name, anchors in links.items():
        click.echo(f"{name}: {', '.join(anchors)}")
