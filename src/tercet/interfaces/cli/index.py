"""``tercet index``."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tercet.interfaces.cli.options import open_memory, print_json, progress_bar, say, shared_options
from tercet.interfaces.cli.shown import printed_line
from tercet.text.counted import counted

if TYPE_CHECKING:
    from tercet.layers.semantic.indexing import IndexReport


@click.command("index")
@click.argument("directories", metavar="[DIR]...", nargs=-1, type=click.Path(file_okay=False))
@click.option("--full", is_flag=True, help="Read every file, even those whose size and time are unchanged.")
@click.option("--rebuild", is_flag=True, help="Throw the derived index away and make it anew from the files.")
@click.option("--remove", is_flag=True, help="Take the folders out of the index; the files stay.")
@click.option("--watch", is_flag=True, help="Go on, and follow changes as they happen.")
@shared_options
def command(
    directories: tuple[str, ...],
    *,
    full: bool,
    rebuild: bool,
    remove: bool,
    watch: bool,
    home: str | None,
    agent: str | None,
    as_json: bool,
    debug: bool,
) -> None:
    """Index folders of Markdown memories; without DIR, bring every indexed folder up to date."""
    del debug
    if remove and (full or rebuild or watch or not directories):
        msg = "--remove takes folders and goes with no other option."
        raise click.UsageError(msg)
    if any(not directory.strip() for directory in directories):
        msg = "a folder is blank: name it, or give '.' for the one you are in."
        raise click.UsageError(msg)
    missing = [] if remove else [directory for directory in directories if not Path(directory).is_dir()]
    if missing:
        msg = f"{missing[0]} is no folder: give the folder that holds the Markdown files."
        raise click.UsageError(msg)
    with open_memory(home, agent) as memory:
        if remove:
            report = memory.remove_folders(directories)
        else:
            with progress_bar("indexing", "files", quiet=as_json) as progress:
                report = memory.index(directories, full=full, rebuild=rebuild, progress=progress, on_wait=say)
        _print(report, as_json=as_json, indent=None if watch else 2)
        if watch:
            say("Watching for changes; press Ctrl-C to stop.")
            # Ctrl-C is how it is meant to end.
            with suppress(KeyboardInterrupt):
                memory.watch(lambda changed: _print(changed, as_json=as_json, indent=None))


def _print(report: IndexReport, *, as_json: bool, indent: int | None) -> None:
    for file in report.skipped:
        say(printed_line(f"skipped {file.path}: {file.reason}"))
    for file in report.warnings:
        say(printed_line(f"warning {file.path}: {file.reason}"))
    for note in report.notes:
        say(printed_line(note))
    if report.degraded:
        say(f"degraded: {report.degraded}")
    if as_json:
        print_json(report_json(report), indent=indent)
        return
    click.echo(
        f"{counted(report.files, 'file')}, {counted(report.chunks, 'chunk')}; {counted(report.changed, 'file')} read, "
        f"{counted(report.embedded, 'text')} embedded, {counted(report.removed, 'file')} removed"
        + (f"; {counted(report.waiting, 'passage', 'wait')} for a vector" if report.waiting else "")
    )


def report_json(report: IndexReport) -> dict[str, Any]:
    """Return the wire form of an index report."""
    return {
        "files": report.files,
        "chunks": report.chunks,
        "embedded": report.embedded,
        "changed": report.changed,
        "removed": report.removed,
        "waiting": report.waiting,
        "skipped": [{"path": file.path, "reason": file.reason} for file in report.skipped],
        "warnings": [{"path": file.path, "reason": file.reason} for file in report.warnings],
        "notes": report.notes,
        "degraded": report.degraded,
    }
