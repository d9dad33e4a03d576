"""The dates in a file's path: ``memory/2026-02-08.md``, ``2026/02/08.md``, ``2026-W07``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tercet.text.dates.calendar_ranges import DaySpan, day_span, iso_week_span, months_from, to_range

if TYPE_CHECKING:
    from datetime import tzinfo

    from tercet.model import TimeRange

# Each also recognises figures that are no date, so that 2025-02-30 is not read as its month.
_DAY = re.compile(
    r"(?<!\d)(?<!\d[-_.])(?P<year>(?:19|20)\d{2})(?P<sep>[-_.]?)(?P<month>\d{2})(?P=sep)(?P<day>\d{2})(?!\d)"
)
_WEEK = re.compile(r"(?<![\da-zA-Z])(?P<year>(?:19|20)\d{2})[-_.]?[wW](?P<week>\d{2})(?!\d)")
_MONTH = re.compile(r"(?<!\d)(?<!\d[-_.])(?P<year>(?:19|20)\d{2})[-_.](?P<month>\d{2})(?!\d|[-_.]\d)")
_CHINESE = re.compile(r"(?<!\d)(?P<year>(?:19|20)\d{2})年(?P<month>\d{1,2})月(?:(?P<day>\d{1,2})日)?")
_FOLDER_YEAR = re.compile(r"(?:19|20)\d{2}")
_FOLDER_MONTH = re.compile(r"(?P<month>\d{2})(?!\d)")
_FOLDER_DAY = re.compile(r"(?P<day>\d{2})(?!\d)")


def dates_in_path(path: str, zone: tzinfo) -> list[TimeRange]:
    """Give the dates that the folders and the name of a file carry, without repeats.

    A day inside a week or month of the same path stands alone: ``2026-02/2026-02-08.md`` is one
    day. An impossible date (``2025-02-30.md``) gives nothing.

    Args:
        path: Relative or absolute; ``/`` and the backslash part folders.
        zone: Where the ranges' midnights are, i.e. the zone of whoever named the file.
    """
    parts = path.replace("\\", "/").split("/")
    spans: list[DaySpan] = []
    for part in parts:
        spans += _in_name(part)
    spans += _in_folders(parts)
    finest = [one for one in spans if not any(_is_inside(other, one) for other in spans)]
    return [to_range(one, zone) for one in dict.fromkeys(finest)]


def _in_name(name: str) -> list[DaySpan]:
    found: list[DaySpan | None] = []
    days = [match for match in _DAY.finditer(name) if match["sep"] or _is_compact_date(match)]
    found += [day_span(int(match["year"]), int(match["month"]), int(match["day"])) for match in days]
    found += [iso_week_span(int(match["year"]), int(match["week"])) for match in _WEEK.finditer(name)]
    taken = {match.start() for match in days}
    found += [
        months_from(int(match["year"]), int(match["month"]), 1)
        for match in _MONTH.finditer(name)
        if match.start() not in taken
    ]
    for match in _CHINESE.finditer(name):
        year, month = int(match["year"]), int(match["month"])
        found.append(day_span(year, month, int(match["day"])) if match["day"] else months_from(year, month, 1))
    return [span for span in found if span is not None]


def _is_compact_date(match: re.Match[str]) -> bool:
    """Tell eight figures in a row that are a date from any other number."""
    return day_span(int(match["year"]), int(match["month"]), int(match["day"])) is not None


def _in_folders(parts: list[str]) -> list[DaySpan]:
    """Read a year folder followed by months and days: ``2026/02/08-call.md``, ``2026/02/notes.md``."""
    found: list[DaySpan | None] = []
    for index, part in enumerate(parts[:-1]):
        month = _FOLDER_MONTH.match(parts[index + 1])
        if _FOLDER_YEAR.fullmatch(part) is None or month is None:
            continue
        day = _FOLDER_DAY.match(parts[index + 2]) if index + 2 < len(parts) else None
        year = int(part)
        if day is not None:
            found.append(day_span(year, int(month["month"]), int(day["day"])))
        else:
            found.append(months_from(year, int(month["month"]), 1))
    return [span for span in found if span is not None]


def _is_inside(inner: DaySpan, outer: DaySpan) -> bool:
    if inner == outer or not (inner.first and inner.end and outer.first and outer.end):
        return False
    return outer.first <= inner.first and inner.end <= outer.end
