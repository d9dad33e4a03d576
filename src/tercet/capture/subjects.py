"""Who and what a simple statement is about, and whether a newer one takes the place of an older.

Only statements of one sentence that the patterns know are read at all; whatever is unclear has no
subject, and what has none retires nothing (L13): both stay, and are shown together.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from tercet.capture.details import NEGATIONS, differing_words, telling_words
from tercet.capture.subjects_chinese import CHINESE
from tercet.capture.subjects_english import ENGLISH

MOST_WORDS: Final = 24
MOST_LETTERS: Final = 600
"""No simple statement is longer: the pieces of a long message are not read for one, each against each."""
_INNER_END: Final = re.compile(r"[.!?;]\s+(?=\S)|[。！？;\n](?=[^\s.])")
_QUANTITY: Final = re.compile(
    r"[-−]?\d[\d.,:/-]*|am|pm|monday|tuesday|wednesday|thursday|friday|saturday|sunday|mondays|tuesdays|wednesdays"
    r"|thursdays|fridays|saturdays|sundays|morning|afternoon|evening|night|noon|january|february|march|april|june"
    r"|july|august|september|october|november|december|[一二三四五六日天千万萬百点點半早晚上下午周週星期月号號]"
)
_ADDED: Final = re.compile(
    r"\b(?:also|too|as well|still|both|another|additionally|sometimes)\b|[也还還又]|另外", re.IGNORECASE
)
"""Words that set the new beside the old."""
_OF_A_DAY: Final = re.compile(
    r"\b(?:today|tonight|tomorrow|yesterday|this (?:morning|afternoon|evening|week|weekend|month|year)"
    r"|(?:next|last) \w+"
    r"|ago|once|last)\b"
    r"|今天|今早|今晚|明天|明早|明晚|昨天|昨晚|前天|后天|後天|[这這本下上][个個]?(?:周|週|星期|礼拜|禮拜|月)|今年|去年|明年|刚才|剛才",
    re.IGNORECASE,
)
"""Words that tie a statement to the day it was said on: said on another day it is about another day."""
_KINDS: Final = (
    ("time", re.compile(r"\d+:\d+|am|pm|noon|midnight|[点點]")),
    ("weekday", re.compile(r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?|[周週]")),
    ("month", re.compile(r"january|february|march|april|may|june|july|august|september|october|november|december|月")),
    ("number", re.compile(r".*\d.*")),
)
_NONE: Final = {"no": "0", "没": "0"}
_AGES: Final = frozenset({"age", "年龄"})
_DIGITS: Final = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Statement:
    """A simple statement, as far as it is understood."""

    owner: str
    """Who it is about: ``i``, ``my sister``, ``anna``, ``我``."""
    attribute: str
    """What of them; one value at a time: ``home``, ``phone number``, ``have cat``."""
    value: tuple[str, ...]
    needs_mark: bool
    """Others may have several of it: only a word that says so (now, new, no longer) changes it."""


@lru_cache(maxsize=1024)
def statement_of(text: str) -> Statement | None:
    """Return what a text of one sentence states, None when that is not sure."""
    plain = _plain(text)
    if plain is None:
        return None
    for language in (ENGLISH, CHINESE):
        bare = language.as_statement(plain)
        for rule in language.rules:
            match = rule.pattern.fullmatch(bare)
            if match is None:
                continue
            parts = match.groupdict()
            owner = language.owner(parts.get("owner") or "")
            value = tuple(_NONE.get(word, word) for word in telling_words(parts.get("value") or ""))
            attribute = rule.attribute(parts)
            if owner and value and attribute:
                return Statement(owner, attribute, value, rule.needs_mark)
    return None


def supersedes(newer: str, older: str) -> bool:
    """Return whether a newer statement takes the place of an older one.

    A value that holds the other (a town and its quarter) only says more, and retires nothing.
    It does where owner and single-valued attribute are the same and the value changed, where the
    same is said with the opposite sign (no longer, 不再), and where it says itself that something
    changed (now, 改成) and only a number, day or time differs.
    """
    new, old = _plain(newer), _plain(older)
    if new is None or old is None or _ADDED.search(new) or _OF_A_DAY.search(new) or _OF_A_DAY.search(old):
        return False
    one, other = statement_of(newer), statement_of(older)
    marked = any(language.is_marked(new) for language in (ENGLISH, CHINESE))
    if one is not None and other is not None and (one.owner, one.attribute) == (other.owner, other.attribute):
        return (
            one.value != other.value
            and (marked or not (one.needs_mark or other.needs_mark))
            and not (set(one.value) <= set(other.value) or set(other.value) <= set(one.value))
            and _kinds(one.value) == _kinds(other.value)
            and not (one.attribute in _AGES and _first_number(one.value) < _first_number(other.value))
        )
    return _is_opposite(new, old) or (marked and _differs_in_quantity(new, old))


def about_the_same(one: str, other: str) -> bool:
    """Return whether both state the same attribute of the same owner, whatever its value."""
    left, right = statement_of(one), statement_of(other)
    return left is not None and right is not None and (left.owner, left.attribute) == (right.owner, right.attribute)


@lru_cache(maxsize=1024)  # each new text is compared with dozens of others
def _plain(text: str) -> str | None:
    """Return the one sentence of a text without its end; None when there are several, or it asks."""
    if len(text) > MOST_LETTERS:
        return None
    plain = " ".join(unicodedata.normalize("NFKC", text).replace("’", "'").split())
    if plain.endswith("?"):
        return None
    plain = plain.rstrip(" .!,;。~…")
    if not plain or _INNER_END.search(plain) or len(telling_words(plain)) > MOST_WORDS:
        return None
    return plain


def _kinds(value: tuple[str, ...]) -> frozenset[str]:
    """Return what kinds of figures a value has: "on 3 May" and "at 9:00" may both be true."""
    return frozenset(next((kind for kind, pattern in _KINDS if pattern.fullmatch(word)), "") for word in value) - {""}


def _first_number(value: tuple[str, ...]) -> int:
    return next((int(match[0]) for word in value if (match := _DIGITS.search(word))), 0)


def _is_opposite(new: str, old: str) -> bool:
    """Return whether the two say the same of the same person with opposite signs."""
    for language in (ENGLISH, CHINESE):
        left, right = language.polarised(new), language.polarised(old)
        if left is not None and right is not None and left[0] is not right[0] and left[1] == right[1]:
            return True
    return False


def _differs_in_quantity(new: str, old: str) -> bool:
    """Return whether, but for words of change, only one number, day or time differs."""
    for language in (ENGLISH, CHINESE):
        if not language.is_marked(new) or language.is_marked(old) or not language.is_own(old):
            continue
        left, right = differing_words(language.without_marks(new), language.without_marks(old))
        if not left or not right or NEGATIONS & {*left, *right}:
            return False
        return all(_QUANTITY.fullmatch(word) for word in (*left, *right))
    return False
