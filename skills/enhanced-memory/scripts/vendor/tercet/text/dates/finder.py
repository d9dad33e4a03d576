"""Every date of a page: all grammars read it, the longest reading of a place wins, then words around it act."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tercet.errors import InvalidInputError
from tercet.text.dates.calendar_ranges import to_range
from tercet.text.dates.chinese_calendar import chinese_calendar
from tercet.text.dates.chinese_relative import chinese_relative
from tercet.text.dates.english_months import english_months
from tercet.text.dates.english_parts import parts_of_current_unit, widen_english
from tercet.text.dates.english_periods import english_periods
from tercet.text.dates.english_relative import english_relative
from tercet.text.dates.numeric import numeric_dates
from tercet.text.dates.ranges import join_pairs, open_ends
from tercet.text.dates.readings import Kind, Page, Reading, plain_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from tercet.model import TimeRange

_FIGURE = re.compile(r"\d", re.ASCII)
_LATIN = re.compile(r"[a-z]")
_CHINESE = re.compile(r"[天日月年周季晚早夜晨儿星礼近在前]")
"""A character that every Chinese date has, in folded form."""
_WEEKDAY_GAP = re.compile(r"[ ,(]{0,3}(?:the |on )?|[(] ?")


@dataclass(frozen=True, slots=True)
class DateMention:
    """One date that a text names."""

    start: int
    end: int
    """Offsets into the text, end exclusive."""
    phrase: str
    range: TimeRange
    """Half-open, aware, in the zone of the asker; None leaves a side open."""
    kind: Kind
    relative: bool
    """It would mean something else at another moment; a missing year counts."""
    weak: bool
    """Too common in small talk to start a date search by itself."""


def find_dates(text: str, now: datetime) -> list[DateMention]:
    """Find the dates that a text names, as someone who speaks at ``now`` means them.

    Args:
        text: Any text, English, Chinese or both.
        now: Aware; its zone is the asker's.

    Returns:
        Mentions in text order. A phrase with two meanings (03/04/2025) stands twice, day first
        before month first. A date without a year means its latest occurrence that has begun.

    Raises:
        InvalidInputError: ``now`` has no zone (permanent).
    """
    if now.tzinfo is None:
        msg = f"Cannot read dates against {now.isoformat()}: give a time with a zone."
        raise InvalidInputError(msg)
    page = Page(text, plain_text(text), now.date(), now.tzinfo)
    return [
        DateMention(
            reading.start,
            reading.end,
            text[reading.start : reading.end],
            to_range(span, page.zone),
            reading.kind,
            relative=reading.relative or reading.by_year is not None,
            weak=reading.weak,
        )
        for reading in read_page(page, opening=True)
        for span in reading.spans
    ]


def read_page(page: Page, *, opening: bool) -> list[Reading]:
    """Give the readings of a page in text order; ``opening`` lets "since" and the like act."""
    kept = _longest(_all_readings(page))
    kept = _join_weekdays(page, kept)
    kept = _longest(widen_english(page, reading) for reading in kept)
    kept = join_pairs(page, kept)
    if opening:
        kept = _longest(open_ends(page, reading) for reading in kept)
    return [reading for reading in kept if reading.spans]


def _all_readings(page: Page) -> list[Reading]:
    found: list[Reading] = []
    if _FIGURE.search(page.plain):
        found += numeric_dates(page)
    if _LATIN.search(page.plain):
        found += [*english_months(page), *english_relative(page), *parts_of_current_unit(page)]
    found += english_periods(page)
    if _CHINESE.search(page.plain):
        found += [*chinese_calendar(page), *chinese_relative(page)]
    return found


def _longest(readings: Iterable[Reading]) -> list[Reading]:
    """Keep the longest reading of every place, in text order; the earlier of two equally long."""
    starts: list[int] = []
    kept: list[Reading] = []
    for reading in sorted(readings, key=lambda each: (each.start - each.end, each.start)):
        place = bisect_left(starts, reading.start)
        clear_left = place == 0 or kept[place - 1].end <= reading.start
        clear_right = place == len(kept) or kept[place].start >= reading.end
        if clear_left and clear_right:
            starts.insert(place, reading.start)
            kept.insert(place, reading)
    return kept


def _join_weekdays(page: Page, readings: Sequence[Reading]) -> list[Reading]:
    """Let a weekday beside a date of one day belong to it: "Friday, 5 March", 4月2日 周二."""
    joined: list[Reading] = []
    for current in readings:
        before = joined[-1] if joined else None
        if before is not None and before.kind == current.kind == "day" and before.is_weekday != current.is_weekday:
            gap = page.plain[before.end : current.start]
            if current.start - before.end <= 6 and _WEEKDAY_GAP.fullmatch(gap):  # noqa: PLR2004 - "(the "
                day = current if before.is_weekday else before
                if not day.relative or "(" in gap:
                    joined[-1] = replace(day, start=before.start, end=current.end)
                    continue
        joined.append(current)
    return joined
