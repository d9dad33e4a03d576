"""Two dates joined into one range, and one date opened by a word such as "since" or 之前.

"since A" runs to the end of today; "before A" and "until A" have no beginning, "after A" no end.
A date without a year takes the year of its partner, so that "28 December to 3 January" is one week.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from tercet.text.dates.calendar_ranges import DaySpan, shift_days, span
from tercet.text.dates.english_words import BEGIN
from tercet.text.dates.readings import Page, Reading

if TYPE_CHECKING:
    from collections.abc import Sequence

_MAX_GAP = 16
_LINK = re.compile(r"\s{0,2}(?:to|until|till|through|thru|up to)\s{1,2}(?:the )?|\s?(?:直?到|至) ?")
_DASH = re.compile(r" ?(?:-|~|—{1,2}) ?")
_AND = re.compile(r"\s{1,2}and\s{1,2}(?:the )?|\s?[和与跟] ?")
_FROM = re.compile(rf"(?:{BEGIN}(?:from|between)\s(?:the )?|从|自)\Z", re.ASCII)
_BETWEEN = re.compile(rf"{BEGIN}between\s(?:the )?\Z", re.ASCII)
_BETWEEN_AFTER = re.compile(r"(?:之间|期间|间)")

_OPEN_BEFORE = re.compile(
    rf"{BEGIN}(?P<word>since|before|prior to|after|until|till|up until|up to|starting(?: from| in| on)?)\s(?:the )?\Z|"
    r"(?:截至|截止到?|直到)(?P<until>)\Z",
    re.ASCII,
)
_ONWARDS = re.compile(r"\s(?:on|onwards?)(?![a-z0-9])", re.ASCII)
_OPEN_AFTER = re.compile(
    r"(?:(?P<since>以来|至今|到现在|到今天|开始|起(?![床来码点身飞初草伏])(?=[，,。 ]|的|就|到|\Z))"
    r"|(?P<before>之前|以前|前(?![端后台往方面沿锋辈者一几两三天半]))|(?P<after>之后|以后|后(?![端台来面方悔续果天]))|(?P<until>为止))"
)
_FROM_AFTER = re.compile(r"(?P<since>以来|至今|到现在|到今天|开始|起(?![床来码身飞])|之?以?后)")
_OWNER = re.compile(r"'s(?![a-z])", re.ASCII)


def join_pairs(page: Page, readings: Sequence[Reading]) -> list[Reading]:
    """Join neighbours that "to", "and", a dash or 到 makes one range; ``readings`` in text order."""
    joined: list[Reading] = []
    for current in readings:
        pair = _pair(page, joined[-1], current) if joined else None
        if pair is None:
            joined.append(current)
        else:
            joined[-1] = pair
    return joined


def open_ends(page: Page, base: Reading) -> Reading:
    """Open a side of ``base`` where the words around it say so."""
    if not base.spans or base.is_open:
        return base
    before = page.follows(_OPEN_BEFORE, base.start)
    if before is not None and _OWNER.match(page.plain, base.end) is None:
        word = before["word"] or "until"
        return _open(page, base, base.start - len(before[0]), base.end, word.split()[0])
    has_from = base.start > 0 and page.plain[base.start - 1] in "从自"
    after = (_FROM_AFTER if has_from else _OPEN_AFTER).match(page.plain, base.end)
    if after is not None:
        return _open(page, base, base.start - has_from, after.end(), after.lastgroup or "since")
    onwards = _ONWARDS.match(page.plain, base.end)
    start_word = page.follows(_FROM, base.start)
    if onwards is not None and start_word is not None:
        return _open(page, base, base.start - len(start_word[0]), onwards.end(), "since")
    return base


def _open(page: Page, base: Reading, start: int, end: int, word: str) -> Reading:
    tomorrow = shift_days(page.today, 1)

    def opened(whole: DaySpan) -> DaySpan:
        if word in ("since", "starting"):
            begun = tomorrow is not None and whole.first is not None and whole.first < tomorrow
            return DaySpan(whole.first, tomorrow if begun else None)
        if word == "after":
            return DaySpan(whole.end, None)
        return DaySpan(None, whole.first if word in ("before", "prior") else whole.end)

    relative = base.relative or base.by_year is not None or word in ("since", "starting")
    spans = tuple(opened(whole) for whole in base.spans)
    return replace(base, start=start, end=end, spans=spans, kind="range", relative=relative, by_year=None, is_open=True)


def _pair(page: Page, one: Reading, two: Reading) -> Reading | None:
    if not (one.spans and two.spans) or two.start - one.end > _MAX_GAP:
        return None
    gap = page.plain[one.end : two.start]
    end = two.end
    if _AND.fullmatch(gap):
        after = _BETWEEN_AFTER.match(page.plain, two.end)
        if page.follows(_BETWEEN, one.start) is None and after is None:
            return None
        end = after.end() if after is not None else end
    elif _DASH.fullmatch(gap):
        # A dash between unlike things ("2026-02-08 - March release") is punctuation.
        if one.kind != two.kind or one.is_weekday or two.is_weekday:
            return None
    elif not _LINK.fullmatch(gap):
        return None
    meanings = _meanings(one, two)
    if not meanings:
        return None
    word = page.follows(_FROM, one.start)
    start = one.start - (len(word[0]) if word is not None else 0)
    relative = one.relative or two.relative or (one.by_year is not None and two.by_year is not None)
    return Reading(start, end, meanings, "range", relative=relative, weak=one.weak and two.weak)


def _meanings(one: Reading, two: Reading) -> tuple[DaySpan, ...]:
    firsts, lasts = one.spans, two.spans
    if one.by_year is not None and (two.by_year is not None or not two.relative):
        firsts = _shared_year(one, lasts[0], (0, -1))
    elif two.by_year is not None and not one.relative:
        lasts = _shared_year(two, firsts[0], (0, 1))
    if len(firsts) != len(lasts):
        firsts, lasts = firsts[:1], lasts[:1]
    if two.is_weekday:
        lasts = tuple(_into_order(high, low, 7) for low, high in zip(firsts, lasts, strict=True))
    elif one.is_weekday:
        firsts = tuple(_into_order(low, high, -7) for low, high in zip(firsts, lasts, strict=True))
    pairs = zip(firsts, lasts, strict=True)
    return tuple(
        DaySpan(low.first, high.end)
        for low, high in pairs
        if low.first is not None and high.end is not None and high.first is not None and low.first <= high.first
    )


def _into_order(weekday: DaySpan, other: DaySpan, days: int) -> DaySpan:
    """Move a bare weekday by a week where it stands on the wrong side of its partner."""
    if weekday.first is None or weekday.end is None or other.first is None:
        return weekday
    in_order = weekday.first >= other.first if days > 0 else weekday.first <= other.first
    if in_order:
        return weekday
    return span(shift_days(weekday.first, days), shift_days(weekday.end, days)) or weekday


def _shared_year(reading: Reading, other: DaySpan, steps: tuple[int, int]) -> tuple[DaySpan, ...]:
    """Give ``reading`` the year of ``other``, or the neighbouring one that keeps their order."""
    if reading.by_year is None or other.first is None:
        return reading.spans
    for step in steps:
        found = reading.by_year(other.first.year + step)
        if found is None or found.first is None:
            continue
        in_order = found.first <= other.first if steps[1] < 0 else found.first >= other.first
        if in_order:
            return (found,)
    return reading.spans
