"""Spans of local dates, and how they become half-open ranges of aware datetimes.

All arithmetic is on dates of the asker's calendar, never on instants, so that a day with 23 or 25
hours is still one day. A result outside the years that the grammar knows is None, not an error.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import MAXYEAR, MINYEAR, date, datetime, time, timedelta
from typing import TYPE_CHECKING, Literal

from tercet.model import TimeRange

if TYPE_CHECKING:
    from datetime import tzinfo

FIRST_YEAR = 1000
LAST_YEAR = 2999

Unit = Literal["day", "week", "weekend", "month", "quarter", "half", "season", "year"]
Season = Literal["spring", "summer", "autumn", "winter"]

_SEASON_MONTH: dict[Season, int] = {"spring": 3, "summer": 6, "autumn": 9, "winter": 12}
_MONTHS_OF: dict[str, int] = {"month": 1, "quarter": 3, "half": 6, "season": 3, "year": 12}


@dataclass(frozen=True, slots=True)
class DaySpan:
    """Local dates ``[first, end)``; None leaves a side open."""

    first: date | None
    end: date | None


ByYear = Callable[[int], DaySpan | None]
"""The occurrence of a date without a year in the year given, or None where it has none."""


def to_range(span: DaySpan, zone: tzinfo) -> TimeRange:
    """Give the span as aware datetimes at local midnight in ``zone``."""

    def midnight(day: date | None) -> datetime | None:
        return None if day is None else datetime.combine(day, time(), tzinfo=zone)

    return TimeRange(midnight(span.first), midnight(span.end))


def make_date(year: int, month: int, day: int) -> date | None:
    """Give the date, or None when the calendar has no such day or the year is out of reach."""
    if not FIRST_YEAR <= year <= LAST_YEAR:
        return None
    try:
        return date(year, month, day)
    except ValueError:
        return None


def shift_days(day: date, days: int) -> date | None:
    """Move by days; None outside the calendar."""
    try:
        moved = day + timedelta(days=days)
    except OverflowError:
        return None
    return moved if FIRST_YEAR <= moved.year <= LAST_YEAR else None


def shift_months(day: date, months: int) -> date | None:
    """Move by months, to the month's last day where it is shorter (31 March - 1 = 28 February)."""
    index = day.year * 12 + day.month - 1 + months
    year, month = divmod(index, 12)
    for candidate in range(day.day, 27, -1) if day.day > 28 else (day.day,):  # noqa: PLR2004 - every month has 28 days
        moved = make_date(year, month + 1, candidate)
        if moved is not None:
            return moved
    return None


def span(first: date | None, end: date | None) -> DaySpan | None:
    """Give the closed span, or None when a side is unknown or nothing lies between."""
    if first is None or end is None or end <= first:
        return None
    return DaySpan(first, end)


def days_from(first: date | None, days: int) -> DaySpan | None:
    """Give ``days`` days beginning at ``first``."""
    return None if first is None else span(first, shift_days(first, days))


def day_span(year: int, month: int, day: int) -> DaySpan | None:
    """Give one day."""
    return days_from(make_date(year, month, day), 1)


def months_from(year: int, month: int, months: int) -> DaySpan | None:
    """Give ``months`` whole months beginning with ``month``."""
    first = make_date(year, month, 1)
    return None if first is None else span(first, shift_months(first, months))


def year_span(year: int) -> DaySpan | None:
    """Give one calendar year."""
    return months_from(year, 1, 12)


def season_span(year: int, season: Season) -> DaySpan | None:
    """Give a meteorological season of the northern half; the winter of a year begins in its December."""
    return months_from(year, _SEASON_MONTH[season], 3)


def iso_week_span(year: int, week: int) -> DaySpan | None:
    """Give the ISO week, Monday to Sunday; None for a week 53 that the year does not have."""
    if not FIRST_YEAR <= year <= LAST_YEAR:
        return None
    try:
        return days_from(date.fromisocalendar(year, week, 1), 7)
    except ValueError:
        return None


def unit_around(unit: Unit, day: date | None) -> DaySpan | None:
    """Give the calendar unit that holds ``day``; weeks begin on Monday, a weekend is its last two days."""
    if day is None:
        return None
    if unit == "day":
        return days_from(day, 1)
    if unit == "week":
        return days_from(shift_days(day, -day.weekday()), 7)
    if unit == "weekend":
        return days_from(shift_days(day, 5 - day.weekday()), 2)
    months = _MONTHS_OF[unit]
    return months_from(day.year, (day.month - 1) // months * months + 1, months)


def unit_away(unit: Unit, today: date, count: int) -> DaySpan | None:
    """Give the calendar unit ``count`` units from the one that holds ``today`` (negative = past)."""
    if unit in _MONTHS_OF:
        first_of_month = today.replace(day=1)
        return unit_around(unit, shift_months(first_of_month, count * _MONTHS_OF[unit]))
    step = 1 if unit == "day" else 7
    # A huge count is refused before the product: timedelta has its own limit.
    return unit_around(unit, shift_days(today, count * step)) if abs(count) < 10**7 else None


def rolling(unit: Unit, today: date, count: int) -> DaySpan | None:
    """Give the ``count`` units that end with today (positive) or begin tomorrow (negative)."""
    if abs(count) >= 10**7:
        return None
    tomorrow = shift_days(today, 1)
    if tomorrow is None:
        return None
    if unit in _MONTHS_OF:
        other = shift_months(tomorrow, -count * _MONTHS_OF[unit])
    else:
        other = shift_days(tomorrow, -count * (1 if unit == "day" else 7))
    return span(other, tomorrow) if count > 0 else span(tomorrow, other)


def weekday_before(day: date, weekday: int) -> date | None:
    """Give the latest date before ``day`` that is this weekday (Monday = 0)."""
    return shift_days(day, -((day.weekday() - weekday - 1) % 7 + 1))


def weekday_after(day: date, weekday: int) -> date | None:
    """Give the first date after ``day`` that is this weekday (Monday = 0)."""
    return shift_days(day, (weekday - day.weekday() - 1) % 7 + 1)


def third_of(whole: DaySpan, part: int) -> DaySpan | None:
    """Give the early (0), middle (1) or late (2) third.

    A month is cut at the 11th and the 21st, longer spans that begin with a month at whole months
    where they divide by three, everything else by days.
    """
    first, end = whole.first, whole.end
    if first is None or end is None:
        return None
    months = (end.year - first.year) * 12 + end.month - first.month
    if first.day == 1 and end.day == 1 and months == 1:
        cuts = [first, first.replace(day=11), first.replace(day=21), end]
        return span(cuts[part], cuts[part + 1])
    if first.day == 1 and end.day == 1 and months % 3 == 0:
        return span(shift_months(first, months // 3 * part), shift_months(first, months // 3 * (part + 1)))
    days = (end - first).days
    return span(shift_days(first, days * part // 3), shift_days(first, days * (part + 1) // 3))


def half_of(whole: DaySpan, part: int) -> DaySpan | None:
    """Give the first (0) or second (1) half; a month is cut at the 16th, longer spans at whole months."""
    first, end = whole.first, whole.end
    if first is None or end is None:
        return None
    months = (end.year - first.year) * 12 + end.month - first.month
    if first.day == 1 and end.day == 1 and months % 2 == 0:
        middle = shift_months(first, months // 2)
    elif first.day == 1 and end.day == 1 and months == 1:
        middle = first.replace(day=16)
    else:
        middle = shift_days(first, (end - first).days // 2)
    return span(first, middle) if part == 0 else span(middle, end)


def edge_of(whole: DaySpan, *, last: bool) -> DaySpan | None:
    """Give the beginning or the end: a quarter of a year, a third of anything shorter."""
    first, end = whole.first, whole.end
    if first is None or end is None:
        return None
    if (end - first).days > 360:  # noqa: PLR2004 - a year
        return span(shift_months(end, -3), end) if last else span(first, shift_months(first, 3))
    return third_of(whole, 2 if last else 0)


def latest_past(by_year: ByYear, today: date) -> DaySpan | None:
    """Give the latest occurrence that has begun by ``today`` (29 February may be eight years back)."""
    for year in range(min(today.year, MAXYEAR), max(today.year - 9, MINYEAR), -1):
        found = by_year(year)
        if found is not None and found.first is not None and found.first <= today:
            return found
    return None


def last_complete(by_year: ByYear, today: date) -> DaySpan | None:
    """Give the latest occurrence that was over before ``today``."""
    for year in range(today.year, today.year - 10, -1):
        found = by_year(year)
        if found is not None and found.end is not None and found.end <= today:
            return found
    return None


def next_future(by_year: ByYear, today: date) -> DaySpan | None:
    """Give the first occurrence that begins after ``today``."""
    for year in range(today.year, today.year + 10):
        found = by_year(year)
        if found is not None and found.first is not None and found.first > today:
            return found
    return None


def nearest(by_year: ByYear, today: date) -> DaySpan | None:
    """Give the occurrence whose first day is closest to ``today``; the earlier one of two."""
    best: DaySpan | None = None
    best_days = 0
    for year in range(today.year - 4, today.year + 5):
        found = by_year(year)
        if found is None or found.first is None:
            continue
        days = abs((found.first - today).days)
        if best is None or days < best_days:
            best, best_days = found, days
    return best


def named_occurrence(by_year: ByYear, today: date, which: str) -> DaySpan | None:
    """Give the occurrence that "last", "this" or "next" (and their like) names."""
    if which in ("last", "past", "previous", "this past"):
        return last_complete(by_year, today)
    return by_year(today.year) if which == "this" else next_future(by_year, today)
