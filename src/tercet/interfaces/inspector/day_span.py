"""A span of whole days in UTC, as times are shown, both of its ends included."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from typing import Final

EARLIEST_YEAR: Final = 1000
LATEST_YEAR: Final = 8999


def check_days(since: date | None, until: date | None) -> None:
    """Refuse a span that cannot be.

    Raises:
        ValueError: a year outside the range, or the last day before the first.
    """
    for day in (since, until):
        if day is not None and not EARLIEST_YEAR <= day.year <= LATEST_YEAR:
            msg = f"give a year from {EARLIEST_YEAR} to {LATEST_YEAR}"
            raise ValueError(msg)
    if since is not None and until is not None and until < since:
        msg = f"the last day, {until}, is before the first, {since}: swap them"
        raise ValueError(msg)


def begin_of(day: date | None) -> datetime | None:
    """Return when a day begins; None for none."""
    return None if day is None else datetime.combine(day, time(), UTC)


def end_of(day: date | None) -> datetime | None:
    """Return when a day is over; None for none."""
    return None if day is None else datetime.combine(day, time(), UTC) + timedelta(days=1)
