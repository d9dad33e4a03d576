"""``tercet reembed``."""

from __future__ import annotations

import click

from tercet.interfaces.cli.options import open_memory, print_json, progress_bar, shared_options
from tercet.text.counted import counted


@click.command("reembed")
@shared_options
def command(*, home: str | None, agent: str | None, as_json: bool, debug: bool) -> None:
    """Move the index to the embedder of the settings; the old vectors serve until it is done."""
    del debug
    with open_memory(home, agent) as memory, progress_bar("re-embedding", "passages", quiet=as_json) as progress:
        report = memory.reembed(progress)
    space = report.space
    if as_json:
        print_json(
            {
                "rows": report.rows,
                "embedded": report.embedded,
                "space": {"provider": space.provider, "model": space.model, "dimensions": space.dimensions},
            }
        )
        return
    click.echo(
        f"{counted(report.rows, 'passage')} moved to {space.provider} {space.model} ({space.dimensions} numbers), "
        f"{report.embedded} texts embedded"
    )
