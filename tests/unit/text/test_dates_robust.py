"""Any text is read without an error, in linear time, and ordinary sentences hold no date."""

from __future__ import annotations

import json
import os
import re
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tercet.text.dates import dates_in_path, dates_in_text, find_dates, query_intervals

if TYPE_CHECKING:
    from collections.abc import Iterator

TAIPEI = ZoneInfo("Asia/Taipei")
NOW = datetime(2026, 2, 18, 15, 30, tzinfo=TAIPEI)

_PIECES = (
    "last next this first of the early mid late end from to between and since before after until in on ago days weeks "
    "months years week weekend month year day March may May Friday Fri summer fall winter Q3 2025 2026-02-08 5 31 30 "
    "1999 13/02/2025 999999999 a few two couple yesterday today now T23:00Z +14:00 - ~ / . , ( ) 's "
    "上 下 上上 这 本 周 星期 三 末 月 年 日 号 天 前 后 之前 以来 自 从 到 至 去年 今年 半 个月 最近 过去 初 中旬 底 第 季度 夏天 民国 每 〇 十 百 廿"
)  # fmt: skip
phrases = st.lists(st.sampled_from(_PIECES.split()), max_size=12).flatmap(
    lambda pieces: st.sampled_from([" ", ""]).map(lambda glue: glue.join(pieces))
)
moments = st.datetimes(timezones=st.sampled_from([UTC, TAIPEI, ZoneInfo("America/Los_Angeles")]))


def check(text: str, now: datetime) -> None:
    previous = 0
    for mention in find_dates(text, now):
        assert 0 <= mention.start < mention.end <= len(text)
        assert mention.phrase == text[mention.start : mention.end]
        assert mention.start >= previous or mention.start == mention.end
        previous = mention.start
        start, end = mention.range.start, mention.range.end
        assert start is not None or end is not None
        assert start is None or end is None or start < end
        assert all(side is None or side.tzinfo is now.tzinfo for side in (start, end))
    query_intervals(text, now)
    dates_in_text(text, now, UTC)
    dates_in_text(text, None, TAIPEI)
    dates_in_path(text, TAIPEI)


@settings(max_examples=150, deadline=None)
@given(text=st.text(max_size=200), now=moments)
def test_any_text_is_read_without_an_error(text: str, now: datetime) -> None:
    check(text, now)


@settings(max_examples=300, deadline=None)
@given(text=phrases, now=moments)
def test_any_order_of_date_words_is_read_without_an_error_d8(text: str, now: datetime) -> None:
    check(text, now)


@settings(max_examples=100, deadline=None)
@given(now=st.datetimes(min_value=datetime(1990, 1, 1), max_value=datetime(2090, 1, 1), timezones=st.just(TAIPEI)))  # noqa: DTZ001 - bounds
def test_every_day_of_the_calendar_reads_back_as_itself(now: datetime) -> None:
    day = now.date()
    expected = [datetime(day.year, day.month, day.day, tzinfo=TAIPEI)]
    written = (f"{day:%Y-%m-%d}", f"{day:%B} {day.day}, {day.year}", f"{day.day} {day:%b} {day.year}")
    for text in (*written, f"{day.year}年{day.month}月{day.day}日", f"{day.month}月{day.day}日", f"{day:%B} {day.day}"):
        assert [mention.range.start for mention in find_dates(text, now)] == expected, text
    assert [each.start for each in dates_in_path(f"memory/{day:%Y-%m-%d}.md", TAIPEI)] == expected


@pytest.mark.parametrize(
    "piece",
    [
        " ",
        "\n",
        "1",
        "2025-",
        "2025/02/",
        "12.",
        "the ",
        "last ",
        "last week of ",
        "from March ",
        "March 5 to ",
        "two weeks before ",
        "early ",
        "Monday, ",
        "年",
        "一二三",
        "上上",
        "三月",
        "从",
        "2025年的",
        "前天",
        "a",
        "(",
        "２",
    ],
)
def test_a_hundred_thousand_characters_cost_linear_time(piece: str) -> None:
    text = (piece * 100_000)[:100_000]
    begin = time.process_time()
    find_dates(text, NOW)
    # A quadratic pattern needs minutes here; the limit leaves room for a busy machine.
    assert time.process_time() - begin < 4


DATA = Path(os.environ.get("TERCET_TEST_DATA") or Path(__file__).parents[3] / "../shared/data").resolve()

# Written apart from the grammar: any word, or part of one, that could have to do with a date.
_DATE_WORD = re.compile(
    r"\d|day|week|month|year|decade|fortnight|quarter|season|yester|tomorrow|tonight|morning|night|evening|afternoon|"
    r"recent|late|early|earlier|now|ago|since|spring|summer|autumn|fall|winter|jan|feb|mar|apr|may|jun|jul|aug|sep|"
    r"oct|nov|dec|mon|tue|wed|thu|fri|sat|sun|"
    r"[年月日天周週星期季号號春夏秋冬晚早昨今明旬礼禮近在目前后後]",
    re.IGNORECASE,
)


def _sentences() -> Iterator[str]:
    for path in sorted(DATA.glob("benchmarks/**/corpus.jsonl")):
        with path.open(encoding="utf-8") as lines:
            for line in lines:
                for sentence in re.split(r"(?<=[.!?。！？])\s*|\n", json.loads(line)["text"]):
                    if len(sentence) > 15 and _DATE_WORD.search(sentence) is None:
                        yield sentence


@pytest.mark.shared_data
def test_ordinary_sentences_hold_no_date_d4() -> None:
    if not DATA.is_dir():
        pytest.skip(f"no test data at {DATA}; set TERCET_TEST_DATA")
    seen = 0
    for sentence in _sentences():
        assert find_dates(sentence, NOW) == [], sentence
        seen += 1
        if seen == 4000:
            break
    assert seen >= 2000
