"""``tercet undo``."""

from __future__ import annotations

import click

from tercet.interfaces.cli.options import open_served_memory, print_json, say, shared_options


@click.command("undo")
@click.argument("ids", metavar="[ID]...", nargs=-1)
@shared_options
def command(
    ids: tuple[str, ...],
    *,
    home: str | None,
    agent: str | None,
    as_json: bool,
    debug: bool,
) -> None:
    """Bring back what the last forget took, or the entries named, while their bytes remain."""
    del debug
    with open_served_memory(home, agent) as memory:
        back = memory.undo(ids)
    left = [each for each in ids if each not in back]
    if as_json:
        print_json({"restored": back, "notRestored": left})
    else:
        click.echo("\n".join(f"restored {entry_id}" for entry_id in back))
    if left:
        say(f"Not restored, since not forgotten within the last hour: {', '.join(left)}.")
