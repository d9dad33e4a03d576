"""Messages that wait in the inbox, found by their words while capture is paused."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from tercet.capture.injection import looks_like_injection
from tercet.model import Passage, Row
from tercet.text.envelopes import sanitise_user_text
from tercet.text.indexed_text import indexed_text
from tercet.text.redaction import redact
from tercet.text.terms import terms

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tercet.model import InboxItem, Reach, TermStatistics, TimeRange
    from tercet.ports import Inbox

WAITING = "waiting"
"""Tag of a passage that is still in the inbox, and what an explanation says of it."""
MOST_WAITING = 500
"""The newest so many are looked at; the others come when they are worked in."""


async def waiting_rows(
    inbox: Inbox, reach: Reach, wanted: Sequence[str], time_range: TimeRange | None = None
) -> list[Row]:
    """Return what waits in reach and holds one of the terms, as rows without a vector, newest first."""
    if not wanted:
        return []
    sought = frozenset(wanted)
    rows: list[Row] = []
    for item in await inbox.waiting(reach, MOST_WAITING):
        if time_range is not None and not _said_within(item, time_range):
            continue
        text = redact(sanitise_user_text(item.text).text).text
        if not text.strip():
            continue
        passage = Passage(
            item.id,
            "entry",
            item.scope,
            text,
            timestamp=item.said_at,
            origin="untrusted" if looks_like_injection(text) else "owner",
            speaker="",
            tags=(WAITING,),
        )
        row = Row(passage, tuple(terms(indexed_text(passage))))
        if not sought.isdisjoint(row.terms):
            rows.append(row)
    return rows


def with_waiting(statistics: TermStatistics, rows: Sequence[Row]) -> TermStatistics:
    """Return counts that know of these rows too."""
    if not rows:
        return statistics
    frequency = Counter(dict(statistics.document_frequency))
    for row in rows:
        frequency.update(set(row.terms))
    return replace(
        statistics,
        documents=statistics.documents + len(rows),
        total_length=statistics.total_length + sum(len(row.terms) for row in rows),
        document_frequency=frequency,
    )


def _said_within(item: InboxItem, time_range: TimeRange) -> bool:
    at = item.said_at
    if at is None:
        return False
    after_start = time_range.start is None or at >= time_range.start
    return after_start and (time_range.end is None or at < time_range.end)
