"""How near a passage lies to the date asked for."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.model import Passage, TimeRange
from tercet.ranking.temporal import (
    DateReading,
    date_signals,
    days_outside,
    is_of_date,
    later_signal,
    nearness,
    newness_signal,
    own_dates,
    specificity,
    told_dates,
)

_START = datetime(2026, 2, 8, tzinfo=UTC)


def _days(first: int, last: int) -> TimeRange:
    return TimeRange(_START + timedelta(days=first), _START + timedelta(days=last))


def _all_dates(passage: Passage, asked: list[TimeRange] | None = None) -> list[TimeRange]:
    own = own_dates(passage, UTC)
    return [*own, *told_dates(passage, own, UTC, asked)]


def test_half_open_ranges_meet_or_are_whole_days_apart():
    asked = _days(0, 1)
    assert days_outside(asked, _days(0, 1)) == 0
    assert days_outside(asked, _days(1, 2)) == 1, "the next day touches, and is outside"
    assert days_outside(asked, _days(-1, 0)) == 1
    assert days_outside(asked, _days(4, 5)) == 3
    assert days_outside(_days(0, 7), _days(3, 4)) == 0
    noon, midnight = _START + timedelta(hours=12), _START
    assert days_outside(asked, TimeRange(noon, noon)) == 0
    assert days_outside(asked, TimeRange(midnight, midnight)) == 0
    assert days_outside(_days(-1, 0), TimeRange(midnight, midnight)) == 1
    assert days_outside(TimeRange(None, _START), _days(-900, -899)) == 0


def test_a_wide_note_counts_less_for_one_day():
    assert specificity(_days(0, 28), _days(3, 4)) == 1
    assert specificity(_days(0, 1), _days(-7, 21)) == pytest.approx((1 / 28) ** 0.5)
    assert is_of_date([_days(0, 1)], [_days(-7, 21)]), "a month's note is of its days"
    assert not is_of_date([_days(0, 1)], [_days(-38, 327)]), "a year's is not"
    assert is_of_date([_days(-38, 327)], [_days(0, 1)])


def test_worked_example_of_nearness():
    assert nearness([_days(0, 1)], [_days(4, 5)], 7.0) == pytest.approx(math.exp(-3 / 7))
    assert nearness([_days(0, 1), _days(30, 31)], [_days(4, 5), _days(30, 31)], 7.0) == 1
    assert nearness([], [_days(0, 1)], 7.0) == nearness([_days(0, 1)], [], 7.0) == 0


@given(
    asked=st.tuples(st.integers(-50, 50), st.integers(1, 60)), own=st.tuples(st.integers(-50, 50), st.integers(1, 60))
)
def test_nearness_is_a_signal(asked: tuple[int, int], own: tuple[int, int]):
    value = nearness([_days(asked[0], sum(asked))], [_days(own[0], sum(own))], 3.0)
    assert 0 <= value <= 1


def test_d10_d11_dates_come_from_the_path_the_time_and_the_text(build):
    dated = build.row("a", "nothing", kind="chunk", path="memory/a/2026-02-08-note.md").passage
    told = build.row("b", "It happened on 2026-02-08.", kind="chunk", path="trips.md").passage
    said = build.row("c", "nothing", timestamp=_START + timedelta(hours=9)).passage
    other = build.row("d", "On 2025-02-08.", kind="chunk", path="memory/2025-01-01.md").passage
    near, exact = date_signals([_days(0, 1)], [dated, told, said, other], [3.0] * 4, DateReading(UTC))
    assert list(exact) == [True, True, True, False]
    assert list(near[:3]) == [1, 1, 1]
    assert near[3] < 1e-6


@pytest.mark.parametrize(
    "text",
    [
        "On 2026-02-08.",
        "on 8 February 2026",
        "二〇二六年二月八日",
        "26年2月8日",
        "２０２６年2月8日",
        "New Year 2025-12-31",
    ],
)
@pytest.mark.parametrize("first", [0, -38])
def test_skimming_for_years_loses_no_date(build, text: str, first: int):
    """A text is only read for dates where its digits allow for one; what is found stays the same."""
    asked = [_days(first, first + 1)]
    passage = build.row("a", text).passage
    found = nearness(asked, _all_dates(passage), 7.0)
    assert nearness(asked, _all_dates(passage, asked), 7.0) == found or found < 1e-2


def test_dates_without_a_year_are_read_beside_a_dated_path(build):
    near = build.row("a", "Met her on 8 February.", kind="chunk", path="memory/2026-03-01.md").passage
    far = build.row("b", "Met her on 8 February.", kind="chunk", path="memory/2022-03-01.md").passage
    values, _ = date_signals([_days(0, 1)], [near, far], [3.0, 3.0], DateReading(UTC))
    assert values[0] == 1
    assert values[1] < 1e-6


def test_only_the_best_are_read_and_paths_always_count(build):
    told = build.row("a", "It happened on 2026-02-08.", kind="chunk", path="trips.md").passage
    dated = build.row("b", "nothing", kind="chunk", path="2026-02-08.md").passage
    values, _ = date_signals([_days(0, 1)], [told, dated], [3.0, 3.0], DateReading(UTC, frozenset()))
    assert list(values) == [0, 1]


def test_a_heading_counts_however_low_the_passage_stands_and_half_of_its_own_date(build):
    headed = build.row("a", "nothing", header="Sunday 8 February 2026", kind="chunk", path="trips.md").passage
    dated = build.row("b", "nothing", kind="chunk", path="2026-02-08.md").passage
    values, exact = date_signals([_days(0, 1)], [headed, dated], [3.0, 3.0], DateReading(UTC, frozenset(), told=0.5))
    assert list(values) == [0.5, 1]
    assert list(exact) == [True, True]


def test_only_entries_of_a_later_day_are_later_in_the_askers_zone(build):
    tokyo = build.now.astimezone(timezone(timedelta(hours=9)))  # 21:00 there
    passages = [
        build.row("today", timestamp=build.now + timedelta(hours=2, minutes=59)).passage,
        build.row("tomorrow", timestamp=build.now + timedelta(hours=3)).passage,
        build.row("old", timestamp=build.now - timedelta(days=9)).passage,
        build.row("file", kind="chunk", path="2026-12-24.md", timestamp=build.now + timedelta(days=9)).passage,
        build.row("none", "On 2026-12-24.").passage,
    ]
    assert list(later_signal(passages, tokyo)) == [0, 1, 0, 0, 0]


def test_d2_an_impossible_date_in_a_name_is_none(build):
    assert _all_dates(build.row("a", "nothing", kind="chunk", path="2026-02-30.md").passage) == []


def test_no_interval_gives_no_signal(build):
    near, exact = date_signals([], [build.row("a", "on 2026-02-08").passage], [3.0], DateReading(UTC))
    assert not near.any()
    assert not exact.any()


def test_d18_newness_falls_with_age_and_the_future_is_age_zero(build):
    passages = [
        build.row("now", timestamp=build.now).passage,
        build.row("future", timestamp=build.now + timedelta(days=400)).passage,
        build.row("old", timestamp=build.now - timedelta(days=180)).passage,
        build.row("file", kind="chunk", path="memory/2026-03-10.md").passage,
        build.row("none").passage,
    ]
    values = newness_signal(passages, build.now, 180.0)
    assert values == pytest.approx([1, 1, math.exp(-1), math.exp(-0.5 / 180), 0])
