"""Chinese numerals and the small patterns that the Chinese grammar is made of.

All patterns meet text whose width and traditional characters are folded (``readings.plain_text``).
"""

from __future__ import annotations

import re

_DIGITS = {"〇": 0, "一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9}
NUMERAL = "[〇一二两三四五六七八九十百廿卅]"
NUMBER = rf"(?:\d{{1,9}}|{NUMERAL}{{1,5}})"
FEW = "(?:好几|几|数)"

_TENS = re.compile(
    r"(?:(?P<hundreds>[一二两三四五六七八九])百)?〇?(?:(?P<tens>[二两三四五六七八九]?)(?P<ten>十)|(?P<score>[廿卅])十?)?(?P<ones>[〇一二两三四五六七八九]?)"
)


def chinese_number(text: str) -> int | None:
    """Give the value of figures or of Chinese numerals below a thousand; None for anything else.

    Numerals without 十 or 百 are read figure by figure: 二〇二六 is 2026.
    """
    if text.isascii():
        return int(text) if text.isdigit() else None
    if text and all(letter in _DIGITS for letter in text):
        return int("".join(str(_DIGITS[letter]) for letter in text))
    match = _TENS.fullmatch(text)
    if match is None:
        return None
    value = _DIGITS[match["hundreds"]] * 100 if match["hundreds"] else 0
    if match["ten"]:
        value += 10 * (_DIGITS[match["tens"]] if match["tens"] else 1)
    elif match["score"]:
        value += 20 if match["score"] == "廿" else 30
    return value + (_DIGITS[match["ones"]] if match["ones"] else 0)
