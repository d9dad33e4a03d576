"""``tercet status``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tercet.interfaces.cli.options import open_served_memory, print_json, shared_options
from tercet.interfaces.cli.shown import printed_line
from tercet.interfaces.wire import status_json
from tercet.text.counted import counted

if TYPE_CHECKING:
    from tercet.diagnosis import CaptureStatus, MemoryStatus
    from tercet.model import Probe


@click.command("status")
@shared_options
def command(*, home: str | None, agent: str | None, as_json: bool, debug: bool) -> None:
    """Show settings and where each came from, sizes and health."""
    del debug
    with open_served_memory(home, agent) as memory:
        status = memory.status()
    if as_json:
        print_json(status_json(status))
    else:
        _print(status)


def _print(status: MemoryStatus) -> None:
    click.echo(f"home      {status.home}\nagent     {status.agent}")
    click.echo(f"embedder  {status.embedder}: {_verdict(status.embedding)}")
    click.echo(f"store     {_verdict(status.vector)}")
    for folder in status.folders:
        waiting = f", {counted(folder.waiting, 'chunk', 'wait')} for a vector" if folder.waiting else ""
        counts = f"{counted(folder.files, 'file')}, {counted(folder.chunks, 'chunk')}{waiting}"
        click.echo(printed_line(f"folder    {folder.label}: {folder.directory}, {counts}"))
    if not status.folders:
        click.echo("folder    none yet: run 'tercet index DIR'")
    for layer in status.layers:
        click.echo(f"layer     {layer.layer}: {counted(layer.rows, 'passage')}, {layer.bytes_on_disk / 1e6:.1f} MB")
        for note in layer.notes:
            click.echo(f"          {note}")
    _print_capture(status.capture)
    click.echo("settings")
    width = max(len(name) for name, _, _ in status.settings)
    for name, value, origin in status.settings:
        click.echo(f"  {name:<{width}}  {value}  ({origin})")


def _print_capture(capture: CaptureStatus) -> None:
    since = f" since {capture.oldest:%Y-%m-%d %H:%M}" if capture.oldest else ""
    click.echo(f"capture   {counted(capture.waiting, 'message', 'wait')}{since}")
    if capture.spooled or capture.unreadable:
        click.echo(
            f"          {counted(capture.spooled, 'turn')} spooled, {counted(capture.unreadable, 'file')} unreadable"
        )
    if capture.degraded:
        click.echo(printed_line(f"          {capture.degraded}"))
    if capture.dead:
        click.echo(f"          {counted(capture.dead, 'message')} given up")
    for name, count in capture.counts.items():
        click.echo(f"          {name} {count}")


def _verdict(probe: Probe) -> str:
    return "ok" if probe else probe.reason
