"""Chinese phrases counted from today: 昨天, 上周三, 三天前, 最近一周."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tercet.text.dates.calendar_ranges import Unit, days_from, rolling, shift_days, span, unit_away, weekday_before
from tercet.text.dates.chinese_words import FEW, NUMBER, chinese_number
from tercet.text.dates.readings import Kind, Page, Reading, reading

if TYPE_CHECKING:
    from collections.abc import Iterator

_DAY_OFFSETS = {
    "大前天": -3, "前天": -2, "前日": -2, "前晚": -2,
    "昨天": -1, "昨日": -1, "昨晚": -1, "昨夜": -1, "昨儿": -1, "昨早": -1,
    "今早": 0, "今晨": 0, "今天": 0, "今日": 0, "今晚": 0, "今夜": 0, "今儿": 0, "现在": 0, "目前": 0,
    "明天": 1, "明日": 1, "明早": 1, "明晚": 1, "后天": 2, "大后天": 3,
}  # fmt: skip
_WEAK_DAYS = frozenset({"今天", "今日", "今晚", "今夜", "今儿", "现在", "目前"})
_DAY_WORD = re.compile(
    r"大前天|(?<![以之天日月年周从提目])前[天晚](?![气])|(?<![以之天日月年从])前日(?!本)|昨[天日晚夜儿早](?!黄花)|今早(?!年)|今晨|今[天夜儿晚]|今日(?!头条)"
    r"|现在|目前|(?<![文声聲证證透])明(?:[天日晚](?!星)|早(?!已))|大后天|(?<![以之然最先前今背午])后天(?![培努形性习因气天条])"
)
_WEEKDAY_SIGN = {
    "一": 0,
    "二": 1,
    "三": 2,
    "四": 3,
    "五": 4,
    "六": 5,
    "日": 6,
    "天": 6,
    "1": 0,
    "2": 1,
    "3": 2,
    "4": 3,
    "5": 4,
    "6": 5,
}
_WEEK_WORD = "(?:周|星期|礼拜)"
_WHICH = {"上上": -2, "上": -1, "前": -2, "这": 0, "本": 0, "当": 0, "下": 1, "下下": 2}
# A numeral that counts something ("上周三个人") or belongs to the next word ("上周一直") is no weekday.
_WEEKDAY = (
    r"(?P<weekday>末|(?:一(?!直|共|起|定|些|样|般|次|个|旦|边|周|天|点|年|种|位|条|下)|[二三四五六](?!个|次|天|位|家|件|项|条|篇|种|场|轮|份|支|台|月|名|岁|小时|周|年|人|十|百)"
    r"|日(?!程|常|志|报|期|均|记|本)|天(?!气|天)|[1-6](?!\d|个|次|天|位|家|件|项|条|篇|种|场|轮|份|月|名|%|\.\d)))"
)
_WEEK = re.compile(rf"(?P<which>上上|下下|[上下这本])一?个?{_WEEK_WORD}{_WEEKDAY}?(?!期刊)")
_BARE_WEEKDAY = re.compile(
    rf"(?<![每一二两三四五六七八九十几多半整\d个隔首本上下这数单双])(?P<which>){_WEEK_WORD}{_WEEKDAY}(?![至到\-~][周星礼一二三四五六日])"
)
_WEEK_SPAN = re.compile(
    rf"(?<![上下这本个从]){_WEEK_WORD}[一二三四五六]?[至到\-~、和](?:{_WEEK_WORD})?[一二三四五六日天](?![个次])"
)
_MONTH = re.compile(
    r"(?<![以海北天])(?P<which>上上|下下|[上下这])个月(?![\d一二两三四五六七八九十])|(?<![以海北天云])(?P<short>[上下])月(?![球亮光饼台])|(?<![日每基成资版文样剧书])(?P<this>本|当)月"
)
_UNIT = r"(?P<unit>个?星期|个?礼拜|周|天|日|个半月|个月|年|个?季度)"
_UNITS: dict[str, Unit] = {
    "星期": "week",
    "礼拜": "week",
    "周": "week",
    "天": "day",
    "日": "day",
    "月": "month",
    "年": "year",
    "季度": "quarter",
}
_AGO = re.compile(
    rf"(?:(?P<half>半(?:个月|年))|(?:(?P<from>{NUMBER})[\-~至到])?(?P<number>{NUMBER}|{FEW}){_UNIT}(?P<and_half>半)?)(?:之前|以前|前)(?![端后台往方面沿锋辈])"
)
_FRONT_DAYS = re.compile(r"(?<![以之天日月年])前(?P<number>几|两|三)天")
_LAST_N = re.compile(
    rf"(?P<way>最近|过去|近|之前|未来|接下来)的?这?(?:(?P<half>半(?:个月|年))|(?P<number>{NUMBER}|{FEW}){_UNIT})(?:以来|来|内|里|间)?"
)
_RECENTLY = re.compile(r"最近|近期|近来|近日|这几天|这两天|前段时间|前阵子|这阵子")
_ABOUT = re.compile("一[两二]|[两二]三|三四|三五|四五|五六|六七|七八|八九")
"""Two numerals side by side: "two or three"."""
_FEW_BOUNDS = (2, 6)


def chinese_relative(page: Page) -> Iterator[Reading]:
    """Read every Chinese phrase that is counted from today."""
    plain = page.plain
    for match in _DAY_WORD.finditer(plain):
        found = days_from(shift_days(page.today, _DAY_OFFSETS[match[0]]), 1)
        yield reading(match.span(), found, "day", relative=True, weak=match[0] in _WEAK_DAYS)
    for match in _WEEK.finditer(plain):
        yield _week(page, match)
    for match in _WEEK_SPAN.finditer(plain):
        yield Reading(match.start(), match.end(), (), "day")
    for match in _BARE_WEEKDAY.finditer(plain):
        yield _week(page, match)
    for match in _MONTH.finditer(plain):
        away = 0 if match["this"] else _WHICH[match["which"] or match["short"]]
        yield reading(match.span(), unit_away("month", page.today, away), "month", relative=True)
    for match in _AGO.finditer(plain):
        yield _ago(page, match)
    for match in _FRONT_DAYS.finditer(plain):
        days = _FEW_BOUNDS[1] if match["number"] == "几" else (chinese_number(match["number"]) or 0) + 1
        yield reading(match.span(), span(shift_days(page.today, -days), page.today), "range", relative=True)
    for match in _LAST_N.finditer(plain):
        yield _last_n(page, match)
    for match in _RECENTLY.finditer(plain):
        yield reading(match.span(), rolling("day", page.today, 30), "range", relative=True, weak=True)


def _week(page: Page, match: re.Match[str]) -> Reading:
    sign = match["weekday"]
    if not match["which"] and sign != "末":
        found = days_from(weekday_before(page.today, _WEEKDAY_SIGN[sign]), 1)
        return reading(match.span(), found, "day", relative=True, is_weekday=True)
    away = _WHICH[match["which"]] if match["which"] else 0
    if sign == "末":
        weekend = unit_away("weekend", page.today, away)
        if not match["which"] and weekend and weekend.first and weekend.first > page.today:
            weekend = unit_away("weekend", page.today, -1)
        return reading(match.span(), weekend, "weekend", relative=True)
    week = unit_away("week", page.today, away)
    if sign is None:
        return reading(match.span(), week, "week", relative=True, weak=away == 0)
    day = None if week is None or week.first is None else shift_days(week.first, _WEEKDAY_SIGN[sign])
    return reading(match.span(), days_from(day, 1), "day", relative=True)


def _ago(page: Page, match: re.Match[str]) -> Reading:
    if match["half"]:
        found = unit_away("month", page.today, -6) if match["half"] == "半年" else unit_away("week", page.today, -2)
        return reading(match.span(), found, "month" if match["half"] == "半年" else "week", relative=True)
    unit = _UNITS[match["unit"].removeprefix("个").removeprefix("半")]
    number = match["number"]
    if match["and_half"] and unit == "year":
        months = 12 * (chinese_number(number) or 0) + 6
        return reading(match.span(), unit_away("month", page.today, -months), "month", relative=True)
    if number[-1] in "几数":
        low, high = _FEW_BOUNDS
    elif _ABOUT.fullmatch(number):
        low, high = (chinese_number(sign) or 0 for sign in number)
    else:
        value = chinese_number(number)
        start = chinese_number(match["from"]) if match["from"] else value
        if value is None or start is None or value == 0:
            return reading(match.span(), None, "range")
        low, high = min(start, value), value
    near, far = unit_away(unit, page.today, -low), unit_away(unit, page.today, -high)
    kind: Kind = unit if low == high else "range"
    found = None if near is None or far is None else span(far.first, near.end)
    return reading(match.span(), found, kind, relative=True)


def _last_n(page: Page, match: re.Match[str]) -> Reading:
    sign = -1 if match["way"] in ("未来", "接下来") else 1
    if match["half"]:
        unit: Unit = "month" if match["half"] == "半年" else "day"
        count: int | None = 6 if unit == "month" else 15
    else:
        unit = _UNITS[match["unit"].removeprefix("个").removeprefix("半")]
        count = _FEW_BOUNDS[1] if match["number"][-1] in "几数" else chinese_number(match["number"])
    found = rolling(unit, page.today, sign * count) if count else None
    return reading(match.span(), found, "range", relative=True)
