"""``tercet session``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tercet.interfaces.cli.options import open_memory, print_json, say, shared_options
from tercet.interfaces.cli.shown import printed_line
from tercet.interfaces.session_wire import extraction_json, session_json
from tercet.text.counted import counted

if TYPE_CHECKING:
    from tercet.capture.session_extraction import ExtractionReport
    from tercet.ports.windows import SessionStatus

_of_session = click.option("--session", metavar="KEY", help="Which one, e.g. telegram:123 (default: all of them).")


@click.group("session")
def command() -> None:
    """Show the windows of conversations, and draw entries and notes from them."""


@command.command("status")
@_of_session
@shared_options
def status(
    session: str | None,
    *,
    home: str | None,
    agent: str | None,
    as_json: bool,
    debug: bool,
) -> None:
    """Show what each session's window holds, and what came since its last extraction."""
    del debug
    with open_memory(home, agent) as memory:
        found = memory.session_status(session)
    if as_json:
        print_json({"sessions": [session_json(each) for each in found]})
        return
    if not found:
        say("No conversation is in a window.")
    for each in found:
        _print_status(each)


@command.command("flush")
@_of_session
@shared_options
def flush(
    session: str | None,
    *,
    home: str | None,
    agent: str | None,
    as_json: bool,
    debug: bool,
) -> int:
    """Draw entries from what was not extracted yet, without waiting for the thresholds."""
    del debug
    with open_memory(home, agent) as memory:
        report = memory.session_flush(session)
    if as_json:
        print_json(extraction_json(report))
    else:
        _print_report(report)
    for reason in report.failed:
        say(printed_line(reason))
    return 1 if report.failed else 0


def _print_status(status: SessionStatus) -> None:
    state = status.state
    click.echo(
        printed_line(
            f"{status.session.key}: {counted(status.messages, 'message')} ({counted(status.tokens, 'token')}) in the "
            f"window; since the last extraction {counted(state.tokens, 'token')}, "
            f"{counted(state.tool_calls, 'tool call')}, {counted(state.turns, 'turn')}"
        )
    )
    if status.reason:
        again = f"; tried again from {status.retry_at:%Y-%m-%d %H:%M %Z}" if status.retry_at else ""
        click.echo(printed_line(f"  failed {counted(status.attempts, 'time')}: {status.reason}{again}"))


def _print_report(report: ExtractionReport) -> None:
    if not report.sessions:
        click.echo("Nothing was extracted.")
        return
    click.echo(
        f"kept {report.kept}, known already {report.folded}, superseded {report.superseded}, "
        f"without evidence {report.dropped}; {counted(report.notes, 'note')} written"
    )
    for name in report.made_by:
        click.echo(printed_line(f"by {name}"))
