"""How commands print entries."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tercet.interfaces.cli.shown import printed_line

if TYPE_CHECKING:
    from tercet.model import Entry


def print_entry(entry: Entry) -> None:
    """Print one entry: id, day, category, state where it is not live, text."""
    at = entry.said_at or entry.stored_at
    day = at.date().isoformat() if at else "          "
    state = "" if entry.state == "live" else f" ({entry.state})"
    seen = f" (told {entry.seen} times)" if entry.seen > 1 else ""
    text = printed_line(" ".join(entry.text.split()))
    click.echo(f"{entry.id}  {day}  {entry.category:<10}{state} {text}{seen}")
