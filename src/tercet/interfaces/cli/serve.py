"""``tercet serve``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tercet.interfaces.cli.options import print_json, say, shared_options

if TYPE_CHECKING:
    from tercet.config import LoadedSettings


@click.command("serve")
@click.option("--host", metavar="ADDRESS", default="127.0.0.1", show_default=True, help="Where to listen.")
@click.option("--port", type=click.IntRange(0, 65535), default=8372, show_default=True, help="0 takes any free one.")
@click.option("--allow-host", metavar="NAME", multiple=True, help="Another name under which it may be asked.")
@click.option("--install", is_flag=True, help="Write a unit that starts it with your session, and end.")
@click.option("--new-token", metavar="NAME", help="Make a token, print it, and end; --agent and --session bind it.")
@click.option("--session", metavar="KEY", help="With --new-token: the one session it may reach, of --agent.")
@shared_options
def command(
    *,
    host: str,
    port: int,
    allow_host: tuple[str, ...],
    install: bool,
    new_token: str | None,
    session: str | None,
    home: str | None,
    agent: str | None,
    as_json: bool,
    debug: bool,
) -> None:
    """Hold model and index in one process, for agents over HTTP and MCP; it watches the indexed folders."""
    from tercet.config import load_settings

    del debug
    if session and not new_token:
        msg = "--session belongs to --new-token."
        raise click.UsageError(msg)
    loaded = load_settings({name: value for name, value in {"home": home, "agent": agent}.items() if value})
    if new_token:
        _make_token(loaded, new_token, agent, session, as_json=as_json)
    elif install:
        _install(loaded, host, port, as_json=as_json)
    else:
        _serve(loaded, host, port, allow_host, as_json=as_json)


def _make_token(loaded: LoadedSettings, name: str, agent: str | None, session: str | None, *, as_json: bool) -> None:
    from tercet.interfaces.http.tokens import Tokens

    tokens = Tokens(loaded.settings.home)
    grant = tokens.add(name, agent or (loaded.settings.agent if session else None), session)
    if as_json:
        print_json({"name": grant.name, "token": grant.token, "agent": grant.agent, "session": grant.session_key})
        return
    click.echo(grant.token)
    say(f"It lies in {tokens.path} too; a running service takes it from now on.")


def _install(loaded: LoadedSettings, host: str, port: int, *, as_json: bool) -> None:
    from tercet.interfaces.http.unit import install_unit

    written, start = install_unit(loaded.settings.home, host, port)
    if as_json:
        print_json({"path": str(written), "start": start})
        return
    click.echo(str(written))
    say(f"Start it with: {start}")


def _serve(loaded: LoadedSettings, host: str, port: int, allow_hosts: tuple[str, ...], *, as_json: bool) -> None:
    from tercet.interfaces.http.first_lines import first_lines
    from tercet.interfaces.http.serving import Serving, serve
    from tercet.interfaces.http.tokens import TOKENS_FILE

    where = Serving(host, port, allow_hosts)
    tokens_file = loaded.settings.home / TOKENS_FILE

    def announce(url: str, pid: int) -> None:
        if as_json:
            print_json({"url": url, "pid": pid, "tokens": str(tokens_file)}, indent=None)
        else:
            click.echo(first_lines(url, tokens_file))

    serve(loaded, where, lambda running: announce(running.url, running.pid))
