"""Dates in figures, and figures that are no dates."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from tercet.errors import InvalidInputError
from tercet.text.dates import find_dates

TAIPEI = ZoneInfo("Asia/Taipei")
LOS_ANGELES = ZoneInfo("America/Los_Angeles")
NOW = datetime(2026, 2, 18, 15, 30, tzinfo=TAIPEI)


def days(text: str, now: datetime = NOW) -> list[tuple[str, str]]:
    return [
        (f"{mention.range.start:%Y-%m-%d}", f"{mention.range.end:%Y-%m-%d}")
        for mention in find_dates(text, now)
        if mention.range.start and mention.range.end
    ]


@pytest.mark.parametrize(
    ("text", "first", "end"),
    [
        ("2026-02-08", "2026-02-08", "2026-02-09"),
        ("on 2026-02-08.", "2026-02-08", "2026-02-09"),
        ("see memory/2026-02-08.md", "2026-02-08", "2026-02-09"),
        ("2026/2/8", "2026-02-08", "2026-02-09"),
        ("2026.02.08", "2026-02-08", "2026-02-09"),
        ("２０２６－０２－０８", "2026-02-08", "2026-02-09"),
        ("2026-02-08 17:28", "2026-02-08", "2026-02-09"),
        ("2026-02-08T10:00:00.123Z", "2026-02-08", "2026-02-09"),
        ("2026-02", "2026-02-01", "2026-03-01"),
        ("2024-12", "2024-12-01", "2025-01-01"),
        ("2026-W07", "2026-02-09", "2026-02-16"),
        ("20250101", "2025-01-01", "2025-01-02"),
        ("13/02/2025", "2025-02-13", "2025-02-14"),
        ("02/13/2025", "2025-02-13", "2025-02-14"),
        ("05/05/2025", "2025-05-05", "2025-05-06"),
        ("03.04.2025", "2025-04-03", "2025-04-04"),
        ("2024-02-29", "2024-02-29", "2024-03-01"),
    ],
)
def test_a_date_in_figures_d6(text: str, first: str, end: str) -> None:
    assert days(text) == [(first, end)]


def test_an_ambiguous_order_has_both_meanings_day_first_before_month_first() -> None:
    first, second = find_dates("due 03/04/2025", NOW)
    assert (first.start, first.end) == (second.start, second.end) == (4, 14)
    assert days("due 03/04/2025") == [("2025-04-03", "2025-04-04"), ("2025-03-04", "2025-03-05")]


@pytest.mark.parametrize(
    "text",
    [
        "Feb 30",
        "30 February 2025",
        "February 29, 2025",
        "2026-13-45",
        "2025-02-30",
        "2025-00-10",
        "2026/13/45",
        "31/04/2025",
        "June 31",
        "2026-W54",
        "999999999 days ago",
        "999999999 weeks ago",
        "999999999 years ago",
        "the past 999999999 months",
        "99999999999999999999 days ago",
    ],
)
def test_a_date_that_does_not_exist_is_none_and_no_part_of_it_either_d2_d8(text: str) -> None:
    assert find_dates(text, NOW) == []


@pytest.mark.parametrize(
    "text",
    [
        "grammar 5 rules",
        "8 mayors",
        "may",
        "we",
        "sat on the mat",
        "He sat on the 12 inch pan",
        "3.5",
        "the 12 inch pan",
        "you may go",
        "May I come in?",
        "it may 5 times fail",
        "8 may be enough",
        "this may be it",
        "they march on",
        "march on, friends",
        "March on!",
        "soldiers march 20 miles",
        "a second opinion",
        "the sun and the monkey",
        "money on sunny weddings",
        "don't fall over",
        "spring the trap",
        "in the spring of the lock",
        "a spring coil",
        "v2.1.3",
        "version 2026.02.08",
        "v2026.2.8",
        "openclaw 2026.3.13",
        "192.168.10.12",
        "0912-345-678",
        "+1 415-555-2671",
        "at 10:30",
        "10:30-11:45",
        "1/2 cup",
        "a ratio of 3/4",
        "top 10",
        "CVE-2024-12345",
        "of 2048 tokens",
        "in 2000 lines",
        "$2025",
        "port 2025",
        "every Friday",
        "Monday to Friday",
        "on Mondays",
        "each June",
        "every March 5",
        "Black Friday",
        "April said so",
        "three days later",
        "two weeks",
        "a week-long trip",
        "Q1: what is it?",
        "the last of us",
        "last but not least",
        "next.js and next steps",
        "day by day",
        "12345678",
        "id 202513450",
        "decimal 2025.5",
        "Sun Microsystems sat Wed 5",
    ],
)
def test_what_only_looks_like_a_date_is_none_d3_d4(text: str) -> None:
    assert find_dates(text, NOW) == []


def test_a_time_with_an_offset_is_the_day_of_the_asker_d14() -> None:
    late = "2026-02-08T23:00Z"
    assert days(late) == [("2026-02-09", "2026-02-10")]
    assert days(late, NOW.astimezone(LOS_ANGELES)) == [("2026-02-08", "2026-02-09")]
    assert days("2026-02-08T23:00") == [("2026-02-08", "2026-02-09")]
    assert days("2026-02-08T01:00+14:00") == [("2026-02-07", "2026-02-08")]


def test_relative_words_count_in_the_zone_of_the_asker_d14() -> None:
    instant = datetime(2026, 2, 18, 2, 0, tzinfo=UTC)
    assert days("yesterday", instant.astimezone(TAIPEI)) == [("2026-02-17", "2026-02-18")]
    assert days("yesterday", instant.astimezone(LOS_ANGELES)) == [("2026-02-16", "2026-02-17")]


@pytest.mark.parametrize(("now", "hours"), [((2026, 3, 9, 2, 30), 23), ((2026, 11, 2, 9, 0), 25)])
def test_a_day_on_which_the_clocks_change_is_one_whole_day(now: tuple[int, ...], hours: int) -> None:
    year, month, day, hour, minute = now
    (mention,) = find_dates("yesterday", datetime(year, month, day, hour, minute, tzinfo=LOS_ANGELES))
    start, end = mention.range.start, mention.range.end
    assert start is not None
    assert end is not None
    assert end.astimezone(UTC) - start.astimezone(UTC) == timedelta(hours=hours)
    assert (start.hour, end.hour) == (0, 0)
    assert (end.date() - start.date()).days == 1


def test_a_moment_without_a_zone_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="zone"):
        find_dates("yesterday", datetime(2026, 2, 18))  # noqa: DTZ001 - the mistake under test
