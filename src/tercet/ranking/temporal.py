"""Dates: how near a passage lies to what the query names, and how new it is."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from tercet.model import TimeRange
from tercet.text.dates import dates_in_path, dates_in_text

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import tzinfo

    from numpy.typing import NDArray

    from tercet.model import Passage

_DAY_S = 86400.0
_REACH = timedelta(days=400)
_NEAR = timedelta(days=31)
_MANY_YEARS = 5
_OTHER_DIGITS = "〇零２"
"""Years of this century in Chinese or full-width digits hold one of these."""
EXACT_SPECIFICITY = 0.15
"""A month's file is of a day asked for (1/31 ** .5 = .18), a year's is not (.05)."""


def days_outside(asked: TimeRange, own: TimeRange) -> float:
    """Return the whole days between two ranges: 0 when they overlap, else at least 1.

    An instant (start = end) overlaps a range that holds it.
    """
    return _days_outside(_seconds(asked), _seconds(own))


def _days_outside(asked: tuple[float, float], own: tuple[float, float]) -> float:
    (starts, ends), (own_starts, own_ends) = asked, own
    is_instant = own_starts == own_ends
    if own_starts < ends and (own_ends > starts or (is_instant and own_starts >= starts)):
        return 0.0
    gap = max(own_starts - ends, starts - own_ends)
    return max(1.0, math.ceil(gap / _DAY_S))


def specificity(asked: TimeRange, own: TimeRange) -> float:
    """Return how much of a passage's own range the asked one covers, as a square root, in [0, 1].

    A day's note within the month asked for: 1. A month's note for one day: (1/31) ** .5 = .18.
    Ranges that do not overlap, instants and open ranges: 1.
    """
    return _specificity(_seconds(asked), _seconds(own))


def _specificity(asked: tuple[float, float], own: tuple[float, float]) -> float:
    (starts, ends), (own_starts, own_ends) = asked, own
    shared = min(ends, own_ends) - max(starts, own_starts)
    if not math.isfinite(own_ends - own_starts) or own_ends <= own_starts or shared <= 0:
        return 1.0
    return math.sqrt(min(1.0, shared / (own_ends - own_starts)))


def nearness(asked: Sequence[TimeRange], own: Sequence[TimeRange], days: float) -> float:
    """Return the best of exp(-days outside / days) * specificity over all pairs, in [0, 1].

    Three days outside at ``days`` 7 are exp(-3/7) = .651; without dates on either side it is 0.
    """
    spans = [_seconds(a) for a in asked]
    best = 0.0
    for each in own:
        own_span = _seconds(each)
        for span in spans:
            best = max(best, math.exp(-_days_outside(span, own_span) / days) * _specificity(span, own_span))
    return best


def is_of_date(asked: Sequence[TimeRange], own: Sequence[TimeRange]) -> bool:
    """Tell whether a passage is of a date asked for: they overlap, and its own is not far wider."""
    return any(days_outside(a, o) == 0 and specificity(a, o) >= EXACT_SPECIFICITY for a in asked for o in own)


def own_dates(passage: Passage, zone: tzinfo) -> list[TimeRange]:
    """Return the dates a passage is of: those in its path, and its time."""
    found = list(_path_dates(passage.path, zone)) if passage.path else []
    if passage.timestamp is not None:
        found.append(TimeRange(passage.timestamp, passage.timestamp))
    return found


def told_dates(
    passage: Passage, own: Sequence[TimeRange], zone: tzinfo, asked: Sequence[TimeRange] | None, *, whole: bool = True
) -> list[TimeRange]:
    """Return the dates that heading and text tell of (D10).

    Dates without a year, and relative ones, are read from the passage's own time or its path's.

    Args:
        passage: An entry, chunk or note.
        own: Its own dates.
        zone: The asker's.
        asked: Heading and text are only read when they may hold a date near one of these; None reads them.
        whole: Whether the text is read too, and not the heading alone.
    """
    text = "\n".join(part for part in (passage.header, passage.text if whole else "") if part)
    reference = passage.timestamp or next((r.start for r in own if r.start is not None), None)
    if not text or (asked is not None and not _may_hold(text, reference, asked)):
        return []
    return list(_text_dates(text, reference, zone))


@dataclass(frozen=True, slots=True)
class DateReading:
    """How the dates of passages are read and weighed."""

    zone: tzinfo
    """The asker's."""
    best: frozenset[int] | None = None
    """Numbers of the passages whose text is read; None reads all. Times, paths and headings always count."""
    told: float = 1.0
    """What a date in heading or text counts, in [0, 1]; the passage's own counts 1."""
    exact: bool = True
    """Whether it is asked which passages are of the date; if not, none is."""


def date_signals(
    asked: Sequence[TimeRange], passages: Sequence[Passage], days: Sequence[float], how: DateReading
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return (n,) nearness in [0, 1] and (n,) whether a passage is of a date asked for.

    Args:
        asked: Intervals the query names; none gives zeros.
        passages: n passages.
        days: (n,) fall-off of each passage's nearness, > 0.
        how: What is read.
    """
    near, exact = np.zeros(len(passages)), np.zeros(len(passages), dtype=np.bool_)
    if not asked:
        return near, exact
    for i, passage in enumerate(passages):
        own = own_dates(passage, how.zone)
        told = told_dates(passage, own, how.zone, asked, whole=how.best is None or i in how.best)
        if own:
            near[i] = nearness(asked, own, days[i])
        if told:
            near[i] = max(near[i], how.told * nearness(asked, told, days[i]))
        exact[i] = how.exact and is_of_date(asked, [*own, *told])
    return near, exact


def later_signal(passages: Sequence[Passage], now: datetime) -> NDArray[np.float64]:
    """Return 1 for an entry whose own time is on a later day than ``now``, in the asker's zone.

    Never from a path or text: a file may well be about a day to come.
    """
    today = now.date()
    return np.array(
        [
            p.kind == "entry" and p.timestamp is not None and p.timestamp.astimezone(now.tzinfo).date() > today
            for p in passages
        ],
        dtype=np.float64,
    )


def newness_signal(passages: Sequence[Passage], now: datetime, days: float) -> NDArray[np.float64]:
    """Return (n,) exp(-age / days); a future time is age 0 (D18), a passage without a time 0."""
    zone = now.tzinfo
    result = np.zeros(len(passages))
    for i, passage in enumerate(passages):
        at = passage.timestamp
        if at is None and passage.path and zone is not None:
            at = max((r.start for r in _path_dates(passage.path, zone) if r.start is not None), default=None)
        if at is not None:
            result[i] = math.exp(-max(timedelta(0), now - at).total_seconds() / _DAY_S / days)
    return result


def _may_hold(text: str, reference: datetime | None, asked: Sequence[TimeRange]) -> bool:
    """Tell cheaply whether reading a text can find a date near one asked for.

    Without a year a date lies within about a year of the passage's own time; with one, the year
    stands in the text.
    """
    for span in asked:
        if span.start is None or span.end is None:
            return True
        if reference is not None and span.start - _REACH <= reference <= span.end + _REACH:
            return True
        first, last = (span.start - _NEAR).year, (span.end + _NEAR).year
        if last - first > _MANY_YEARS or any(c in text for c in _OTHER_DIGITS):
            return True
        if any(str(year) in text or f"{year % 100:02}年" in text for year in range(first, last + 1)):
            return True
    return False


def _seconds(span: TimeRange) -> tuple[float, float]:
    starts = -math.inf if span.start is None else span.start.timestamp()
    ends = math.inf if span.end is None else span.end.timestamp()
    return starts, ends


@lru_cache(maxsize=16384)
def _path_dates(path: str, zone: tzinfo) -> tuple[TimeRange, ...]:
    return tuple(dates_in_path(path, zone))


@lru_cache(maxsize=4096)
def _text_dates(text: str, reference: datetime | None, zone: tzinfo) -> tuple[TimeRange, ...]:
    return tuple(dates_in_text(text, reference, zone))
