"""``tercet forget``."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import click

from tercet.interfaces.cli.entries import print_entry
from tercet.interfaces.cli.options import open_served_memory, print_json, say, shared_options
from tercet.interfaces.cli.shown import printed_line
from tercet.interfaces.wire import forget_json

if TYPE_CHECKING:
    from tercet.keeping import ForgetReport


@click.command("forget")
@click.argument("ids", metavar="[ID]...", nargs=-1)
@click.option("--query", metavar="Q", help="What it is about; shows what would go unless --yes is given.")
@click.option("--session", metavar="KEY", help="All that came from this session; with --query: whose memory is sought.")
@click.option("--anchor", metavar="WHO", help="Everything about a person: a session key, or a link's name.")
@click.option("--yes", is_flag=True, help="Remove what the query finds.")
@shared_options
def command(
    ids: tuple[str, ...],
    *,
    query: str | None,
    session: str | None,
    anchor: str | None,
    yes: bool,
    home: str | None,
    agent: str | None,
    as_json: bool,
    debug: bool,
) -> int:
    """Take entries out of every read at once; 'tercet undo' brings them back within the hour."""
    del debug
    if sum(map(bool, (ids, query or session, anchor))) != 1:
        msg = "say what to forget in one way: ids, --query, --session or --anchor."
        raise click.UsageError(msg)
    with open_served_memory(home, agent) as memory:
        report = memory.forget(
            ids,
            query=query,
            session=None if query else session,
            anchor=anchor,
            session_key=session if query else None,
            confirm=yes,
        )
    only_asked = bool(query) and not yes
    if as_json or report.candidates or not only_asked:
        _print(report, as_json=as_json)
    if only_asked:
        if report.candidates:
            say(f"Nothing is removed yet. To remove them: tercet forget {shlex.join(e.id for e in report.candidates)}")
        else:
            say("Nothing is about that.")
        return 1
    return 0


def _print(report: ForgetReport, *, as_json: bool) -> None:
    if as_json:
        print_json(forget_json(report))
        return
    for entry in report.candidates:
        print_entry(entry)
    if report.waiting_removed:
        click.echo(
            f"Removed {report.waiting_removed} messages that waited. Their bytes are gone: 'tercet undo' has none."
        )
    if report.purge_at is not None:
        click.echo(
            f"Removed {len(report.removed)} entries. Their bytes remain until "
            f"{report.purge_at:%Y-%m-%d %H:%M} for 'tercet undo'."
        )
        for entry_id in report.removed:
            click.echo(f"removed {entry_id}")
    elif not report.candidates and not report.waiting_removed and not report.notes_left:
        say("There was nothing to remove.")
    if report.notes_left:
        say("Notes in that person's folder stay, since they are files: delete them if you want them gone.")
        for path in report.notes_left:
            click.echo(printed_line(f"note left {path}"))
