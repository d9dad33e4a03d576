"""What English phrases mean on Wednesday, 18 February 2026, wherever the asker is."""

from __future__ import annotations

from datetime import date, datetime, time
from zoneinfo import ZoneInfo

import pytest

from tercet.model import TimeRange
from tercet.text.dates import find_dates

ZONES = ("Asia/Taipei", "America/Los_Angeles")

# phrase | first day | day after the last; "-" is an open side. Calendar: 16 February 2026 is a Monday.
RELATIVE = """
today | 2026-02-18 | 2026-02-19
yesterday | 2026-02-17 | 2026-02-18
Yesterday at 5pm we met | 2026-02-17 | 2026-02-18
tomorrow | 2026-02-19 | 2026-02-20
the day before yesterday | 2026-02-16 | 2026-02-17
the day after tomorrow | 2026-02-20 | 2026-02-21
last night | 2026-02-17 | 2026-02-18
this morning | 2026-02-18 | 2026-02-19
a day ago | 2026-02-17 | 2026-02-18
one day ago | 2026-02-17 | 2026-02-18
two days ago | 2026-02-16 | 2026-02-17
3 days ago | 2026-02-15 | 2026-02-16
a couple of days ago | 2026-02-16 | 2026-02-17
49 days ago | 2025-12-31 | 2026-01-01
3-5 days ago | 2026-02-13 | 2026-02-16
a few days ago | 2026-02-12 | 2026-02-17
a week ago | 2026-02-09 | 2026-02-16
two weeks ago | 2026-02-02 | 2026-02-09
a fortnight ago | 2026-02-02 | 2026-02-09
two weekends ago | 2026-02-07 | 2026-02-09
a month ago | 2026-01-01 | 2026-02-01
two months ago | 2025-12-01 | 2026-01-01
14 months ago | 2024-12-01 | 2025-01-01
a year ago | 2025-01-01 | 2026-01-01
ten years ago | 2016-01-01 | 2017-01-01
half a year ago | 2025-08-01 | 2025-09-01
in 3 days | 2026-02-21 | 2026-02-22
in two weeks | 2026-03-02 | 2026-03-09
two weeks from now | 2026-03-02 | 2026-03-09
last week | 2026-02-09 | 2026-02-16
this week | 2026-02-16 | 2026-02-23
next week | 2026-02-23 | 2026-03-02
the week before last | 2026-02-02 | 2026-02-09
last weekend | 2026-02-14 | 2026-02-16
this weekend | 2026-02-21 | 2026-02-23
next weekend | 2026-02-28 | 2026-03-02
over the weekend | 2026-02-14 | 2026-02-16
last month | 2026-01-01 | 2026-02-01
this month | 2026-02-01 | 2026-03-01
next month | 2026-03-01 | 2026-04-01
last quarter | 2025-10-01 | 2026-01-01
this quarter | 2026-01-01 | 2026-04-01
last year | 2025-01-01 | 2026-01-01
this year | 2026-01-01 | 2027-01-01
next year | 2027-01-01 | 2028-01-01
earlier this month | 2026-02-01 | 2026-02-19
last Friday | 2026-02-13 | 2026-02-14
on Friday | 2026-02-13 | 2026-02-14
on Wednesday | 2026-02-11 | 2026-02-12
last Wednesday | 2026-02-11 | 2026-02-12
this Friday | 2026-02-20 | 2026-02-21
next Friday | 2026-02-20 | 2026-02-21
next Wednesday | 2026-02-25 | 2026-02-26
on Mon | 2026-02-16 | 2026-02-17
Monday of last week | 2026-02-09 | 2026-02-10
Tuesday next week | 2026-02-24 | 2026-02-25
the past 3 days | 2026-02-16 | 2026-02-19
the last 2 weeks | 2026-02-05 | 2026-02-19
the past week | 2026-02-12 | 2026-02-19
last three months | 2025-11-19 | 2026-02-19
the next 6 days | 2026-02-19 | 2026-02-25
"""

MONTHS = """
March | 2025-03-01 | 2025-04-01
in March | 2025-03-01 | 2025-04-01
in February | 2026-02-01 | 2026-03-01
in may | 2025-05-01 | 2025-06-01
last January | 2026-01-01 | 2026-02-01
last February | 2025-02-01 | 2025-03-01
next March | 2026-03-01 | 2026-04-01
this May | 2026-05-01 | 2026-06-01
March 2025 | 2025-03-01 | 2025-04-01
Mar. 2025 | 2025-03-01 | 2025-04-01
may 2024 | 2024-05-01 | 2024-06-01
the May 2026 release | 2026-05-01 | 2026-06-01
June of 2023 | 2023-06-01 | 2023-07-01
Mar 5 | 2025-03-05 | 2025-03-06
March 5th | 2025-03-05 | 2025-03-06
5 March | 2025-03-05 | 2025-03-06
5th of March | 2025-03-05 | 2025-03-06
the 5th of March 2025 | 2025-03-05 | 2025-03-06
Dec 20 | 2025-12-20 | 2025-12-21
February 18 | 2026-02-18 | 2026-02-19
February 19 | 2025-02-19 | 2025-02-20
29 February | 2024-02-29 | 2024-03-01
19 January, 2023 | 2023-01-19 | 2023-01-20
December 1,2023 | 2023-12-01 | 2023-12-02
5-Mar-2025 | 2025-03-05 | 2025-03-06
2025 March 5 | 2025-03-05 | 2025-03-06
Friday, March 14, 2025 | 2025-03-14 | 2025-03-15
May 3, 2023 | 2023-05-03 | 2023-05-04
March 5-7, 2025 | 2025-03-05 | 2025-03-08
5 to 7 March 2025 | 2025-03-05 | 2025-03-08
"""

PERIODS = """
2026 | 2026-01-01 | 2027-01-01
in 2025 | 2025-01-01 | 2026-01-01
in the year 1999 | 1999-01-01 | 2000-01-01
last summer | 2025-06-01 | 2025-09-01
last winter | 2024-12-01 | 2025-03-01
this summer | 2026-06-01 | 2026-09-01
during the summer | 2025-06-01 | 2025-09-01
in the winter of 2024 | 2024-12-01 | 2025-03-01
spring 2025 | 2025-03-01 | 2025-06-01
fall of 2023 | 2023-09-01 | 2023-12-01
Q3 2025 | 2025-07-01 | 2025-10-01
2025 Q1 | 2025-01-01 | 2025-04-01
in Q4 | 2025-10-01 | 2026-01-01
first half of 2025 | 2025-01-01 | 2025-07-01
early March | 2025-03-01 | 2025-03-11
mid-March 2026 | 2026-03-11 | 2026-03-21
late March 2024 | 2024-03-21 | 2024-04-01
early 2024 | 2024-01-01 | 2024-05-01
late 2024 | 2024-09-01 | 2025-01-01
early summer 2025 | 2025-06-01 | 2025-07-01
beginning of November 2022 | 2022-11-01 | 2022-11-11
the end of March | 2025-03-21 | 2025-04-01
the end of 2025 | 2025-10-01 | 2026-01-01
the end of last month | 2026-01-21 | 2026-02-01
first half of September 2022 | 2022-09-01 | 2022-09-16
the first week of March | 2025-03-01 | 2025-03-08
last week of March 2025 | 2025-03-25 | 2025-04-01
second weekend of August 2023 | 2023-08-12 | 2023-08-14
the third Monday of March 2025 | 2025-03-17 | 2025-03-18
"""

RANGES = """
from March 3 to March 9 | 2025-03-03 | 2025-03-10
between August 11 and August 15 2023 | 2023-08-11 | 2023-08-16
March 3 - March 9, 2024 | 2024-03-03 | 2024-03-10
Dec 28 to Jan 3 | 2025-12-28 | 2026-01-04
28 December 2023 to 3 January | 2023-12-28 | 2024-01-04
from November to January | 2025-11-01 | 2026-02-01
from 2020 to 2022 | 2020-01-01 | 2023-01-01
2026-02-08 to 2026-02-10 | 2026-02-08 | 2026-02-11
between last Monday and Wednesday | 2026-02-16 | 2026-02-19
from Monday to Wednesday last week | 2026-02-09 | 2026-02-12
from Friday to Sunday | 2026-02-13 | 2026-02-16
between yesterday and today | 2026-02-17 | 2026-02-19
since March | 2025-03-01 | 2026-02-19
since 2024 | 2024-01-01 | 2026-02-19
since last Friday | 2026-02-13 | 2026-02-19
before May 2025 | - | 2025-05-01
after 5 March 2025 | 2025-03-06 | -
until yesterday | - | 2026-02-18
the week before August 3, 2023 | 2023-07-27 | 2023-08-03
the Sunday before October 25, 2022 | 2022-10-23 | 2022-10-24
the Saturday after October 26, 2023 | 2023-10-28 | 2023-10-29
the weekend before 4th October, 2023 | 2023-09-30 | 2023-10-02
two weeks before August 11, 2023 | 2023-07-24 | 2023-07-31
three days after 5 March 2025 | 2025-03-08 | 2025-03-09
the week of March 5, 2025 | 2025-03-03 | 2025-03-10
"""


def rows(table: str) -> list[tuple[str, ...]]:
    return [tuple(part.strip() for part in line.split("|")) for line in table.strip().splitlines()]


def as_range(first: str, end: str, zone: ZoneInfo) -> TimeRange:
    def midnight(text: str) -> datetime | None:
        return None if text == "-" else datetime.combine(date.fromisoformat(text), time(), tzinfo=zone)

    return TimeRange(midnight(first), midnight(end))


@pytest.mark.parametrize("zone_name", ZONES)
@pytest.mark.parametrize(("phrase", "first", "end"), rows(RELATIVE + MONTHS.strip() + PERIODS + RANGES.strip()))
def test_a_phrase_means_exactly_one_range_d1_d5_d6_d7(phrase: str, first: str, end: str, zone_name: str) -> None:
    zone = ZoneInfo(zone_name)
    for text in (phrase, f"({phrase})"):
        found = find_dates(text, datetime(2026, 2, 18, 15, 30, tzinfo=zone))
        assert [mention.range for mention in found] == [as_range(first, end, zone)], found
        assert found[0].phrase == text[found[0].start : found[0].end]


def test_dec_20_asked_in_january_is_last_december_d1() -> None:
    now = datetime(2026, 1, 5, 9, tzinfo=ZoneInfo("Asia/Taipei"))
    assert find_dates("Dec 20", now)[0].range == as_range("2025-12-20", "2025-12-21", ZoneInfo("Asia/Taipei"))


@pytest.mark.parametrize(
    ("text", "weak"),
    [
        ("today", True),
        ("now", True),
        ("tonight", True),
        ("this week", True),
        ("recently", True),
        ("this year", True),
        ("yesterday", False),
        ("this month", False),
        ("earlier this week", False),
        ("on Friday", False),
        ("March 2025", False),
    ],
)
def test_small_talk_is_weak(text: str, weak: bool) -> None:
    found = find_dates(text, datetime(2026, 2, 18, 15, 30, tzinfo=ZoneInfo("UTC")))
    assert [mention.weak for mention in found] == [weak]


@pytest.mark.parametrize(
    ("text", "kind", "relative"),
    [
        ("yesterday", "day", True),
        ("Mar 5", "day", True),
        ("Mar 5, 2025", "day", False),
        ("last week", "week", True),
        ("last weekend", "weekend", True),
        ("March 2025", "month", False),
        ("Q3 2025", "quarter", False),
        ("spring 2025", "season", False),
        ("in 2025", "year", False),
        ("early March 2025", "part", False),
        ("from 5 March 2025 to 7 March 2025", "range", False),
        ("since March 2025", "range", True),
    ],
)
def test_kind_and_relative(text: str, kind: str, relative: bool) -> None:
    (mention,) = find_dates(text, datetime(2026, 2, 18, 15, 30, tzinfo=ZoneInfo("UTC")))
    assert (mention.kind, mention.relative) == (kind, relative)


def test_several_dates_in_one_sentence_keep_their_offsets() -> None:
    text = "We met on 5 March 2025, again last week, and 2026-02-08 was the last time."
    found = find_dates(text, datetime(2026, 2, 18, 15, 30, tzinfo=ZoneInfo("UTC")))
    assert [text[mention.start : mention.end] for mention in found] == ["5 March 2025", "last week", "2026-02-08"]


def test_decided_today_is_the_day_and_nothing_more_d16() -> None:
    (mention,) = find_dates("Decided today to use PostgreSQL", datetime(2026, 2, 18, 15, 30, tzinfo=ZoneInfo("UTC")))
    assert mention.weak
    assert mention.kind == "day"
