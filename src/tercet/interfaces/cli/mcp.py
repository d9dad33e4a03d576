"""``tercet mcp``."""

from __future__ import annotations

import click

from tercet.interfaces.cli.options import shared_options


@click.command("mcp")
@click.option("--session", metavar="KEY", help="The one session it may reach, e.g. telegram:123 (default: any).")
@shared_options
def command(*, session: str | None, home: str | None, agent: str | None, as_json: bool, debug: bool) -> None:
    """Speak MCP on standard input and output, for a client that starts its servers itself."""
    import asyncio

    from tercet.config import load_settings
    from tercet.identity import parse_session_key
    from tercet.interfaces.client.opening import open_memory_async
    from tercet.interfaces.grants import Grant
    from tercet.interfaces.http.logs import start_logging
    from tercet.interfaces.mcp.over_stdio import run_stdio

    del as_json, debug
    loaded = load_settings({name: value for name, value in {"home": home, "agent": agent}.items() if value})
    name = loaded.settings.agent
    if session is not None:
        parse_session_key(session, name)

    async def run() -> None:
        memory = await open_memory_async(loaded)
        try:
            await run_stdio(memory, Grant("stdio", "", name, session))
        finally:
            await memory.close()

    start_logging()
    asyncio.run(run())
