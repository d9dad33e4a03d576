"""``tercet capture``."""

from __future__ import annotations

from typing import IO

import click

from tercet.interfaces.cli.options import open_memory, print_json, say, shared_options
from tercet.text.counted import counted


@click.command("capture")
@click.argument("transcript", metavar="FILE", type=click.File("r", encoding="utf-8", errors="replace"))
@click.option("--session", metavar="KEY", help="Whose it is, e.g. telegram:123 (default: the file's own key).")
@shared_options
def command(
    transcript: IO[str],
    *,
    session: str | None,
    home: str | None,
    agent: str | None,
    as_json: bool,
    debug: bool,
) -> None:
    """Take in a transcript of OpenClaw, pi or Claude Code, or lines with role and content; - reads standard input."""
    del debug
    with open_memory(home, agent) as memory:
        read, report = memory.capture(transcript, session)
    skipped = [{"why": why, "count": count} for why, count in report.skipped]
    if as_json:
        print_json(
            {
                "format": read.format,
                "messages": len(read.messages),
                "kept": report.kept,
                "merged": report.merged,
                "superseded": report.superseded,
                "waiting": report.waiting,
                "degraded": report.degraded,
                "skipped": skipped,
                "lines": [{"line": each.line, "why": each.why} for each in read.skipped],
            }
        )
        return
    click.echo(
        f"{read.format}: {counted(len(read.messages), 'message')}; kept {report.kept}, merged {report.merged}, "
        f"superseded {report.superseded}"
    )
    for each in skipped:
        click.echo(f"skipped {each['count']}: {each['why']}")
    for line in read.skipped:
        say(f"line {line.line}: {line.why}")
    if report.degraded:
        say(f"degraded: {report.degraded}")
    if report.waiting:
        say(
            f"{counted(report.waiting, 'message', 'wait')} until the embedder works; till then they are found by words."
        )
