"""What is given on a command line and can be refused there: a wrong command line, exit code 2."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import click

from tercet.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_LIMIT = 1000

LIMIT = click.IntRange(1, MAX_LIMIT)


def not_blank(context: click.Context, parameter: click.Parameter, text: str) -> str:
    """Refuse an argument of white space alone."""
    if text.strip():
        return text
    msg = "it is blank: give at least one word."
    raise click.BadParameter(msg, context, parameter)


def share(context: click.Context, parameter: click.Parameter, value: float | None) -> float | None:
    """Refuse what lies outside [0, 1]; ``click.FloatRange`` lets NaN pass."""
    if value is None or (not math.isnan(value) and 0 <= value <= 1):
        return value
    msg = f"{value:g} is not in the range 0 to 1."
    raise click.BadParameter(msg, context, parameter)


def known_preset(context: click.Context, parameter: click.Parameter, name: str | None) -> str | None:
    """Refuse a preset that is not there."""
    from tercet.ranking.presets import preset_named

    if name is not None:
        _as_usage(lambda: preset_named(name), context, parameter)
    return name


def known_agent(context: click.Context, parameter: click.Parameter, agent: str | None) -> str | None:
    """Refuse a malformed agent id."""
    from tercet.identity import checked_agent

    if agent is not None:
        _as_usage(lambda: checked_agent(agent), context, parameter)
    return agent


def constants(context: click.Context, parameter: click.Parameter, given: tuple[str, ...]) -> dict[str, float]:
    """Read ``NAME=VALUE`` pairs and refuse names and values that no preset takes."""
    from tercet.ranking.presets import preset_with

    values: dict[str, float] = {}
    for pair in given:
        name, _, value = pair.partition("=")
        try:
            values[name.strip()] = float(value)
        except ValueError as error:
            msg = f"{pair!r} is not NAME=NUMBER."
            raise click.BadParameter(msg, context, parameter) from error
    _as_usage(lambda: preset_with("tuned", values), context, parameter)
    return values


def _as_usage(check: Callable[[], object], context: click.Context, parameter: click.Parameter) -> None:
    try:
        check()
    except InvalidInputError as error:
        raise click.BadParameter(str(error), context, parameter) from error
