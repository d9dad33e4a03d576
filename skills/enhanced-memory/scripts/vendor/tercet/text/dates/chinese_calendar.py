"""Chinese calendar dates, largest unit first: 2026年2月8日, 去年夏天, 三月中旬, 第三季度, 上个月底.

A small descent: a year (or none), then a month, season, half or quarter, then a day or a part.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from tercet.text.dates.calendar_ranges import (
    ByYear,
    DaySpan,
    Season,
    edge_of,
    half_of,
    iso_week_span,
    make_date,
    months_from,
    season_span,
    shift_days,
    shift_months,
    span,
    third_of,
    year_span,
)
from tercet.text.dates.chinese_words import NUMERAL, chinese_number
from tercet.text.dates.readings import Kind, Page, Reading

if TYPE_CHECKING:
    from collections.abc import Iterator

_YEAR = re.compile(r"(?P<roc>民国)?(?P<year>(?<!\d)\d{2,4}|[〇一二三四五六七八九十]{2,4}) ?年(?!级|代|龄)")
_YEAR_WORDS = {"大前年": -3, "前年": -2, "去年": -1, "上年": -1, "今年": 0, "本年": 0, "明年": 1, "后年": 2}
_YEAR_WORD = re.compile(
    r"大前年|(?<![以之\d一二两三四五六七八九十百几多半])前年|(?<!过)去年|今年|明年|(?<![以之然\d一二两三四五六七八九十百几多半])后年|(?<![基成日])本年(?!度|级)"
)
_MONTH = re.compile(rf" ?(?P<month>\d{{1,2}}|{NUMERAL}{{1,3}}) ?月(?!亮|球|光|饼|子|经|票|租|薪|活|天)份?(?!怀)")
_MONTH_WORDS = {"上上": -2, "上": -1, "这": 0, "本": 0, "当": 0, "下": 1, "下下": 2}
_MONTH_WORD = re.compile(
    r"(?:(?P<which>上上|下下|[上下这])个|(?<![以海北天日每])(?P<short>[上下本当]))月(?![球亮光饼台])"
)
_DAY = re.compile(
    rf" ?(?P<day>\d{{1,2}}|{NUMERAL}{{1,3}}) ?(?:[日号](?!楼|线|机|店|门|码)|(?=[\-~至到]\d{{1,2}}[日号]))"
    rf"(?: ?[\-~至到] ?(?P<last>\d{{1,2}}|{NUMERAL}{{1,3}}) ?[日号])?"
)
_DAY_RANGE = re.compile(r" ?(?P<day>\d{1,2}) ?[\-~至到] ?(?P<last>\d{1,2}) ?[日号]")
_MONTH_PART = re.compile(
    r"的?(?P<part>上旬|中旬|下旬|初(?![始步中级期])|底(?![层部薪线座])|末(?![尾])|中(?![国文午间学心央华止断等])|上半月|下半月)"
)
_YEAR_PART = re.compile(
    r"的?(?:(?P<half>[上下])半年|(?P<part>初(?![始步中级期])|底(?![层部薪线座])|末(?![尾])|中(?![国文午学心央华止断等])))"
)
_REPEATED_YEAR = re.compile(r"的?年")
_BARE_YEAR_PART = re.compile(
    r"(?<![每\d〇一二两三四五六七八九十百几去今明前后本整全半多周同当过大新拜])年[底初末中](?![国文午学心央华始步级])|(?<![每])[上下]半年(?!度)"
)
_BARE_MONTH_PART = re.compile(r"(?<![每\d〇一二两三四五六七八九十百几上下本个当])月(?:[初末]|底|中旬|上旬|下旬)(?!层)")
_QUARTER = re.compile(
    r"的?(?:第(?P<number>[一二三四1-4])个?季(?:度)?|(?P<short>[一二三四])季度|[qQ](?P<figure>[1-4])(?![\da-z]))"
)
_SEASON = re.compile(
    r"的?(?P<season>[春夏秋冬])(?P<long>天|季(?!节)|日(?!本))?(?!节|游|令营|装|款|秋|眠|运|晚|招|瓜|笋|雨|风|粮|奥|至|分)"
)
_WEEK_NUMBER = re.compile(r"的?第 ?(?P<week>\d{1,2}|[一二三四五六七八九十]{1,3}) ?(?:个?星期|周|个?礼拜)(?!年)")
_SEASONS: dict[str, Season] = {"春": "spring", "夏": "summer", "秋": "autumn", "冬": "winter"}
_START = re.compile(
    r"民国(?=[\d一二三四五六七八九十〇])"
    r"|(?<![\d.前])\d{1,4}(?= ?[年月])|(?<!前)[〇一二两三四五六七八九十廿]{1,4}(?= ?[年月])"
    r"|大?前年|去年|今年|明年|后年|本年"
    r"|上上个月|下下个月|[上下这]个月|[上下本当]月|第[一二三四1-4]个?季|[一二三四]季度|[春夏秋冬](?=[天季])|年[底初末中]|[上下]半年|月[底初末中上下]"
)
_RECURRING = re.compile(r"(?:每年?的?|每到|每个|每逢|逢)\Z")
_ROC = 1911


@dataclass(frozen=True, slots=True)
class _When:
    """A year that is known, or a date that waits for one."""

    year: int | None
    relative: bool


def chinese_calendar(page: Page) -> Iterator[Reading]:
    """Read every Chinese calendar date."""
    position = 0
    while (match := _START.search(page.plain, position)) is not None:
        found = _read(page, match.start())
        if found is None:
            position = match.end() if match.end() > match.start() else match.start() + 1
            continue
        position = found.end
        if page.follows(_RECURRING, found.start) is None:
            yield found


def _read(page: Page, start: int) -> Reading | None:
    when, position = _year(page, start)
    for step in (_month, _quarter, _half_or_part, _season, _week_number):
        found = step(page, start, position, when)
        if found is not None:
            return found
    if position == start or when.year is None:
        return None
    return _finish(page, (start, position), year_span, "year", when)


def _year(page: Page, start: int) -> tuple[_When, int]:
    match = _YEAR.match(page.plain, start)
    if match is not None:
        value = chinese_number(match["year"])
        figures = len(match["year"])
        if value is not None and match["roc"]:
            return _When(value + _ROC, relative=False), match.end()
        if value is not None and (figures == 4 or (figures == 2 and match["year"].isdigit())):  # noqa: PLR2004
            is_full = figures == 4  # noqa: PLR2004 - a year written in full
            followed = _MONTH.match(page.plain, match.end())
            if is_full or followed is not None:
                return _When(value if is_full else 2000 + value, relative=False), match.end()
        return _When(None, relative=False), start
    match = _YEAR_WORD.match(page.plain, start)
    if match is None:
        return _When(None, relative=False), start
    return _When(page.today.year + _YEAR_WORDS[match[0]], relative=True), match.end()


def _finish(
    page: Page, where: tuple[int, int], by_year: ByYear, kind: Kind, when: _When, *, weak: bool = False
) -> Reading:
    """Put the year in, or choose one."""
    if when.year is not None:
        found = by_year(when.year)
        weak = weak or (kind == "year" and when.relative and when.year == page.today.year)
        return Reading(*where, () if found is None else (found,), kind, relative=when.relative, weak=weak)
    found = page.settle(by_year)
    return Reading(*where, () if found is None else (found,), kind, weak=weak, by_year=by_year)


def _month(page: Page, start: int, position: int, when: _When) -> Reading | None:
    plain = page.plain
    of = position + 1 if position > start and plain.startswith("的", position) else position
    match = _MONTH.match(plain, of)
    if match is not None:
        month = chinese_number(match["month"]) or 0
    elif position == start and (match := _MONTH_WORD.match(plain, start)) is not None:
        index = page.today.month - 1 + _MONTH_WORDS[match["which"] or match["short"]]
        month, when = index % 12 + 1, _When(page.today.year + index // 12, relative=True)
    else:
        return _bare_month_part(page, start) if position == start else None
    first = partial(_month_of, month)
    end = match.end()
    if not 1 <= month <= 12:  # noqa: PLR2004 - months
        return Reading(start, end, (), "month")
    day = _DAY.match(plain, end) or _DAY_RANGE.match(plain, end)
    if day is not None:
        low = chinese_number(day["day"]) or 0
        high = (chinese_number(day["last"]) or 0) if day["last"] else low
        days = partial(_days_of, month, low, high)
        return _finish(page, (start, day.end()), days, "range" if day["last"] else "day", when)
    part = _MONTH_PART.match(plain, end)
    if part is not None:
        sign = part["part"]
        return _finish(page, (start, part.end()), lambda year: _part_of_month(first(year), sign), "part", when)
    week = _WEEK_NUMBER.match(plain, end)
    if week is not None:
        number = chinese_number(week["week"]) or 0
        return _finish(page, (start, week.end()), lambda year: _week_of_month(first(year), number), "week", when)
    return _finish(page, (start, end), first, "month", when)


def _month_of(month: int, year: int) -> DaySpan | None:
    return months_from(year, month, 1)


def _days_of(month: int, low: int, high: int, year: int) -> DaySpan | None:
    end = make_date(year, month, high)
    return span(make_date(year, month, low), None if end is None else shift_days(end, 1))


def _part_of_month(whole: DaySpan | None, sign: str) -> DaySpan | None:
    if whole is None:
        return None
    if sign.endswith("半月"):
        return half_of(whole, 0 if sign.startswith("上") else 1)
    return third_of(whole, 0 if sign in ("初", "上旬") else 2 if sign in ("底", "末", "下旬") else 1)


def _week_of_month(whole: DaySpan | None, number: int) -> DaySpan | None:
    if whole is None or whole.first is None or not 1 <= number <= 5:  # noqa: PLR2004 - sevens of a month
        return None
    start = shift_days(whole.first, 7 * (number - 1))
    return span(start, None if start is None else shift_days(start, 7))


def _bare_month_part(page: Page, start: int) -> Reading | None:
    match = _BARE_MONTH_PART.match(page.plain, start)
    if match is None:
        return None
    sign = match[0][1:]
    here = page.today.replace(day=1)
    for away in (0, -1):
        month = shift_months(here, away)
        found = None if month is None else _part_of_month(months_from(month.year, month.month, 1), sign)
        if found is not None and found.first is not None and found.first <= page.today:
            return Reading(start, match.end(), (found,), "part", relative=True)
    return None


def _quarter(page: Page, start: int, position: int, when: _When) -> Reading | None:
    match = _QUARTER.match(page.plain, position)
    if match is None or (position == start and match["figure"]):
        return None
    number = chinese_number(match["number"] or match["short"] or match["figure"]) or 1
    return _finish(page, (start, match.end()), lambda year: months_from(year, 3 * number - 2, 3), "quarter", when)


def _half_or_part(page: Page, start: int, position: int, when: _When) -> Reading | None:
    if position == start:
        if _BARE_YEAR_PART.match(page.plain, start) is None:
            return None
        # 年底 alone: read the part right after the character 年, or the half from its own first.
        position = start + 1 if page.plain.startswith("年", start) else start
    match = _YEAR_PART.match(page.plain, position)
    repeated = _REPEATED_YEAR.match(page.plain, position) if match is None and position > start else None
    if repeated is not None:
        match = _YEAR_PART.match(page.plain, repeated.end())
    if match is None:
        return None
    if match["half"]:
        part = 0 if match["half"] == "上" else 1
        return _finish(page, (start, match.end()), lambda year: months_from(year, 1 + 6 * part, 6), "half", when)
    sign = match["part"]
    return _finish(page, (start, match.end()), lambda year: _part_of_year(year, sign), "part", when)


def _part_of_year(year: int, sign: str) -> DaySpan | None:
    whole = year_span(year)
    if whole is None:
        return None
    return third_of(whole, 1) if sign == "中" else edge_of(whole, last=sign != "初")


def _season(page: Page, start: int, position: int, when: _When) -> Reading | None:
    match = _SEASON.match(page.plain, position)
    if match is None or (when.year is None and match["long"] is None):
        return None
    season = _SEASONS[match["season"]]
    return _finish(
        page, (start, match.end()), lambda year: season_span(year, season), "season", when, weak=when.year is None
    )


def _week_number(page: Page, start: int, position: int, when: _When) -> Reading | None:
    match = _WEEK_NUMBER.match(page.plain, position) if when.year is not None else None
    if match is None:
        return None
    number = chinese_number(match["week"]) or 0
    return _finish(page, (start, match.end()), lambda year: iso_week_span(year, number), "week", when)
