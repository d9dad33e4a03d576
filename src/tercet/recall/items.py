"""Pure: one line of the section for one passage, with its date and its source."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from tercet.text.dates import dates_in_path

if TYPE_CHECKING:
    from datetime import datetime, tzinfo

    from tercet.model import Passage

_UNSEEN: Final = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ud800-\udfff\U000e0000-\U000e01ef]"
)
"""What no person sees and a model or a terminal may read: controls, changes of direction, tags, halves."""
_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})


def escaped(text: str) -> str:
    """Return a text on one line in which no mark can open, close or fake a fence, and nothing is hidden."""
    return " ".join(_UNSEEN.sub("", text).split()).translate(_ESCAPES)


def item_line(passage: Passage, text: str, zone: tzinfo) -> str:
    """Return ``- [date, source] text``; days are those of ``zone``."""
    return f"- [{escaped(label_of(passage, zone))}] {escaped(_with_headings(passage, text))}"


def label_of(passage: Passage, zone: tzinfo) -> str:
    """Return when and where a passage comes from: ``fact, said 2026-02-08, telegram``, or a day and a ref."""
    if passage.path:
        day = _day(passage.timestamp, zone) or _day_of_path(passage.path, zone)
        lines = f"#L{passage.start_line}-L{passage.end_line}" if passage.start_line else ""
        return ", ".join(part for part in (day, f"{passage.root}:{passage.path}{lines}") if part)
    day = _day(passage.timestamp, zone)
    said = f"said {day}" if day else ""
    return ", ".join(
        part for part in (passage.category or passage.kind, said, channel_of(passage.scope.anchor)) if part
    )


def channel_of(anchor: str) -> str:
    """Return the platform of an anchor; empty for the agent's own."""
    channel = anchor.partition(":")[0]
    return "" if channel == "agent" else channel


def _with_headings(passage: Passage, text: str) -> str:
    if not passage.header or passage.kind == "entry" or text.lstrip().startswith("#"):
        return text
    return f"{passage.header.replace(' > ', ' / ')}: {text}"


def _day(moment: datetime | None, zone: tzinfo) -> str:
    return moment.astimezone(zone).date().isoformat() if moment is not None else ""


def _day_of_path(path: str, zone: tzinfo) -> str:
    for found in dates_in_path(path, zone):
        if found.start is not None and found.end is not None and (found.end - found.start).days <= 1:
            return found.start.date().isoformat()
    return ""
