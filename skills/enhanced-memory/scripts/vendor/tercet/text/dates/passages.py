"""The dates that are written in a passage."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from tercet.text.dates.calendar_ranges import DaySpan, latest_past, to_range
from tercet.text.dates.finder import read_page
from tercet.text.dates.readings import Page, Reading, plain_text

if TYPE_CHECKING:
    from datetime import datetime, tzinfo

    from tercet.model import TimeRange

_NO_DAY = date(2000, 1, 1)


def dates_in_text(text: str, reference: datetime | None, zone: tzinfo) -> list[TimeRange]:
    """Give the dates written in a passage, without repeats, in the order of the text.

    Words such as "since" and "before" are not acted on: a passage that says "since March" speaks
    of March, and must not answer for every day after it. Weak mentions ("today") say nothing that
    the passage's own date does not, and are left out.

    Args:
        text: The passage.
        reference: When it was written, aware, or None when that is unknown: then only dates that
            name their year count. A date without a year means the occurrence nearest to it ("see
            you on 10 January"), and also the latest past one where that is another (a birthday),
            because that is what the same words mean in a query.
        zone: Where the ranges' midnights are.
    """
    today = _NO_DAY if reference is None else reference.astimezone(zone).date()
    page = Page(text, plain_text(text), today, zone, lean="nearest")
    ranges = [
        to_range(span, zone)
        for reading in read_page(page, opening=False)
        if not reading.weak and (reference is not None or not (reading.relative or reading.by_year is not None))
        for span in _meanings(page, reading)
    ]
    return list(dict.fromkeys(ranges))


def _meanings(page: Page, reading: Reading) -> tuple[DaySpan, ...]:
    past = None if reading.by_year is None else latest_past(reading.by_year, page.today)
    return reading.spans if past is None or past in reading.spans else (*reading.spans, past)
