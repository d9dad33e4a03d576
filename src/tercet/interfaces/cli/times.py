"""How commands read a time."""

from __future__ import annotations

from datetime import datetime

import click

EARLIEST_YEAR, LATEST_YEAR = 1000, 9000


def parse_moment(text: str | None, option: str) -> datetime | None:
    """Read an ISO date or time; one without a zone is taken as local time."""
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        msg = f"{text!r} is no ISO date or time: write e.g. 2026-02-08T09:30+08:00."
        raise click.BadParameter(msg, param_hint=option) from error
    # Outside, a zone's offset or "a year ago" may lie before the first or behind the last year there is.
    if not EARLIEST_YEAR <= moment.year <= LATEST_YEAR:
        msg = f"{text!r} is out of range: give a year from {EARLIEST_YEAR} to {LATEST_YEAR}."
        raise click.BadParameter(msg, param_hint=option)
    return moment if moment.tzinfo is not None else moment.astimezone()
