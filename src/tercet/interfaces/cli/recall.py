"""``tercet recall``."""

from __future__ import annotations

import click

from tercet.interfaces.cli.options import open_served_memory, print_json, say, shared_options
from tercet.interfaces.cli.times import parse_moment
from tercet.interfaces.wire import section_json


@click.command("recall")
@click.argument("message")
@click.option("--session", metavar="KEY", help="Who speaks, e.g. telegram:123 (default: the agent's owner).")
@click.option("--now", metavar="ISO", help="The time that relative dates are counted from.")
@click.option("--budget", type=click.IntRange(min=1), metavar="TOKENS", help="Size of the section at most.")
@shared_options
def command(
    message: str,
    *,
    session: str | None,
    now: str | None,
    budget: int | None,
    home: str | None,
    agent: str | None,
    as_json: bool,
    debug: bool,
) -> None:
    """Print the section of a prompt for MESSAGE, as an agent would get it before it answers."""
    del debug
    with open_served_memory(home, agent) as memory:
        memory.prepare()
        section = memory.recall(message, session, parse_moment(now, "--now"), budget)
    if as_json:
        print_json(section_json(section))
        return
    if section.degraded:
        say(f"degraded: {section.degraded}")
    if section.skipped_reason:
        say(f"Nothing to recall: {section.skipped_reason}.")
    else:
        click.echo(section.text)
