"""``tercet import``."""  # noqa: N999 - a command's module has its name, and is only loaded by it

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING, Any

import click

from tercet.interfaces.cli.options import print_json, progress_bar, say, shared_options
from tercet.interfaces.cli.shown import printed_line
from tercet.text.counted import counted

if TYPE_CHECKING:
    from tercet.app.openclaw_import import OpenClawReport, SourceReport

THINGS = {"workspace": "file", "memory-lancedb": "row", "vectors.json": "chunk"}


@click.group("import")
def command() -> None:
    """Take over the memories of another program; what it holds is read and never written."""


@command.command("openclaw")
@click.option("--workspace", metavar="DIR", help="Folder of Markdown files, to be indexed where it lies.")
@click.option("--lancedb", "table", metavar="DIR", help="LanceDB database of the old memory-lancedb.")
@click.option("--vectors", metavar="FILE", help="The vectors.json of enhanced-memory.")
@click.option("--state", metavar="DIR", help="OpenClaw's state folder (default: OPENCLAW_STATE_DIR, ~/.openclaw).")
@click.option("--session", metavar="KEY", help="Whose the entries become, e.g. telegram:123 (default: the owner).")
@click.option("--keep-orphans", is_flag=True, help="Keep the text of chunks of vectors.json whose file is gone.")
@click.option("--dry-run", is_flag=True, help="Only count; nothing is written.")
@shared_options
def openclaw(
    *,
    workspace: str | None,
    table: str | None,
    vectors: str | None,
    state: str | None,
    session: str | None,
    keep_orphans: bool,
    dry_run: bool,
    home: str | None,
    agent: str | None,
    as_json: bool,
    debug: bool,
) -> None:
    """Index an OpenClaw's workspace, and make entries of the rows of its old memory-lancedb.

    Without --workspace, --lancedb and --vectors everything is taken that OpenClaw's settings name or
    that lies in its usual places; with any of them only what is named. Again adds only what is new.
    """
    from tercet.app.openclaw_import import import_openclaw
    from tercet.app.openclaw_sources import find_sources
    from tercet.config import load_settings

    del debug
    loaded = load_settings({name: value for name, value in {"home": home, "agent": agent}.items() if value})
    sources = find_sources(
        loaded.settings.agent, os.environ, state=state, workspace=workspace, table=table, vectors=vectors
    )
    with progress_bar("indexing", "files", quiet=as_json) as progress:
        report = asyncio.run(
            import_openclaw(
                loaded,
                sources,
                session_key=session,
                keep_orphans=keep_orphans,
                dry_run=dry_run,
                progress=progress,
            )
        )
    if as_json:
        print_json(_report_json(report, dry_run=dry_run))
        return
    for source in report.sources:
        _print(source, would="would be " if dry_run else "")
    if report.degraded:
        say(f"degraded: {report.degraded}")
    if dry_run:
        say("Nothing was written: run it again without --dry-run.")


def _print(source: SourceReport, *, would: str) -> None:
    counts = source.counts
    click.echo(
        f"{source.kind} {printed_line(source.place)}: {counted(counts.found, THINGS[source.kind])} found, "
        f"{would}imported {counts.imported}, merged {counts.merged}, already there {counts.already_there}"
    )
    for why, count in counts.skipped:
        click.echo(f"  skipped {count}: {printed_line(why)}")


def _report_json(report: OpenClawReport, *, dry_run: bool) -> dict[str, Any]:
    return {
        "dryRun": dry_run,
        "sources": [
            {
                "kind": source.kind,
                "place": source.place,
                "found": source.counts.found,
                "imported": source.counts.imported,
                "merged": source.counts.merged,
                "alreadyThere": source.counts.already_there,
                "skipped": [{"why": why, "count": count} for why, count in source.counts.skipped],
            }
            for source in report.sources
        ],
        "degraded": report.degraded,
    }
