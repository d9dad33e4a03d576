"""``tercet doctor``."""

from __future__ import annotations

import click

from tercet.interfaces.cli.options import open_memory, print_json, shared_options


@click.command("doctor")
@click.option("--fix", is_flag=True, help="Mend what can be mended without losing anything.")
@shared_options
def command(*, fix: bool, home: str | None, agent: str | None, as_json: bool, debug: bool) -> int:
    """Check every part, one write and read end to end, and name the mend for each finding."""
    del debug
    with open_memory(home, agent) as memory:
        findings = memory.diagnose(fix=fix)
    broken = any(finding.verdict == "problem" for finding in findings)
    if as_json:
        listed = [
            {"check": each.check, "verdict": each.verdict, "detail": each.detail, "mend": each.mend or None}
            for each in findings
        ]
        print_json({"ok": not broken, "findings": listed})
        return int(broken)
    for each in findings:
        click.echo(f"{each.verdict:<8} {each.check}: {each.detail}")
        if each.mend:
            click.echo(f"         {each.mend}")
    return int(broken)
