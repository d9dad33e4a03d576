"""English month names: with a day, with a year, with both, or alone where the context shows a date.

"may" and "march" are also verbs and some months are also people, so a bare one counts only after
a word such as "in" or "since"; in lower case the words after it are looked at too.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from tercet.text.dates.calendar_ranges import (
    DaySpan,
    make_date,
    months_from,
    named_occurrence,
    shift_days,
    span,
)
from tercet.text.dates.english_words import ALONE_EDGES, BEGIN, END, FULL_MONTH, MONTH, MONTHS, PLACE_BEFORE
from tercet.text.dates.readings import Kind, Page, Reading, reading, yearless

if TYPE_CHECKING:
    from collections.abc import Iterator

_DAY_END = r"(?:st|nd|rd|th)?(?![a-z0-9%]|[.:/]\d)"
_LAST = r"(?P<second>(?P<link> ?- ?| to | through | until | till | and | & )(?P<last>\d{1,2})" + _DAY_END + ")?"
_YEAR = r"(?P<year>[12]\d{3})(?![\da-z%]|[.:/-]\d|,\d{3})"
_YEAR_MAYBE = rf"(?:(?:, ?| |-| of ){_YEAR})?"

_MONTH_DAY = re.compile(
    rf"{BEGIN}(?P<month>{MONTH})[ -]{{1,2}}(?:the )?(?P<day>\d{{1,2}}){_DAY_END}{_LAST}{_YEAR_MAYBE}", re.ASCII
)
_DAY_MONTH = re.compile(
    rf"(?<![a-z0-9_$€£#])(?<!\d[.:/-])(?P<day>\d{{1,2}})(?:st|nd|rd|th)?{_LAST}"
    rf"(?: (?:day )?of (?:the month of )?|[ -])(?P<month>{MONTH}){END}(?!-[a-z]){_YEAR_MAYBE}",
    re.ASCII,
)
_MONTH_YEAR = re.compile(rf"{BEGIN}(?P<month>{MONTH})(?:,? |-|/| of ){_YEAR}", re.ASCII)
_YEAR_MONTH = re.compile(
    rf"(?<![\w.])(?P<year>(?:19|20)\d{{2}}),?[ -](?P<month>{MONTH}){END}(?:[ -](?P<day>\d{{1,2}}){_DAY_END})?", re.ASCII
)
_BARE = re.compile(
    rf"{BEGIN}(?P<which>(?:last|past|previous|this past|this coming|this|next|coming|upcoming)\s{{1,3}})?"
    rf"(?P<month>{MONTH}){END}(?!')",
    re.ASCII,
)
_BARE_OWNER = re.compile(rf"{BEGIN}(?P<month>{FULL_MONTH})(?='s{END})", re.ASCII)

_PLACE = re.compile(rf"{BEGIN}{PLACE_BEFORE}[\s-]{{1,2}}(?:the\s)?\Z", re.ASCII)
_LOWER_PLACE = re.compile(rf"{BEGIN}(?:in|during|since|until|early|mid|late)[\s-]\Z", re.ASCII)
_RECURRING = re.compile(rf"{BEGIN}(?:every|each|per)\s\Z", re.ASCII)
_THE = re.compile(rf"{BEGIN}(?:the|and|or)\s\Z", re.ASCII)
_OTHER_MONTH = re.compile(rf"{BEGIN}{MONTH}\s?(?:and|or|to|through|until|-|/|,)\s?\Z", re.ASCII)
_NOT_A_VERB = re.compile(
    r"\s{0,2}(?:\Z|[\n,.;:!?)\]'-]|(?:and|or|to|at|in|with|for|when|about|was|were|is|did|we|i)\b|[12]\d{3}\b)",
    re.ASCII,
)
_VERB_AFTER = re.compile(r"\s(?:on|to|towards?|up|forward|past|into|out|with me)\b", re.ASCII)

_VERBS = frozenset({"may", "march"})
_NAMES = frozenset({"may", "march", "april", "june", "august"})


def english_months(page: Page) -> Iterator[Reading]:
    """Read every date with a month's name."""
    for pattern, read in (
        (_MONTH_DAY, _day_reading),
        (_DAY_MONTH, _day_reading),
        (_MONTH_YEAR, _month_year),
        (_YEAR_MONTH, _year_first),
        (_BARE, _bare),
        (_BARE_OWNER, _owner),
    ):
        for match in pattern.finditer(page.plain):
            found = read(page, match)
            if found is not None:
                yield found


def _month(match: re.Match[str]) -> int:
    return MONTHS[match["month"].rstrip(".")]


def _one_month(month: int, year: int) -> DaySpan | None:
    return months_from(year, month, 1)


def _some_days(month: int, day: int, last: int, year: int) -> DaySpan | None:
    end = make_date(year, month, last)
    return span(make_date(year, month, day), None if end is None else shift_days(end, 1))


def _is_verb(page: Page, match: re.Match[str]) -> bool:
    """Tell a lower-case "may" or "march" that the next words do not show to be a month."""
    if match["month"] not in _VERBS or page.is_capital(match.start("month")):
        return False
    return _NOT_A_VERB.match(page.plain, match.end()) is None


def _day_reading(page: Page, match: re.Match[str]) -> Reading | None:
    month, day = _month(match), int(match["day"])
    start, end = match.span()
    last, year_text = match["last"], match["year"]
    if last is not None and match["link"] != "-" and year_text is None and match.re is _MONTH_DAY:
        # "March 5 and 6 people": without a year, a second figure must be the end of the phrase.
        if _NOT_A_VERB.match(page.plain, end) is None:
            end, last = match.start("second"), None
    elif last is not None and match.re is _DAY_MONTH and int(last) <= day:
        start, day, last = match.start("last"), int(last), None
    if _is_verb(page, match):
        return None
    by_year = partial(_some_days, month, day, day if last is None else int(last))
    kind: Kind = "day" if last is None else "range"
    if page.follows(_RECURRING, start):
        return Reading(start, end, (), "day")
    if year_text is not None:
        return reading((start, end), by_year(int(year_text)), kind)
    return yearless(page, (start, end), by_year, kind)


def _month_year(page: Page, match: re.Match[str]) -> Reading | None:
    if _is_verb(page, match):
        return None
    return reading(match.span(), months_from(int(match["year"]), _month(match), 1), "month")


def _owner(page: Page, match: re.Match[str]) -> Reading | None:
    if match["month"] in _NAMES or page.follows(_RECURRING, match.start()) is not None:
        return None
    return yearless(page, match.span(), partial(_one_month, _month(match)), "month")


def _year_first(page: Page, match: re.Match[str]) -> Reading | None:
    if _is_verb(page, match):
        return None
    year, month = int(match["year"]), _month(match)
    if match["day"] is None:
        return reading(match.span(), months_from(year, month, 1), "month")
    return reading(match.span(), _some_days(month, int(match["day"]), int(match["day"]), year), "day")


def _bare(page: Page, match: re.Match[str]) -> Reading | None:
    by_year = partial(_one_month, _month(match))
    if page.follows(_RECURRING, match.start()) or not _is_month(page, match):
        return None
    which = (match["which"] or "").strip()
    if not which:
        return yearless(page, match.span(), by_year, "month")
    return reading(match.span(), named_occurrence(by_year, page.today, which), "month", relative=True)


def _is_month(page: Page, match: re.Match[str]) -> bool:
    """Tell whether a month's name without day and year is a date here."""
    word = match["month"].rstrip(".")
    start, end = match.span("month")
    capital = page.is_capital(start)
    if page.plain.strip(ALONE_EDGES) == match[0].strip(" ."):
        return capital or word not in _VERBS
    placed = match["which"] is not None or page.follows(_PLACE, start) is not None
    if word in _VERBS and not capital:
        lower = match["which"] in ("last ", "next ") or page.follows(_LOWER_PLACE, start) is not None
        return lower and _NOT_A_VERB.match(page.plain, end) is not None
    if word != "may" and len(word) < 5 and word not in ("june", "july"):  # noqa: PLR2004 - an abbreviation
        return capital and placed
    if placed or page.follows(_OTHER_MONTH, start):
        return True
    if word in _NAMES:
        return capital and page.follows(_THE, start) is not None and _VERB_AFTER.match(page.plain, end) is None
    return True
