"""Pure: which messages of the windows answer a query, by their words."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from tercet.capture.injection import looks_like_injection
from tercet.model import Explanation, Hit, Match, Passage, Row, TermStatistics
from tercet.ranking import pipeline
from tercet.ranking.presets import DEFAULT_PRESET, preset_with
from tercet.text.indexed_text import indexed_text
from tercet.text.terms import terms

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from tercet.model import Origin, SearchOptions, TimeRange
    from tercet.ports.windows import Session, WindowMessage


def passage_of_message(session: Session, message: WindowMessage) -> Passage:
    """Return a message as a passage: a turn of its session, spoken by user or assistant."""
    return Passage(
        id=message.key,
        kind="entry",
        scope=session.scope,
        text=message.text,
        timestamp=message.said_at,
        origin=_origin(message),
        speaker=message.role,
        session=session.key,
        ordinal=message.number,
    )


def row_of_message(session: Session, message: WindowMessage) -> Row:
    """Return the row of a message, without a vector."""
    passage = passage_of_message(session, message)
    return Row(passage, tuple(terms(indexed_text(passage))))


def search_rows(query: str, rows: Sequence[Row], options: SearchOptions, now: datetime) -> list[Hit]:
    """Return the rows that answer, best first; scores are those of a search by words alone.

    Args:
        query: Not blank.
        rows: Every message in reach.
        options: Preset, weights, limit, threshold and time range are kept to; a window has no categories.
        now: Aware.

    Raises:
        InvalidInputError: an unknown preset or constant (permanent).
    """
    preset = preset_with(options.preset or DEFAULT_PRESET, options.weights)
    analysis = pipeline.analyse_query(query, now)
    sought = frozenset(analysis.terms)
    holding = [row for row in rows if not sought.isdisjoint(row.terms) and _is_within(row, options.time_range)]
    if not holding or options.categories:
        return []
    ranking = pipeline.rank(
        analysis,
        pipeline.merge_legs([], [Match(row, 0.0) for row in holding]),
        _statistics(rows, sought),
        preset,
        query_vectors=None,
        limit=options.limit,
        min_score=options.min_score,
        mode="keyword",
        now=now,
    )
    hits: list[Hit] = []
    for ranked in ranking.hits:
        why = Explanation(ranking.preset, ranked.parts, ranked.multipliers, ranked.legs, ranked.notes)
        passage = ranked.row.passage
        hits.append(
            Hit(passage, ranked.score, ranked.relevance, "active", passage.text, why if options.explain else None)
        )
    return hits


def _statistics(rows: Sequence[Row], sought: frozenset[str]) -> TermStatistics:
    frequency: Counter[str] = Counter()
    for row in rows:
        frequency.update(sought.intersection(row.terms))
    return TermStatistics(len(rows), sum(len(row.terms) for row in rows), frequency)


def _is_within(row: Row, time_range: TimeRange | None) -> bool:
    if time_range is None:
        return True
    at = row.passage.timestamp
    if at is None:
        return False
    after_start = time_range.start is None or at >= time_range.start
    return after_start and (time_range.end is None or at < time_range.end)


def _origin(message: WindowMessage) -> Origin:
    if looks_like_injection(message.text):
        return "untrusted"
    return "owner" if message.role == "user" else "agent"
