"""Which script a text is written in."""

from __future__ import annotations

import re
from typing import Final, Literal

Script = Literal["latin", "cjk", "mixed", "other"]

CJK_LETTERS: Final = (
    "々〆〇\u3021-\u3029\u3031-\u3035\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f\u31a0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # ideographs
    "\u1100-\u11ff\u3131-\u318e\ua960-\ua97f\uac00-\ud7ff"  # hangul
)
"""Letters of Chinese, Japanese and Korean, as the inside of a character class."""

_CJK_RUN: Final = re.compile(f"[{CJK_LETTERS}]+")
_LATIN_RUN: Final = re.compile(r"[A-Za-z\u00aa\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u1e00-\u1eff]+")
_WORD_RUN: Final = re.compile(r"[^\W\d_]+")

_LATIN_PER_CJK: Final = 3
"""A Chinese word of two characters stands for an English one of about six letters."""

_CLEAR_SHARE: Final = 0.85


def script_of(text: str) -> Script:
    """Return the script of most letters, ``mixed`` when neither Latin nor CJK holds 85 %.

    One CJK letter counts as three Latin ones. A text without letters, or mostly in a third script,
    is ``other``.
    """
    latin = _length(_LATIN_RUN, text)
    if text.isascii():
        return "latin" if latin else "other"
    cjk = _length(_CJK_RUN, text)
    others = _length(_WORD_RUN, text) - latin - cjk
    cjk *= _LATIN_PER_CJK
    total = latin + cjk
    if others >= total:
        return "other"
    if latin >= _CLEAR_SHARE * total:
        return "latin"
    return "cjk" if cjk >= _CLEAR_SHARE * total else "mixed"


def _length(runs: re.Pattern[str], text: str) -> int:
    return sum(map(len, runs.findall(text)))
