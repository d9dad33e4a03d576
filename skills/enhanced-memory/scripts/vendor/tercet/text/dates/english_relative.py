"""English phrases that mean a date only when one knows who says them when.

"last" and "next" before a weekday mean the latest before today and the first after today; before a
unit they mean the calendar unit before or after the one that holds today. "the past three weeks"
is rolling: the days that end with today.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tercet.text.dates.calendar_ranges import (
    DaySpan,
    Unit,
    days_from,
    rolling,
    shift_days,
    span,
    unit_around,
    unit_away,
    weekday_after,
    weekday_before,
)
from tercet.text.dates.english_words import (
    BEGIN,
    END,
    FEW,
    FULL_WEEKDAY,
    GAP,
    NUMBER,
    UNITS,
    WEEKDAY,
    WEEKDAYS,
    number_of,
)
from tercet.text.dates.readings import Kind, Page, Reading, reading

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date

_FEW = (2, 6)
"""What "a few" and "several" span."""
_RECENT_DAYS = 30

_DAY_OFFSETS = {
    "the day before yesterday": -2,
    "day before yesterday": -2,
    "the day after tomorrow": 2,
    "day after tomorrow": 2,
    "yesterday": -1,
    "last night": -1,
    "last evening": -1,
    "tomorrow": 1,
    "earlier today": 0,
    "this morning": 0,
    "this afternoon": 0,
    "this evening": 0,
}
_WEAK_DAYS = ("today", "tonight", "right now", "just now", "now")
_RECENTLY = ("recently", "lately", "the other day", "these days")
_DAY_WORD = re.compile(
    BEGIN
    + "(?:"
    + "|".join(
        word.replace(" ", GAP) for word in sorted([*_DAY_OFFSETS, *_WEAK_DAYS, *_RECENTLY], key=len, reverse=True)
    )
    + ")"
    + END,
    re.ASCII,
)
_UNIT = r"(?P<unit>day|weekend|week|fortnight|month|quarter|year|decade)"
_AGO = re.compile(
    rf"{BEGIN}(?:(?P<from>\d{{1,9}})(?: ?- ?| to | or ))?(?P<number>{NUMBER}|half an?){GAP}{_UNIT}s?{GAP}"
    rf"(?P<way>ago|back|from now|from today){END}(?!{GAP}(?:to|into|in|up|at|then)\b)",
    re.ASCII,
)
_IN = re.compile(
    rf"{BEGIN}in{GAP}(?P<number>{NUMBER}){GAP}(?P<unit>day|week|fortnight|month|year)s?{END}(?!-|{GAP}ago)", re.ASCII
)
_WHICH_UNIT = re.compile(
    rf"{BEGIN}(?P<early>(?:earlier|later){GAP})?(?P<which>this past|this coming|last|previous|this|current|next|"
    rf"coming|upcoming){GAP}"
    rf"(?P<unit>weekend|week|month|quarter|year){END}(?!{GAP}of\b|-(?:end|long)\b)",
    re.ASCII,
)
_PAST_UNIT = re.compile(
    rf"{BEGIN}(?:the|this){GAP}past{GAP}(?P<unit>day|week|fortnight|month|quarter|year){END}", re.ASCII
)
_LAST_N = re.compile(
    rf"{BEGIN}(?:the{GAP})?(?P<which>past|last|previous|recent|next|coming){GAP}(?P<number>{NUMBER}){GAP}"
    rf"(?P<unit>day|weekend|week|fortnight|month|quarter|year|decade)s{END}(?!{GAP}of\b)",
    re.ASCII,
)
_LAST_BUT_ONE = re.compile(
    rf"{BEGIN}the{GAP}(?P<unit>week|weekend|month|year){GAP}(?P<way>before last|after next){END}", re.ASCII
)
_WEEKEND = re.compile(rf"{BEGIN}(?:over|on|at|during){GAP}the{GAP}weekend{END}", re.ASCII)
_WEEKDAY = re.compile(
    rf"{BEGIN}(?P<which>(?:last|past|previous|this past|this coming|this|next|coming|upcoming|on|by|since){GAP})?"
    rf"(?P<weekday>{WEEKDAY}){END}(?!-)(?P<week>,?{GAP}(?:of{GAP})?(?P<week_which>last|next|this){GAP}week{END})?",
    re.ASCII,
)
_SPAN_OF_WEEK = re.compile(rf"{BEGIN}{WEEKDAY}(?: ?[-/&] ?| to | through | thru | and | or ){WEEKDAY}{END}", re.ASCII)
_ONE_WEEK = re.compile(rf"{BEGIN}(?:last|this|next|past|between|from){GAP}\Z", re.ASCII)
_RECURRING = re.compile(
    rf"{BEGIN}(?:every|each|per|any|black|good|cyber|ash|easter|palm|giving|casual|other)\s\Z", re.ASCII
)
_FULL_WEEKDAY = re.compile(FULL_WEEKDAY, re.ASCII)


def english_relative(page: Page) -> Iterator[Reading]:
    """Read every phrase that is counted from today."""
    for match in _DAY_WORD.finditer(page.plain):
        yield _day_word(page, match)
    for match in _AGO.finditer(page.plain):
        yield _ago(page, match)
    for match in _IN.finditer(page.plain):
        found = _in(page, match)
        if found is not None:
            yield found
    yield from _units(page)
    for match in _SPAN_OF_WEEK.finditer(page.plain):
        # "Monday to Friday" says how often, not when; "between Monday and Friday" says when.
        if page.follows(_ONE_WEEK, match.start()) is None:
            yield Reading(match.start(), match.end(), (), "day")
    for match in _WEEKDAY.finditer(page.plain):
        found = _weekday(page, match)
        if found is not None:
            yield found


def _day_word(page: Page, match: re.Match[str]) -> Reading:
    word = " ".join(match[0].split())
    if word in _RECENTLY:
        days = 7 if word in ("the other day", "these days") else _RECENT_DAYS
        return reading(match.span(), rolling("day", page.today, days), "range", relative=True, weak=True)
    found = days_from(shift_days(page.today, _DAY_OFFSETS.get(word, 0)), 1)
    return reading(match.span(), found, "day", relative=True, weak=word in _WEAK_DAYS)


def counted(page: Page, unit_word: str, low: int, high: int, sign: int) -> tuple[DaySpan | None, Kind]:
    """Give the unit(s) between ``low`` and ``high`` units away, and the kind of that span."""
    unit, factor = UNITS[unit_word]
    near = unit_away(unit, page.today, sign * low * factor)
    kind: Kind = unit
    if unit_word == "decade":
        return (near and unit_around_decade(near)), "range"
    if low == high:
        return near, kind
    far = unit_away(unit, page.today, sign * high * factor)
    if near is None or far is None:
        return None, "range"
    first, last = (far, near) if sign < 0 else (near, far)
    return span(first.first, last.end), "range"


def unit_around_decade(year: DaySpan) -> DaySpan | None:
    """Widen a year to five years either side."""
    if year.first is None or year.end is None:
        return None
    low, high = shift_days(year.first, -5 * 365), shift_days(year.end, 5 * 365)
    return span(low and low.replace(month=1, day=1), high and high.replace(month=1, day=1))


def _bounds(number: str, low: str | None) -> tuple[int, int]:
    if number in FEW:
        return _FEW
    high = number_of(number)
    return (min(int(low), high), high) if low else (high, high)


def _ago(page: Page, match: re.Match[str]) -> Reading:
    sign = 1 if match["way"].startswith("from") else -1
    if match["number"].startswith("half"):
        found = unit_away("month", page.today, 6 * sign) if match["unit"] == "year" else None
        return reading(match.span(), found, "month", relative=True)
    found, kind = counted(page, match["unit"], *_bounds(match["number"], match["from"]), sign)
    return reading(match.span(), found, kind, relative=True)


def _in(page: Page, match: re.Match[str]) -> Reading | None:
    # "twice in a day", "in one year" are durations more often than dates.
    if match["number"] in ("a", "an", "one", "1", *FEW):
        return None
    found, kind = counted(page, match["unit"], *_bounds(match["number"], None), 1)
    return reading(match.span(), found, kind, relative=True)


def _units(page: Page) -> Iterator[Reading]:
    for match in _WHICH_UNIT.finditer(page.plain):
        found = _which_unit(page, match)
        if found is not None:
            yield found
    for match in _PAST_UNIT.finditer(page.plain):
        unit, factor = UNITS[match["unit"]]
        yield reading(match.span(), rolling(unit, page.today, factor), "range", relative=True)
    for match in _LAST_N.finditer(page.plain):
        unit, factor = UNITS[match["unit"]]
        count = (_FEW[1] if match["number"] in FEW else number_of(match["number"])) * factor
        if match["which"] in ("next", "coming"):
            count = -count
        if unit == "weekend":
            unit = "week"
        yield reading(match.span(), rolling(unit, page.today, count), "range", relative=True)
    for match in _LAST_BUT_ONE.finditer(page.plain):
        unit = UNITS[match["unit"]][0]
        away = -2 if match["way"] == "before last" else 2
        yield reading(match.span(), unit_away(unit, page.today, away), unit, relative=True)
    for match in _WEEKEND.finditer(page.plain):
        yield reading(match.span(), _begun_weekend(page.today), "weekend", relative=True)


def _begun_weekend(today: date) -> DaySpan | None:
    this = unit_around("weekend", today)
    if this is not None and this.first is not None and this.first <= today:
        return this
    return unit_away("weekend", today, -1)


def _which_unit(page: Page, match: re.Match[str]) -> Reading | None:
    unit: Unit = UNITS[match["unit"]][0]
    which = match["which"]
    early = (match["early"] or "").strip()
    away = 0 if which in ("this", "current") else -1 if which in ("last", "previous", "this past") else 1
    found = unit_away(unit, page.today, away)
    tomorrow = shift_days(page.today, 1)
    if early and away == 0 and found is not None:
        found = span(found.first, tomorrow) if early == "earlier" else span(tomorrow, found.end)
    # Small talk says "this week" and "this year" of everything; the narrower words are meant.
    weak = away == 0 and not early and unit in ("week", "year")
    return reading(match.span(), found, "part" if early else unit, relative=True, weak=weak)


def _weekday(page: Page, match: re.Match[str]) -> Reading | None:
    number = WEEKDAYS[match["weekday"]]
    which = (match["which"] or "").strip()
    if page.follows(_RECURRING, match.start("weekday")):
        return None
    if _FULL_WEEKDAY.fullmatch(match["weekday"]) is None and not (
        (which or match["week"]) and page.is_capital(match.start("weekday"))
    ):
        return None
    # "on", "by" and "since" only vouch for a short form; they are not part of the date.
    start = match.start("weekday") if which in ("on", "by", "since") else match.start()
    bare = match["week"] is None and which in ("", "on", "by", "since")
    found = _which_weekday(page.today, number, "" if bare else which, match["week_which"])
    return reading((start, match.end()), found, "day", relative=True, is_weekday=bare)


def _which_weekday(today: date, number: int, which: str, week: str | None) -> DaySpan | None:
    if week is not None:
        unit = unit_away("week", today, {"last": -1, "this": 0, "next": 1}[week])
        return None if unit is None or unit.first is None else days_from(shift_days(unit.first, number), 1)
    if which == "this":
        return days_from(shift_days(today, number - today.weekday()), 1)
    if which in ("next", "coming", "upcoming", "this coming"):
        return days_from(weekday_after(today, number), 1)
    return days_from(weekday_before(today, number), 1)
