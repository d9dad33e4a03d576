"""``tercet history``."""

from __future__ import annotations

import click

from tercet.interfaces.cli.entries import print_entry
from tercet.interfaces.cli.options import open_served_memory, print_json, shared_options
from tercet.interfaces.wire import entry_json


@click.command("history")
@click.argument("entry_id", metavar="ID")
@click.option("--session", metavar="KEY", help="Only if this session may see it.")
@shared_options
def command(
    entry_id: str,
    *,
    session: str | None,
    home: str | None,
    agent: str | None,
    as_json: bool,
    debug: bool,
) -> None:
    """Show what entry ID replaced and what replaced it, oldest first."""
    del debug
    with open_served_memory(home, agent) as memory:
        chain = memory.history(entry_id, session)
    if as_json:
        print_json({"entries": [entry_json(entry) for entry in chain]})
        return
    for entry in chain:
        print_entry(entry)
