"""``tercet remember``."""

from __future__ import annotations

from typing import cast, get_args

import click

from tercet.interfaces.cli.entries import print_entry
from tercet.interfaces.cli.given import share
from tercet.interfaces.cli.options import open_served_memory, print_json, shared_options
from tercet.interfaces.wire import entry_json
from tercet.model import Category


@click.command("remember")
@click.argument("text")
@click.option(
    "--category", type=click.Choice(get_args(Category)), default="fact", show_default=True, help="What it is."
)
@click.option("--importance", type=float, callback=share, default=0.7, show_default=True, help="0 to 1.")
@click.option("--session", metavar="KEY", help="Whose it is, e.g. telegram:123 (default: the agent's owner).")
@click.option("--supersedes", multiple=True, metavar="ID", help="An entry that this one replaces.")
@shared_options
def command(
    text: str,
    *,
    category: str,
    importance: float,
    session: str | None,
    supersedes: tuple[str, ...],
    home: str | None,
    agent: str | None,
    as_json: bool,
    debug: bool,
) -> None:
    """Store TEXT as one fact; secrets in it are blacked out."""
    del debug
    with open_served_memory(home, agent) as memory:
        entry = memory.remember(
            text,
            category=cast("Category", category),
            importance=importance,
            session_key=session,
            supersedes=supersedes,
        )
    if as_json:
        print_json({"entry": entry_json(entry)})
    else:
        print_entry(entry)
