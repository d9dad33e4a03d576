"""Which chunks are of the dates that a question names: by file name, heading or text (D10, D11)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from memory_rules import TimeRange, dates_in_path, dates_in_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime, tzinfo

    from memory_rules import Passage

_LEAST_COVERED = 0.15
"""A month's file is of a day asked for (1/31 ** .5 = .18), a year's is not (.05)."""


def overlaps_path(asked: Sequence[TimeRange], path: str, now: datetime) -> bool:
    """Tell whether a file's name carries a date that overlaps one of those asked for."""
    return any(_overlap(each, own) for own in dates_in_path(path, _zone(now)) for each in asked)


def of_dates(asked: Sequence[TimeRange], passage: Passage, now: datetime, *, whole: bool) -> bool:
    """Tell whether a chunk is of a date asked for.

    Args:
        asked: What the question names.
        passage: The chunk's.
        now: Its zone is the asker's.
        whole: Whether the text is read too, and not the heading alone.
    """
    zone = _zone(now)
    own = dates_in_path(passage.path, zone)
    told = "\n".join(part for part in (passage.header, passage.text if whole else "") if part)
    reference = next((span.start for span in own if span.start is not None), None)
    dates: Iterable[TimeRange] = [*own, *(dates_in_text(told, reference, zone) if told else [])]
    return any(_covers(each, date) for date in dates for each in asked)


def _covers(asked: TimeRange, own: TimeRange) -> bool:
    """Tell whether a date lies in what is asked, and is not far wider than that."""
    if not _overlap(asked, own):
        return False
    (start, end), (own_start, own_end) = _seconds(asked), _seconds(own)
    shared, length = min(end, own_end) - max(start, own_start), own_end - own_start
    if not math.isfinite(length) or length <= 0 or shared <= 0:
        return True
    return math.sqrt(min(1.0, shared / length)) >= _LEAST_COVERED


def _overlap(one: TimeRange, other: TimeRange) -> bool:
    (start, end), (other_start, other_end) = _seconds(one), _seconds(other)
    return start < other_end and other_start < end


def _seconds(span: TimeRange) -> tuple[float, float]:
    return (
        -math.inf if span.start is None else span.start.timestamp(),
        math.inf if span.end is None else span.end.timestamp(),
    )


def _zone(now: datetime) -> tzinfo:
    if now.tzinfo is None:
        msg = f"{now.isoformat()} has no zone."
        raise ValueError(msg)
    return now.tzinfo
