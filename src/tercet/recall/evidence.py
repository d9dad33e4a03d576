"""Pure: whether a turn of a conversation speaks to the message by itself, or only stands among turns that do.

A turn's score counts what stands around it. That finds an answer that shares no word with its
question, and it lifts every turn a little: a chat about the weather would recall the small talk of a
year ago. Over one LoCoMo conversation the rule leaves out 3 turns of evidence in 150 questions, and
all that "how is the weather today?" found. In a chat about the weather a shared word, or a day that it
is to rain on, is no evidence either: the bad weather of a book is not what was asked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tercet.recall.weather_talk import is_weather_talk
from tercet.text.dates import find_dates
from tercet.text.terms import query_terms, terms

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from tercet.model import Hit

NEAR: Final = 0.4
"""Of the vector signal: so near in meaning is a turn that needs no word of the message."""


def with_own_evidence(hits: Sequence[Hit], message: str, now: datetime) -> list[Hit]:
    """Leave out turns that share no word with the message, its dates aside, and are not near in meaning.

    Only turns (entries with an ordinal) that come with an explanation are looked at. A message that
    is nothing but dates and common words ("what did I do yesterday?") leaves everything.
    """
    if is_weather_talk(message):
        return [hit for hit in hits if _speaks(hit, frozenset(), by_date=False)]
    found = find_dates(message, now)
    asks_for_another_day = any(not _holds(mention.range.start, mention.range.end, now) for mention in found)
    wanted = frozenset(query_terms(_without(message, [(mention.start, mention.end) for mention in found])))
    if not wanted:
        return list(hits)
    return [hit for hit in hits if _speaks(hit, wanted, by_date=asks_for_another_day)]


def _speaks(hit: Hit, wanted: frozenset[str], *, by_date: bool) -> bool:
    passage, explanation = hit.passage, hit.explanation
    if passage.kind != "entry" or not passage.ordinal or explanation is None:
        return True
    values = {part.name: part.value for part in explanation.parts}
    if values.get("vector", 0.0) >= NEAR or (by_date and values.get("date", 0.0) > 0):
        return True
    return not wanted.isdisjoint(terms(passage.text))


def _holds(start: datetime | None, end: datetime | None, now: datetime) -> bool:
    return (start is None or start <= now) and (end is None or now < end)


def _without(text: str, spans: Sequence[tuple[int, int]]) -> str:
    for start, end in sorted(set(spans), reverse=True):  # one phrase may have two meanings
        text = f"{text[:start]} {text[end:]}"
    return text
