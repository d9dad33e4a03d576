"""The table of sub-commands: name to module, loaded late so that ``--help`` stays quick."""

from __future__ import annotations

import importlib

import click

from tercet._version import __version__

COMMANDS: dict[str, str] = {
    "index": "Index folders of Markdown memories, or bring them up to date.",
    "search": "Find passages by meaning and by words.",
    "recall": "Print the section an agent would get before it answers.",
    "remember": "Store one fact.",
    "list": "List what is stored.",
    "history": "Show what an entry replaced, and what replaced it.",
    "forget": "Take entries out of every read.",
    "undo": "Bring back what the last forget took.",
    "capture": "Take in a transcript.",
    "import": "Take over the memories of another program: OpenClaw.",
    "identity": "Say which session keys are one person.",
    "wiki": "Write, edit, find, check and link the notes of the vault.",
    "crossref": "Link what belongs together, and show the graph of it.",
    "session": "Show the windows of conversations, or extract from them now.",
    "plugins": "List plug-ins, and choose which layers are used.",
    "serve": "Hold model and index in one process, for agents over HTTP and MCP.",
    "inspect": "Open the pages of the running service in the browser, signed in.",
    "mcp": "Speak MCP on standard input and output, for clients that start their servers themselves.",
    "why": "Say where a passage stands for a query, or which rule left it out.",
    "read": "Print the lines a ref points at.",
    "salience": "Say what matters and was not looked at for long.",
    "status": "Show settings, sizes and health.",
    "doctor": "Check every part and name the mend.",
    "eval": "Measure how well questions are answered, and fit the weights to them.",
    "migrate": "Carry everything to another store: PostgreSQL, a bucket, a folder.",
    "reembed": "Move the index to the embedder of the settings.",
}
"""Command to its one line of help; the module of the same name holds the command."""


class LateGroup(click.Group):
    """A group whose commands are modules beside this one, imported when they are asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order of the table."""
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the module of a command."""
        del ctx
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"tercet.interfaces.cli.{cmd_name}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands from the table, without importing them."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=LateGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="tercet")
def cli() -> None:
    """Long-term memory for AI agents, on your own machine."""
