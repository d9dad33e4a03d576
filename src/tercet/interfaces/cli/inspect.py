"""``tercet inspect``."""

from __future__ import annotations

import click

from tercet.interfaces.cli.options import print_json, say, shared_options


@click.command("inspect")
@click.option("--no-browser", is_flag=True, help="Print the address alone.")
@shared_options
def command(*, no_browser: bool, home: str | None, agent: str | None, as_json: bool, debug: bool) -> None:
    """Open the pages of the running service in the browser, signed in: look into the memory, put it right."""
    from tercet.config import load_settings
    from tercet.errors import ConfigurationError
    from tercet.interfaces.client.discovery import find_service
    from tercet.interfaces.client.sign_in_link import sign_in_link

    del debug
    loaded = load_settings({name: value for name, value in {"home": home, "agent": agent}.items() if value})
    service = find_service(loaded.settings.home)
    if service is None:
        msg = f"No service of {loaded.settings.home} is running: start it with 'tercet serve', then inspect."
        raise ConfigurationError(msg)
    url = sign_in_link(service, agent)
    if as_json:
        print_json({"url": url})
        return
    click.echo(url)
    if not no_browser:
        click.launch(url)
    say("It signs one browser in, once, within 90 seconds.")
