"""``tercet read``."""

from __future__ import annotations

import click

from tercet.interfaces.cli.given import not_blank
from tercet.interfaces.cli.options import open_served_memory, print_json, shared_options
from tercet.interfaces.wire import file_json


@click.command("read")
@click.argument("ref", callback=not_blank)
@click.option("--from", "start", type=click.IntRange(min=1), help="First line.")
@click.option("--lines", type=click.IntRange(min=1), help="How many lines.")
@shared_options
def command(
    ref: str,
    *,
    start: int | None,
    lines: int | None,
    home: str | None,
    agent: str | None,
    as_json: bool,
    debug: bool,
) -> None:
    """Print the lines that REF points at: an id, a path, or root:path#L1-L4."""
    del debug
    with open_served_memory(home, agent) as memory:
        file = memory.read(ref, start, lines)
    if as_json:
        print_json(file_json(file))
    else:
        click.echo(file.text)
