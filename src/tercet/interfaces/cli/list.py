"""``tercet list``."""

from __future__ import annotations

import click

from tercet.interfaces.cli.entries import print_entry
from tercet.interfaces.cli.options import open_served_memory, print_json, say, shared_options
from tercet.interfaces.cli.times import parse_moment
from tercet.interfaces.wire import entry_json


@click.command("list")
@click.option("--session", metavar="KEY", help="Whose, e.g. telegram:123 (default: the agent's owner).")
@click.option("--since", metavar="ISO", help="Only what was said since.")
@shared_options
def command(
    *,
    session: str | None,
    since: str | None,
    home: str | None,
    agent: str | None,
    as_json: bool,
    debug: bool,
) -> None:
    """List what is stored, newest first."""
    del debug
    with open_served_memory(home, agent) as memory:
        entries = memory.list_entries(session, parse_moment(since, "--since"))
    if as_json:
        print_json({"entries": [entry_json(entry) for entry in entries]})
        return
    if not entries:
        say("Nothing is stored.")
    for entry in entries:
        print_entry(entry)
