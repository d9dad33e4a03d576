"""What every command shares: its options, the memory it opens, and how it prints."""

from __future__ import annotations

import json
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import click

from tercet.interfaces.cli.given import known_agent

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from tercet.config import LoadedSettings
    from tercet.interfaces.client.synchronous import ServiceMemory
    from tercet.memory import Memory

F = TypeVar("F", bound="Callable[..., Any]")


def shared_options(function: F) -> F:
    """Add ``--home``, ``--agent``, ``--json`` and ``--debug``."""
    for option in (
        click.option("--debug", is_flag=True, help="Show the traceback of an error."),
        click.option("--json", "as_json", is_flag=True, help="Print JSON on standard output, and nothing else there."),
        click.option("--agent", metavar="ID", callback=known_agent, help="Whose memory (default: main)."),
        click.option(
            "--home", type=click.Path(file_okay=False), help="Where Tercet keeps its data (default: ~/.tercet)."
        ),
    ):
        function = option(function)
    return function


def open_memory(home: str | None, agent: str | None, **settings: Any) -> Memory:
    """Build the memory with what was given on the command line on top of file and environment."""
    from tercet.app import build

    return build(_loaded(home, agent, **settings))


def open_served_memory(home: str | None, agent: str | None) -> Memory | ServiceMemory:
    """Return the memory of the service that runs over the home, or without one build it here: same answers."""
    from tercet.interfaces.client.opening import open_memory as open_either

    return open_either(_loaded(home, agent))


def _loaded(home: str | None, agent: str | None, **settings: Any) -> LoadedSettings:
    from tercet.config import load_settings

    given = {name: value for name, value in {"home": home, "agent": agent, **settings}.items() if value is not None}
    return load_settings(given)


def print_json(value: Any, indent: int | None = 2) -> None:
    """Print one JSON value on standard output; without an indent on one line, where more follow."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=indent))


def say(text: str) -> None:
    """Print a line for the person at the terminal, on standard error."""
    click.echo(text, err=True)


@contextmanager
def progress_bar(verb: str, things: str, *, quiet: bool) -> Generator[Callable[[int, int], None] | None]:
    """Show a bar on a terminal; yield None in a pipe, or when quiet."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn(verb), BarColumn(), MofNCompleteColumn(), TextColumn(things), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(verb, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
