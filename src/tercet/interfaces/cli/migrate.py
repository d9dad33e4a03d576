"""``tercet migrate``."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import click

from tercet.interfaces.cli.options import print_json, say, shared_options
from tercet.text.counted import counted

if TYPE_CHECKING:
    from tercet.app.migrating import MigrationReport


@click.command("migrate")
@click.option("--to", "to_url", metavar="URL", required=True, help="As store.url: postgresql://, s3:// or a folder.")
@click.option("--to-tenant", metavar="NAME", help="As store.tenant of the target (default: that of the settings).")
@click.option("--dry-run", is_flag=True, help="Only count what would be carried.")
@shared_options
def command(
    *,
    to_url: str,
    to_tenant: str | None,
    dry_run: bool,
    home: str | None,
    agent: str | None,
    as_json: bool,
    debug: bool,
) -> None:
    """Carry everything but files and vault to another store; stop the services first.

    Both sides are compared at the end. Ended half way, the same command goes on. The settings are yours
    to change afterwards; the source stays as it is.
    """
    from tercet.app.migrating import migrate
    from tercet.config import load_settings
    from tercet.errors import ConfigurationError
    from tercet.interfaces.client.discovery import find_service

    del debug
    loaded = load_settings({name: value for name, value in {"home": home, "agent": agent}.items() if value})
    service = find_service(loaded.settings.home)
    if service is not None and not dry_run:
        msg = f"A service runs over {loaded.settings.home} (process {service.pid}): stop it, then migrate."
        raise ConfigurationError(msg)
    report = asyncio.run(migrate(loaded, to_url, to_tenant=to_tenant, dry_run=dry_run))
    if as_json:
        print_json(
            {
                "source": report.source,
                "target": report.target,
                "dryRun": dry_run,
                "tables": [
                    {"table": each.table, "records": each.records, "sha256": each.digest, "wasThere": each.was_there}
                    for each in report.tables
                ],
            }
        )
        return
    _print(report, dry_run=dry_run)


def _print(report: MigrationReport, *, dry_run: bool) -> None:
    for each in report.tables:
        there = "  (was there)" if each.was_there and each.records else ""
        click.echo(f"{each.records:>9}  {each.digest[:12]}  {each.table}{there}")
    records = counted(sum(each.records for each in report.tables), "record")
    if dry_run:
        click.echo(f"{records} would go from {report.source} to {report.target}.")
        return
    click.echo(f"{records} went from {report.source} to {report.target}, alike on both sides.")
    say("Now set store.url (and store.tenant) in tercet.toml or TERCET_STORE__URL; the old store stays as it is.")
