"""How commands read a time."""

from __future__ import annotations

from datetime import datetime

import click


def parse_moment(text: str | None, option: str) -> datetime | None:
    """Read an ISO date or time; one without a zone is taken as local time."""
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        msg = f"{text!r} is no ISO date or time: write e.g. 2026-02-08T09:30+08:00."
        raise click.BadParameter(msg, param_hint=option) from error
    return moment if moment.tzinfo is not None else moment.astimezone()
