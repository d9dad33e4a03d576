"""The ``tercet`` command; each sub-command is imported only when it runs."""

from __future__ import annotations

import sys

from tercet.interfaces.cli.commands import cli


def main() -> None:
    """Run the command line and exit: 0 ok, 1 failure with one line on stderr, 2 usage."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run one command line and return its exit code."""
    import click

    from tercet.errors import TercetError

    try:
        result = cli.main(args=arguments, prog_name="tercet", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("tercet: interrupted", err=True)
        return 130
    except BrokenPipeError:
        # The reader of our output went away (``| head``): no fault of ours, and nothing to add.
        sys.stderr.close()
        return 0
    except (TercetError, OSError) as error:
        if "--debug" in arguments:
            raise
        click.echo(f"tercet: {one_line(error)}", err=True)
        return 1
    except Exception as error:  # a mistake of ours: no traceback in a user's face unless asked for
        if "--debug" in arguments:
            raise
        kind = type(error).__name__
        click.echo(f"tercet: unexpected {kind}: {one_line(error)}. Run it again with --debug, and report it.", err=True)
        return 1
    return result if isinstance(result, int) else 0


def one_line(error: BaseException) -> str:
    """Return an error's message on one line."""
    return " ".join(str(error).split()) or type(error).__name__
