"""What a query asks for, and what a passage speaks of."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from tercet.model import TimeRange
from tercet.text.dates import dates_in_text, query_intervals

TAIPEI = ZoneInfo("Asia/Taipei")
LOS_ANGELES = ZoneInfo("America/Los_Angeles")
NOW = datetime(2026, 2, 18, 15, 30, tzinfo=TAIPEI)


def shown(ranges: list[TimeRange]) -> list[str]:
    return [f"{each.start:%Y-%m-%d}/{each.end:%Y-%m-%d}" for each in ranges if each.start and each.end]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("What did I note yesterday about routers?", ["2026-02-17/2026-02-18"]),
        ("What is the weather today in Paris?", []),
        ("How do I now install the plug-in?", []),
        ("今天天气真好，我的上司是谁？", []),
        ("I recently bought a camera; which one?", []),
        ("what happened today?", ["2026-02-18/2026-02-19"]),
        ("today", ["2026-02-18/2026-02-19"]),
        ("What did we do this week?", ["2026-02-16/2026-02-23"]),
        ("今天做了什么？", ["2026-02-18/2026-02-19"]),
        ("What changed today since yesterday?", ["2026-02-17/2026-02-19"]),
        ("On 5 March 2025 or March 5, 2025?", ["2025-03-05/2025-03-06"]),
        ("Which router do we use?", []),
        ("", []),
    ],
)
def test_query_intervals(query: str, expected: list[str]) -> None:
    assert shown(query_intervals(query, NOW)) == expected


def test_an_open_side_is_none() -> None:
    (before,) = query_intervals("What did we know before March 2025?", NOW)
    assert before == TimeRange(None, datetime(2025, 3, 1, tzinfo=TAIPEI))


def test_a_passage_without_a_known_date_gives_only_what_names_its_year_d10() -> None:
    text = "Moved on 2026-02-08, paid in March 2025; yesterday we met, and on 5 May, and 上周三, and in 2024年3月."
    expected = ["2026-02-08/2026-02-09", "2025-03-01/2025-04-01", "2024-03-01/2024-04-01"]
    assert shown(dates_in_text(text, None, TAIPEI)) == expected


def test_a_passage_counts_from_its_own_date_d14() -> None:
    reference = datetime(2025, 1, 8, 12, tzinfo=TAIPEI)
    assert shown(dates_in_text("yesterday we moved; 上周三也搬了", reference, TAIPEI)) == [
        "2025-01-07/2025-01-08",
        "2025-01-01/2025-01-02",
    ]


def test_a_date_without_a_year_is_the_nearest_one_and_the_latest_past() -> None:
    reference = datetime(2026, 1, 5, 12, tzinfo=TAIPEI)
    assert shown(dates_in_text("met on Dec 20, see you on January 10", reference, TAIPEI)) == [
        "2025-12-20/2025-12-21",
        "2026-01-10/2026-01-11",
        "2025-01-10/2025-01-11",
    ]


def test_a_passage_that_says_since_speaks_of_that_date_alone() -> None:
    reference = datetime(2026, 1, 5, 12, tzinfo=TAIPEI)
    assert shown(dates_in_text("since March 2025 we use it", reference, TAIPEI)) == ["2025-03-01/2025-04-01"]


def test_small_talk_in_a_passage_gives_no_date_d16() -> None:
    reference = datetime(2026, 1, 5, 12, tzinfo=TAIPEI)
    assert dates_in_text("Decided today to use PostgreSQL; it works now.", reference, TAIPEI) == []


def test_the_zone_of_the_call_decides_the_day_of_the_reference_d12() -> None:
    reference = datetime(2026, 1, 5, 2, tzinfo=TAIPEI)
    assert shown(dates_in_text("yesterday", reference, TAIPEI)) == ["2026-01-04/2026-01-05"]
    assert shown(dates_in_text("yesterday", reference, LOS_ANGELES)) == ["2026-01-03/2026-01-04"]
