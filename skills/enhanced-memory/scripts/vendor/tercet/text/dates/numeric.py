"""Dates written in figures: ISO 8601 and its relatives, and the two orders of day and month.

A date with slashes, hyphens or dots is read year first, else day first **and** month first: where
both exist the phrase has two meanings (dots are always day first). What looks like a date with
an impossible month or day is recognised and has no meaning, so that no part of it is read instead.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING

from tercet.text.dates.calendar_ranges import day_span, days_from, iso_week_span, months_from
from tercet.text.dates.readings import Page, Reading, reading

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tercet.text.dates.calendar_ranges import DaySpan

# Not inside a longer number, version, address or amount.
_BEFORE = r"(?<![\d$€£#])(?<!\d[-/.:,])(?<![-/.]v)(?<!\bv)"
_AFTER = r"(?!\d|[-/.:]\d|,\d{3}\b|%)"

_DAY = re.compile(
    _BEFORE + r"(?P<year>[12]\d{3})(?P<sep>[-/.])(?P<month>\d{1,2})(?P=sep)(?P<day>\d{1,2})"
    r"(?:(?:[t ]|, )(?P<hour>\d{2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:\.\d{1,9})?)?"
    r"(?: ?(?P<offset>z\b|[-+]\d{2}:?\d{2}\b))?)?(?!\d|[-/.:]\d)",
    re.ASCII,
)
_MONTH = re.compile(
    _BEFORE + r"(?P<year>(?:19|20)\d{2})(?P<sep>[-/])(?P<month>\d{2})" + _AFTER + r"(?![a-z])", re.ASCII
)
_WEEK = re.compile(_BEFORE + r"(?P<year>(?:19|20)\d{2})-?w(?P<week>\d{2})(?:-[1-7])?(?![\da-z])", re.ASCII)
_COMPACT = re.compile(
    r"(?<![\da-z$€£#.,:+-])(?P<year>(?:19|20)\d{2})(?P<month>\d{2})(?P<day>\d{2})(?![\da-z]|[-.,:]\d)", re.ASCII
)
_YEAR_LAST = re.compile(
    _BEFORE + r"(?P<first>\d{1,2})(?P<sep>[-/.])(?P<second>\d{1,2})(?P=sep)(?P<year>(?:19|20)\d{2})" + _AFTER, re.ASCII
)
_VERSION_WORD = re.compile(r"(?:version|release|openclaw|build|v|==|>=|<=|~=|@|\^|~)[ :]?\Z", re.ASCII)
_HALF_DAY_S = 50_400
"""No zone is further than 14 hours from UTC."""


def numeric_dates(page: Page) -> Iterator[Reading]:
    """Read every date in figures."""
    for match in _DAY.finditer(page.plain):
        if match["sep"] == "." and not _is_dotted_date(page, match):
            continue
        yield reading(match.span(), _iso_day(page, match), "day")
    for match in _MONTH.finditer(page.plain):
        if page.follows(_VERSION_WORD, match.start()) is None:
            yield reading(match.span(), months_from(int(match["year"]), int(match["month"]), 1), "month")
    for match in _WEEK.finditer(page.plain):
        yield reading(match.span(), iso_week_span(int(match["year"]), int(match["week"])), "week")
    for match in _COMPACT.finditer(page.plain):
        found = day_span(int(match["year"]), int(match["month"]), int(match["day"]))
        if found is not None:
            yield reading(match.span(), found, "day")
    for match in _YEAR_LAST.finditer(page.plain):
        if page.follows(_VERSION_WORD, match.start()) is None:
            yield Reading(match.start(), match.end(), _both_orders(match), "day")


def _is_dotted_date(page: Page, match: re.Match[str]) -> bool:
    """Tell 2026.02.08 from a version such as 2026.2.8."""
    padded = len(match["month"]) == 2 and len(match["day"]) == 2  # noqa: PLR2004 - two figures
    return padded and page.follows(_VERSION_WORD, match.start()) is None


def _iso_day(page: Page, match: re.Match[str]) -> DaySpan | None:
    """Give the day in the asker's zone: a time with an offset is an instant, all else a local date."""
    found = day_span(int(match["year"]), int(match["month"]), int(match["day"]))
    if found is None or found.first is None or match["offset"] is None:
        return found
    hour, minute, second = int(match["hour"]), int(match["minute"]), int(match["second"] or 0)
    offset = _offset(match["offset"])
    if hour > 23 or minute > 59 or second > 59 or offset is None:  # noqa: PLR2004 - a clock
        return found
    midnight = datetime(found.first.year, found.first.month, found.first.day, tzinfo=offset)
    instant = midnight + timedelta(hours=hour, minutes=minute, seconds=second)
    return days_from(instant.astimezone(page.zone).date(), 1)


def _offset(text: str) -> timezone | None:
    if text == "z":
        return UTC
    seconds = int(text[1:3]) * 3600 + int(text[-2:]) * 60
    if seconds > _HALF_DAY_S:
        return None
    return timezone(timedelta(seconds=-seconds if text[0] == "-" else seconds))


def _both_orders(match: re.Match[str]) -> tuple[DaySpan, ...]:
    """Give the meanings day first and month first; one where they agree or only one exists."""
    year, first, second = int(match["year"]), int(match["first"]), int(match["second"])
    orders = [(second, first)] if match["sep"] == "." else [(second, first), (first, second)]
    meanings: list[DaySpan] = []
    for month, day in orders:
        found = day_span(year, month, day)
        if found is not None and found not in meanings:
            meanings.append(found)
    return tuple(meanings)
