"""The words of the English grammar: months, weekdays, units, small numbers and edges of words."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tercet.text.dates.calendar_ranges import Season, Unit

BEGIN = r"(?<![a-z0-9_\u00c0-\u024f])"
"""No letter or figure before: Chinese characters may stand there."""
END = r"(?![a-z0-9_\u00c0-\u024f])"
GAP = r"\s{1,3}"
"""Bounded, so that a text of blanks costs no more than any other."""

ALONE_EDGES = " ?!.,:;\n()[]\"'"
"""What may stand around a word that is the whole text."""

_MONTH_NAMES = (
    ("january", "jan"),
    ("february", "feb"),
    ("march", "mar"),
    ("april", "apr"),
    ("may",),
    ("june", "jun"),
    ("july", "jul"),
    ("august", "aug"),
    ("september", "sept", "sep"),
    ("october", "oct"),
    ("november", "nov"),
    ("december", "dec"),
)
MONTHS: dict[str, int] = {name: number for number, names in enumerate(_MONTH_NAMES, 1) for name in names}
MONTH = "(?:" + "|".join(sorted(MONTHS, key=len, reverse=True)) + r")(?:\.(?=[ ,\d-]))?"
FULL_MONTH = "(?:" + "|".join(names[0] for names in _MONTH_NAMES) + ")"

_WEEKDAY_NAMES = (
    ("monday", "mon"),
    ("tuesday", "tues", "tue"),
    ("wednesday", "wed"),
    ("thursday", "thurs", "thur", "thu"),
    ("friday", "fri"),
    ("saturday", "sat"),
    ("sunday", "sun"),
)
WEEKDAYS: dict[str, int] = {name: number for number, names in enumerate(_WEEKDAY_NAMES) for name in names}
FULL_WEEKDAY = "(?:" + "|".join(names[0] for names in _WEEKDAY_NAMES) + ")"
WEEKDAY = "(?:" + "|".join(sorted(WEEKDAYS, key=len, reverse=True)) + ")"

UNITS: dict[str, tuple[Unit, int]] = {
    "day": ("day", 1),
    "week": ("week", 1),
    "weekend": ("weekend", 1),
    "fortnight": ("week", 2),
    "month": ("month", 1),
    "quarter": ("quarter", 1),
    "year": ("year", 1),
    "decade": ("year", 10),
}

SEASONS: dict[str, Season] = {
    "spring": "spring",
    "summer": "summer",
    "autumn": "autumn",
    "fall": "autumn",
    "winter": "winter",
}
SEASON = "(?:spring|summer|autumn|fall|winter)"

_SMALL = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty"
)
_NUMBERS: dict[str, int] = {word: value for value, word in enumerate(_SMALL.split(), 1)} | {
    "a": 1,
    "an": 1,
    "thirty": 30,
    "forty": 40,
    "fifty": 50,
    "sixty": 60,
    "ninety": 90,
    "hundred": 100,
    "a couple of": 2,
    "couple of": 2,
    "a couple": 2,
    "couple": 2,
}
FEW = ("a few", "few", "several", "some")
NUMBER = (
    r"(?:\d{1,9}|a couple of|a couple|couple of|couple|a few|few|several|"
    + "|".join(sorted((word for word in _NUMBERS if " " not in word), key=len, reverse=True))
    + ")"
)

ORDINALS = {
    **{
        word: value
        for value, words in enumerate(("first 1st", "second 2nd", "third 3rd", "fourth 4th"), 1)
        for word in words.split()
    },
    "last": -1,
    "final": -1,
}

PLACE_BEFORE = (
    r"(?:in|on|during|over|since|until|till|by|from|to|of|for|through|throughout|around|circa|last|this|next|past|"
    r"early|mid|late|before|after|between|as of|of the year|the year|year)"
)
"""Words after which a doubtful word is a date."""


def number_of(text: str) -> int:
    """Give the value of a ``NUMBER`` that is not one of ``FEW``."""
    return int(text) if text.isdigit() else _NUMBERS[text]
