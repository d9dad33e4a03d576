"""What a grammar reads from a text: the page it reads, and one reading of one phrase."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from tercet.text.dates.calendar_ranges import ByYear, DaySpan, latest_past, nearest

if TYPE_CHECKING:
    import re
    from datetime import date, tzinfo

Kind = Literal["day", "week", "weekend", "month", "quarter", "half", "season", "year", "part", "range"]
Lean = Literal["past", "nearest"]

# One character for one, so that offsets into the plain text are offsets into the text itself.
_FROM = "０１２３４５６７８９／．－：，（）～〜–‑−’\u3000\u00a0\u202f\t週個這號後兩禮從來過當幾數內國壹貳參廿零○嗎"
_TO = "0123456789/.-:,()~~---'    周个这号后两礼从来过当几数内国一二三廿〇〇吗"
_PLAIN = str.maketrans(_FROM, _TO) | {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}

_LOOK_BACK = 32


@dataclass(frozen=True, slots=True)
class Page:
    """A text with the moment and zone that its dates are read from."""

    text: str
    plain: str
    """Same length: ASCII lower case, full-width forms and traditional date characters folded."""
    today: date
    zone: tzinfo
    lean: Lean = "past"
    """Which occurrence a date without a year means: the latest past, or the nearest."""

    def follows(self, pattern: re.Pattern[str], position: int) -> re.Match[str] | None:
        """Match ``pattern``, which ends with a string end, just before ``position``."""
        return pattern.search(self.plain[max(0, position - _LOOK_BACK) : position])

    def is_capital(self, position: int) -> bool:
        """Tell whether the text has an upper-case letter there."""
        return self.text[position : position + 1].isupper()

    def settle(self, by_year: ByYear) -> DaySpan | None:
        """Choose the year of a date that names none."""
        return latest_past(by_year, self.today) if self.lean == "past" else nearest(by_year, self.today)


@dataclass(frozen=True, slots=True)
class Reading:
    """One phrase that a grammar recognised."""

    start: int
    end: int
    spans: tuple[DaySpan, ...]
    """What it may mean; empty for a date that does not exist, which still hides shorter readings."""
    kind: Kind
    relative: bool = False
    """It cannot be resolved without knowing when it was said (other than by a missing year)."""
    weak: bool = False
    by_year: ByYear | None = None
    """Set when the phrase names no year; ``spans`` holds the year chosen."""
    is_weekday: bool = False
    is_open: bool = False
    """One side was opened or closed by a word such as "before" or "since"."""


def reading(match_span: tuple[int, int], found: DaySpan | None, kind: Kind, **more: bool) -> Reading:
    """Make a reading with one meaning, or an empty one where ``found`` is None."""
    start, end = match_span
    return Reading(
        start,
        end,
        () if found is None else (found,),
        kind,
        relative=more.get("relative", False),
        weak=more.get("weak", False),
        is_weekday=more.get("is_weekday", False),
    )


def yearless(page: Page, match_span: tuple[int, int], by_year: ByYear, kind: Kind, *, weak: bool = False) -> Reading:
    """Make a reading of a date without a year."""
    found = page.settle(by_year)
    start, end = match_span
    return Reading(start, end, () if found is None else (found,), kind, weak=weak, by_year=by_year)


def plain_text(text: str) -> str:
    """Fold case, width and traditional characters, one character for one."""
    return text.translate(_PLAIN)
