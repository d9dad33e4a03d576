"""The third leg: passages of the days a query names, whether or not they share a word with it.

"What did I do the day before yesterday?" has no word in common with the note of that day, and its
vector is near to every note that tells of a day.
"""

from __future__ import annotations

from datetime import UTC
from functools import lru_cache
from typing import TYPE_CHECKING

from tercet.filters import Filter, In, Range
from tercet.text.dates import dates_in_path

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime, tzinfo

    from tercet.model import Row, TimeRange
    from tercet.ports import Engine, Ledger

MAX_DATED_PATHS = 100
"""Files of the days named; a query for a whole year is left to the other legs."""
MAX_DATED_ROWS = 200


async def dated_rows(
    engine: Engine, ledger: Ledger, where: Filter, intervals: Sequence[TimeRange], now: datetime
) -> list[Row]:
    """Return rows whose file name or time stamp lies in one of the intervals.

    Args:
        engine: Asked at most twice.
        ledger: Knows the paths.
        where: The filter of the whole query; it holds here too.
        intervals: What the query names; none, no rows.
        now: Its zone is the one in which a file name's day begins.
    """
    if not intervals:
        return []
    rows: list[Row] = []
    paths = await _dated_paths(ledger, where, intervals, now.tzinfo or UTC)
    if 0 < len(paths) <= MAX_DATED_PATHS:
        of_those = In("path", tuple(paths))
        rows += await engine.scan(Filter(where.reach, (*where.conditions, of_those)), limit=MAX_DATED_ROWS)
    for interval in intervals:
        if interval.start is None or interval.end is None:
            continue  # half of all time is no help in picking candidates
        said_then = Range("timestamp_ms", interval.start.timestamp() * 1000, interval.end.timestamp() * 1000)
        rows += await engine.scan(Filter(where.reach, (*where.conditions, said_then)), limit=MAX_DATED_ROWS)
    return rows


async def _dated_paths(ledger: Ledger, where: Filter, intervals: Sequence[TimeRange], zone: tzinfo) -> list[str]:
    found: dict[str, None] = {}
    for root in await ledger.manifest.roots(where.reach.agent):
        if root.scope.anchor not in where.reach.anchors:
            continue
        for path in await ledger.manifest.files(root.label):
            if any(_overlaps(day, interval) for day in _days_of(path, zone) for interval in intervals):
                found[path] = None
    return list(found)


@lru_cache(maxsize=65536)
def _days_of(path: str, zone: tzinfo) -> tuple[TimeRange, ...]:
    return tuple(dates_in_path(path, zone))


def _overlaps(one: TimeRange, other: TimeRange) -> bool:
    starts_before = one.start is None or other.end is None or one.start < other.end
    ends_after = one.end is None or other.start is None or other.start < one.end
    return starts_before and ends_after
