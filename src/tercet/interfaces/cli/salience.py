"""``tercet salience``."""

from __future__ import annotations

import click

from tercet.insight.prompts import prompt_for
from tercet.interfaces.cli.options import open_served_memory, print_json, say, shared_options
from tercet.interfaces.cli.shown import printed_line
from tercet.interfaces.cli.times import parse_moment
from tercet.interfaces.insight_wire import salient_json


@click.command("salience")
@click.option("--top", type=click.IntRange(min=1), default=10, show_default=True, help="How many items.")
@click.option("--now", metavar="ISO", help="The time from which days are counted (default: the present).")
@shared_options
def command(
    *,
    top: int,
    now: str | None,
    home: str | None,
    agent: str | None,
    as_json: bool,
    debug: bool,
) -> None:
    """Say what matters and was not looked at for long, for a heartbeat to bring up."""
    del debug
    with open_served_memory(home, agent) as memory:
        found = memory.salience(top, parse_moment(now, "--now"))
    if as_json:
        print_json({"items": [salient_json(each) for each in found]})
        return
    if not found:
        say("Nothing is remembered.")
    for each in found:
        click.echo(printed_line(f"{each.score:.3f}  {prompt_for(each)}"))
