"""The English Snowball stemmer ("Porter 2"), as its authors describe it, in plain Python.

Tercet itself uses their compiled library; a test compares the two word by word.

Source: https://snowballstem.org/algorithms/english/stemmer.html, with the additions of Snowball 3.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

VOWELS = frozenset("aeiouy")
"""A ``y`` that is a consonant is written ``Y`` while a word is worked on."""
NOT_SHORT = frozenset("wxY")
LI_ENDINGS = frozenset("cdeghkmnrt")
DOUBLES = ("bb", "dd", "ff", "gg", "mm", "nn", "pp", "rr", "tt")

IRREGULAR = {
    "skis": "ski",
    "skies": "sky",
    "idly": "idl",
    "gently": "gentl",
    "ugly": "ugli",
    "early": "earli",
    "only": "onli",
    "singly": "singl",
}
UNCHANGED = frozenset({"andes", "atlas", "bias", "cosmos", "howe", "news", "sky"})
NOT_FROM_VERBS = frozenset({"evening", "canning", "inning", "earring", "herring", "outing"})
SUCCEED = frozenset({"succ", "proc", "exc"})

REGION_PREFIX = re.compile("arsen|commun|emerg|gener|inter|later|organ|past|univers")
REGION = re.compile(r"[^aeiouy]*[aeiouy]+[^aeiouy]")

STEP_2 = {
    "tional": "tion",
    "enci": "ence",
    "anci": "ance",
    "abli": "able",
    "entli": "ent",
    "izer": "ize",
    "ization": "ize",
    "ational": "ate",
    "ation": "ate",
    "ator": "ate",
    "alism": "al",
    "aliti": "al",
    "alli": "al",
    "fulness": "ful",
    "fulli": "ful",
    "ousli": "ous",
    "ousness": "ous",
    "iveness": "ive",
    "iviti": "ive",
    "biliti": "ble",
    "bli": "ble",
    "ogist": "og",
    "lessli": "less",
    "ogi": "og",
    "li": "",
}
STEP_3 = {
    "tional": "tion",
    "ational": "ate",
    "alize": "al",
    "icate": "ic",
    "iciti": "ic",
    "ical": "ic",
    "ful": "",
    "ness": "",
    "ative": "",
}
STEP_4 = (
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ism", "ate", "iti", "ous",
    "ive", "ize", "ion",
)  # fmt: skip


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """Return the stem of a word of lower-case ASCII letters.

    >>> stem("decisions"), stem("deciding"), stem("running"), stem("dying")
    ('decis', 'decid', 'run', 'die')
    """
    if word in IRREGULAR:
        return IRREGULAR[word]
    if word in UNCHANGED or len(word) < 3:
        return word
    word = _mark_consonant_y(word)
    r1, r2 = _regions(word)
    word = _step_1a(word)
    word = _step_1b(word, r1)
    word = _step_1c(word)
    word = _step_2(word, r1)
    word = _step_3(word, r1, r2)
    word = _step_4(word, r2)
    word = _step_5(word, r1, r2)
    return word.replace("Y", "y")


def _mark_consonant_y(word: str) -> str:
    letters = list(word)
    for place, letter in enumerate(letters):
        if letter == "y" and (place == 0 or letters[place - 1] in VOWELS):
            letters[place] = "Y"
    return "".join(letters)


def _regions(word: str) -> tuple[int, int]:
    """Return where R1 and R2 begin: behind the first, and the second, consonant that follows a vowel."""
    first = REGION_PREFIX.match(word) or REGION.match(word)
    if first is None:
        return len(word), len(word)
    second = REGION.match(word, first.end())
    return first.end(), len(word) if second is None else second.end()


def _longest(word: str, endings: Iterable[str]) -> str:
    """Return the longest of the endings that the word has, or an empty text."""
    return max((e for e in endings if word.endswith(e)), key=len, default="")


def _has_vowel(text: str) -> bool:
    return not VOWELS.isdisjoint(text)


def _ends_short(word: str) -> bool:
    """Tell a short syllable at the end: consonant, vowel, consonant other than w, x and Y."""
    if word.endswith("past"):
        return True
    if len(word) == 2:
        return word[0] in VOWELS and word[1] not in VOWELS
    return (
        len(word) > 2
        and word[-1] not in VOWELS
        and word[-1] not in NOT_SHORT
        and word[-2] in VOWELS
        and word[-3] not in VOWELS
    )


def _step_1a(word: str) -> str:
    """Plurals."""
    if word.endswith("sses"):
        return word[:-2]
    if word.endswith(("ied", "ies")):
        return word[:-2] if len(word) > 4 else word[:-1]
    if word.endswith(("us", "ss")) or not word.endswith("s"):
        return word
    return word[:-1] if _has_vowel(word[:-2]) else word


def _step_1b(word: str, r1: int) -> str:
    """Past forms and participles."""
    ending = _longest(word, ("eed", "eedly", "ed", "edly", "ing", "ingly"))
    before = word[: len(word) - len(ending)]
    if not ending:
        return word
    if ending in {"eed", "eedly"}:
        return before + "ee" if len(before) >= r1 and before not in SUCCEED else word
    if ending == "ing":
        if word in NOT_FROM_VERBS:
            return word
        if len(before) == 2 and before[1] == "y" and before[0] not in VOWELS:
            return before[0] + "ie"
    return _without_doubled_end(before, r1) if _has_vowel(before) else word


def _without_doubled_end(word: str, r1: int) -> str:
    """Mend what is left of a verb: ``hopp`` to ``hop``, ``hop`` to ``hope``, ``relat`` to ``relate``."""
    if word.endswith(("at", "bl", "iz")):
        return word + "e"
    if word.endswith(DOUBLES):
        return word if len(word) == 3 and word[0] in "aeo" else word[:-1]
    return word + "e" if len(word) == r1 and _ends_short(word) else word


def _step_1c(word: str) -> str:
    if len(word) > 2 and word[-1] in "yY" and word[-2] not in VOWELS:
        return word[:-1] + "i"
    return word


def _step_2(word: str, r1: int) -> str:
    ending = _longest(word, STEP_2)
    before = word[: len(word) - len(ending)]
    if not ending or len(before) < r1:
        return word
    if (ending == "ogi" and not before.endswith("l")) or (ending == "li" and before[-1:] not in LI_ENDINGS):
        return word
    return before + STEP_2[ending]


def _step_3(word: str, r1: int, r2: int) -> str:
    ending = _longest(word, STEP_3)
    before = word[: len(word) - len(ending)]
    if not ending or len(before) < (r2 if ending == "ative" else r1):
        return word
    return before + STEP_3[ending]


def _step_4(word: str, r2: int) -> str:
    ending = _longest(word, STEP_4)
    before = word[: len(word) - len(ending)]
    if not ending or len(before) < r2 or (ending == "ion" and before[-1:] not in {"s", "t"}):
        return word
    return before


def _step_5(word: str, r1: int, r2: int) -> str:
    before = word[:-1]
    if word.endswith("e") and (len(before) >= r2 or (len(before) >= r1 and not _ends_short(before))):
        return before
    if word.endswith("ll") and len(before) >= r2:
        return before
    return word
