"""English words before a date that take a part of it, or a time counted from it.

"early March", "the first week of November", "the Sunday before October 25", "two weeks after ...":
each turns the reading that follows into another, longer one.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from tercet.text.dates.calendar_ranges import (
    DaySpan,
    days_from,
    edge_of,
    half_of,
    shift_days,
    shift_months,
    span,
    third_of,
    unit_around,
    weekday_after,
    weekday_before,
)
from tercet.text.dates.english_words import (
    BEGIN,
    FEW,
    FULL_WEEKDAY,
    NUMBER,
    ORDINALS,
    UNITS,
    WEEKDAYS,
    number_of,
)
from tercet.text.dates.readings import Kind, Page, Reading

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import date

_PARTS = {
    "early": 0, "mid": 1, "middle": 1, "late": 2, "beginning": 3, "start": 3, "end": 4, "first half": 5,
    "second half": 6, "latter half": 6, "first part": 0, "latter part": 2, "turn": 3,
}  # fmt: skip
_PART = re.compile(
    rf"{BEGIN}(?:(?P<part>early|mid|late)(?:[ -]| in | of )|(?:the |at the )?"
    r"(?P<of>beginning|start|middle|end|turn|first half|second half|latter half|first part|latter part) of )"
    r"(?:the )?\Z",
    re.ASCII,
)
_NTH = re.compile(
    rf"{BEGIN}(?:the )?(?P<nth>{'|'.join(ORDINALS)}) (?P<unit>day|week|weekend|month|quarter|{FULL_WEEKDAY}) "
    r"(?:of|in) (?:the )?\Z",
    re.ASCII,
)
_ANCHORED = re.compile(
    rf"{BEGIN}(?:the |last )?(?:(?P<number>{NUMBER}) )?(?P<unit>day|week|weekend|month|year|{FULL_WEEKDAY})s? "
    r"(?P<way>before|after|prior to|preceding|following|leading up to)(?: the)? \Z",
    re.ASCII,
)
_WEEK_OF = re.compile(rf"{BEGIN}(?:the |that )?(?P<unit>week|weekend) (?:of|starting|beginning) (?:the )?\Z", re.ASCII)
_CURRENT = re.compile(
    rf"{BEGIN}(?:(?P<part>early|mid|late)(?: in | )|(?P<of>beginning|start|middle|end) of )the "
    r"(?P<unit>month|year|quarter|week)(?![a-z0-9_'-])",
    re.ASCII,
)


def parts_of_current_unit(page: Page) -> list[Reading]:
    """Read "the end of the month": of the latest unit whose part has begun."""
    found: list[Reading] = []
    for match in _CURRENT.finditer(page.plain):
        unit = UNITS[match["unit"]][0]
        whole = unit_around(unit, page.today)
        part = _PARTS[match["part"] or match["of"]]
        chosen = None if whole is None else _part_of(whole, part)
        if chosen is not None and chosen.first is not None and chosen.first > page.today and whole and whole.first:
            before = unit_around(unit, shift_days(whole.first, -1))
            chosen = before and _part_of(before, part)
        spans = () if chosen is None else (chosen,)
        found.append(Reading(match.start(), match.end(), spans, "part", relative=True))
    return found


def widen_english(page: Page, base: Reading) -> Reading:
    """Take the words before ``base`` into it as long as they change its meaning."""
    for _ in range(2):
        changed = _part(page, base) or _nth(page, base) or _anchored(page, base) or _week_of(page, base)
        if changed is None:
            return base
        base = changed
    return base


def _start(base: Reading, match: re.Match[str]) -> int:
    return base.start - (match.end() - match.start())


def _apply(base: Reading, start: int, kind: Kind, change: Callable[[DaySpan], DaySpan | None]) -> Reading:
    spans = tuple(found for whole in base.spans if (found := change(whole)) is not None)
    inner = base.by_year

    def by_year(year: int) -> DaySpan | None:
        whole = None if inner is None else inner(year)
        return None if whole is None else change(whole)

    shared = None if inner is None else by_year
    return replace(base, start=start, spans=spans, kind=kind, by_year=shared, is_weekday=False)


def _settled(page: Page, base: Reading) -> Reading:
    """Choose the year again: the part may not have begun where the whole has."""
    if base.by_year is None:
        return base
    found = page.settle(base.by_year)
    return replace(base, spans=() if found is None else (found,))


def _part_of(whole: DaySpan, part: int) -> DaySpan | None:
    if part <= 2:  # noqa: PLR2004 - the three thirds
        return third_of(whole, part)
    if part <= 4:  # noqa: PLR2004 - beginning and end
        return edge_of(whole, last=part == 4)  # noqa: PLR2004
    return half_of(whole, part - 5)


def _part(page: Page, base: Reading) -> Reading | None:
    match = page.follows(_PART, base.start)
    if match is None or base.kind not in ("month", "season", "year", "quarter", "week", "half"):
        return None
    part = _PARTS[match["part"] or match["of"]]
    changed = _apply(base, _start(base, match), "part", lambda whole: _part_of(whole, part))
    return _settled(page, replace(changed, weak=False))


def _nth(page: Page, base: Reading) -> Reading | None:
    match = page.follows(_NTH, base.start)
    if match is None or base.kind not in ("month", "year", "season", "quarter"):
        return None
    nth, unit = ORDINALS[match["nth"]], match["unit"]
    kind: Kind = "day" if unit in WEEKDAYS else UNITS[unit][0]
    changed = _apply(base, _start(base, match), kind, lambda whole: _nth_of(whole, nth, unit))
    return _settled(page, changed)


def _nth_of(whole: DaySpan, nth: int, unit: str) -> DaySpan | None:
    """Give the nth unit inside ``whole``; weeks are counted in sevens from its first day."""
    first, end = whole.first, whole.end
    if first is None or end is None:
        return None
    if unit in ("month", "quarter"):
        months = 1 if unit == "month" else 3
        start = shift_months(end, -months) if nth < 0 else shift_months(first, months * (nth - 1))
        found = None if start is None else span(start, shift_months(start, months))
    elif unit in ("day", "week"):
        days = 1 if unit == "day" else 7
        found = days_from(shift_days(end, -days) if nth < 0 else shift_days(first, days * (nth - 1)), days)
    else:
        weekday = 5 if unit == "weekend" else WEEKDAYS[unit]
        outside = end if nth < 0 else shift_days(first, -1)
        day = outside and (weekday_before(outside, weekday) if nth < 0 else weekday_after(outside, weekday))
        found = days_from(day and shift_days(day, 0 if nth < 0 else 7 * (nth - 1)), 2 if unit == "weekend" else 1)
    if found is None or found.first is None or not first <= found.first < end:
        return None
    return found


def _anchored(page: Page, base: Reading) -> Reading | None:
    match = page.follows(_ANCHORED, base.start)
    if match is None or base.is_open:
        return None
    number, unit = match["number"], match["unit"]
    back = match["way"] in ("before", "prior to", "preceding", "leading up to")
    kind: Kind = "day" if unit in WEEKDAYS else UNITS[unit][0]

    def change(whole: DaySpan) -> DaySpan | None:
        edge = whole.first if back else whole.end
        return None if edge is None else _counted_from(edge, unit, number, back=back)

    return _apply(base, _start(base, match), kind, change)


def _counted_from(edge: date, unit: str, number: str | None, *, back: bool) -> DaySpan | None:
    """Give the unit(s) that end at ``edge`` (or begin there), or the unit so many units away."""
    sign = -1 if back else 1
    if unit in WEEKDAYS or unit == "weekend":
        weekday = 5 if unit == "weekend" else WEEKDAYS[unit]
        days = 2 if unit == "weekend" else 1
        if back:
            day = weekday_before(edge, weekday)
            if day is not None and unit == "weekend" and (edge - day).days < days:
                day = shift_days(day, -7)
        else:
            day = weekday_after(edge, weekday) if edge.weekday() != weekday else edge
        return days_from(day, days)
    # "the week before" touches the day; "two weeks before" is that far from it.
    if number is None or (number in ("a", "an", "one", "1") and unit != "day"):
        other = shift_months(edge, sign * (1 if unit == "month" else 12)) if unit in ("month", "year") else None
        other = other or shift_days(edge, sign * (1 if unit == "day" else 7))
        return span(other, edge) if back else span(edge, other)
    count = 2 if number in FEW else number_of(number)
    if count >= 10**5:
        return None
    origin = edge if back else shift_days(edge, -1)
    if origin is None:
        return None
    if unit in ("month", "year"):
        return unit_around(UNITS[unit][0], shift_months(origin, sign * count * (1 if unit == "month" else 12)))
    return unit_around(UNITS[unit][0], shift_days(origin, sign * count * (1 if unit == "day" else 7)))


def _week_of(page: Page, base: Reading) -> Reading | None:
    match = page.follows(_WEEK_OF, base.start)
    if match is None or base.kind != "day":
        return None
    unit = UNITS[match["unit"]][0]
    return _apply(base, _start(base, match), unit, lambda whole: unit_around(unit, whole.first))
