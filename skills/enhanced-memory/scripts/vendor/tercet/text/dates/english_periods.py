"""English years, quarters, halves and seasons."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from tercet.text.dates.calendar_ranges import (
    DaySpan,
    months_from,
    named_occurrence,
    season_span,
    span,
    year_span,
)
from tercet.text.dates.english_words import ALONE_EDGES, BEGIN, END, SEASON, SEASONS
from tercet.text.dates.readings import Page, Reading, reading, yearless

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tercet.text.dates.calendar_ranges import Season

_NOT_A_COUNT = (
    r"(?!\w|%|[.:/-]\d|,\d{3}|-(?!\d|mid)[a-z]|'\w| ?(?:%|x\b|×)| (?:more |new |old |total )?"
    r"(?:px|pixels?|k?m|ms|[kmg]b|bytes?|tokens?|"
    r"words?|char(?:acter)?s?|lines?|rows?|files?|items?|users?|people|persons?|men|women|times|points?|steps?|"
    r"dollars?|usd|euros?|yuan|calories|kcal|miles|met(?:re|er)s|feet|hours?|minutes|days|pages?|records|"
    r"requests?|entries|documents|questions|messages|samples|rpm|hz|w|watts|mah|units|votes|cards|chunks|of the)\b)"
)
_YEAR = re.compile(rf"(?<![\w$€£#.,:/+-])(?P<year>(?:19|20)\d{{2}}){_NOT_A_COUNT}", re.ASCII)
_MID_YEAR = re.compile(rf"(?<=mid-)(?P<year>(?:19|20)\d{{2}}){END}", re.ASCII)
_YEARS = re.compile(
    rf"(?<![\w$€£#.,:/-])(?P<year>(?:19|20)\d{{2}})(?: ?- ?| to | until | through )"
    rf"(?P<last>(?:19|20)\d{{2}}){_NOT_A_COUNT}",
    re.ASCII,
)
_YEARS_BETWEEN = re.compile(
    rf"{BEGIN}between (?P<year>(?:19|20)\d{{2}}) and (?P<last>(?:19|20)\d{{2}}){_NOT_A_COUNT}", re.ASCII
)
_YEAR_PLACE = re.compile(
    rf"{BEGIN}(?:in|since|during|until|till|by|from|of|before|after|around|circa|through|throughout|early|mid|late|"
    rf"year|back to|as of)[ -](?:the )?(?:year |early |late )?\Z",
    re.ASCII,
)
_SEASON = re.compile(
    rf"{BEGIN}(?P<which>(?:last|past|previous|this past|this coming|this|next|coming|upcoming)\s{{1,3}})?"
    rf"(?P<season>{SEASON})(?:(?:,? | of |-)(?P<year>(?:19|20)\d{{2}}){END})?{END}(?!\s?-?(?:time|break|festival)\b)",
    re.ASCII,
)
_SEASON_PLACE = re.compile(
    rf"{BEGIN}(?P<with>(?:in|during|over|since|for|until|before|after|by|of|through|throughout)\sthe|(?:early|mid|late))[\s-]\Z",
    re.ASCII,
)
_GENERAL_SEASON = re.compile(rf"{BEGIN}(?:in|during|over|since)\s\Z", re.ASCII)
_OF_SOMETHING = re.compile(r"\s(?:of|back|through|into|down|off|apart|asleep|for)\b|-", re.ASCII)
_QUARTER = re.compile(
    rf"{BEGIN}(?:(?P<kind>q[1-4]|h[12])(?:[ ,-]{{0,2}}(?:of )?(?P<year>(?:19|20)\d{{2}}))"
    rf"|(?P<year_first>(?:19|20)\d{{2}})[ -]?(?P<kind_last>q[1-4]|h[12])"
    rf"|(?<=in |or |of |by )(?P<alone>q[1-4])){END}",
    re.ASCII,
)
_RECURRING = re.compile(rf"{BEGIN}(?:every|each|per)\s\Z", re.ASCII)


def english_periods(page: Page) -> Iterator[Reading]:
    """Read every year, quarter, half year and season."""
    yield from _years(page)
    for match in _QUARTER.finditer(page.plain):
        yield _quarter(page, match)
    for match in _SEASON.finditer(page.plain):
        found = _season(page, match)
        if found is not None:
            yield found


def _years(page: Page) -> Iterator[Reading]:
    for pattern in (_YEARS, _YEARS_BETWEEN):
        for match in pattern.finditer(page.plain):
            first, last = year_span(int(match["year"])), year_span(int(match["last"]))
            if first is not None and last is not None and (found := span(first.first, last.end)):
                yield reading(match.span(), found, "range")
    alone = page.plain.strip(ALONE_EDGES)
    for match in _YEAR.finditer(page.plain):
        if match[0] == alone or page.follows(_YEAR_PLACE, match.start()):
            yield reading(match.span(), year_span(int(match["year"])), "year")
    for match in _MID_YEAR.finditer(page.plain):
        yield reading(match.span(), year_span(int(match["year"])), "year")


def _quarter_of(kind: str, year: int) -> DaySpan | None:
    number, months = int(kind[1]), 3 if kind[0] == "q" else 6
    return months_from(year, (number - 1) * months + 1, months)


def _quarter(page: Page, match: re.Match[str]) -> Reading:
    if match["alone"] is not None:
        return yearless(page, match.span(), partial(_quarter_of, match["alone"]), "quarter")
    kind = match["kind"] or match["kind_last"]
    year = int(match["year"] or match["year_first"])
    return reading(match.span(), _quarter_of(kind, year), "quarter" if kind[0] == "q" else "half")


def _one_season(season: Season, year: int) -> DaySpan | None:
    return season_span(year, season)


def _season(page: Page, match: re.Match[str]) -> Reading | None:
    season = SEASONS[match["season"]]
    if match["year"] is not None:
        return reading(match.span(), season_span(int(match["year"]), season), "season")
    by_year = partial(_one_season, season)
    which = (match["which"] or "").strip()
    doubtful = match["season"] in ("fall", "spring") and _OF_SOMETHING.match(page.plain, match.end()) is not None
    if page.follows(_RECURRING, match.start()) or (doubtful and which in ("", "this", "next", "coming", "past")):
        return None
    if which:
        return reading(match.span(), named_occurrence(by_year, page.today, which), "season", relative=True)
    if page.follows(_SEASON_PLACE, match.start()):
        return yearless(page, match.span(), by_year, "season")
    if page.follows(_GENERAL_SEASON, match.start()) and match["season"] in ("summer", "winter", "autumn"):
        return yearless(page, match.span(), by_year, "season", weak=True)
    return None
