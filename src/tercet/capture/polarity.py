"""Whether a text denies: says not, no longer, avoids, hates."""

from __future__ import annotations

import re
from typing import Final

from tercet.capture.details import NEGATIONS, telling_words
from tercet.text.word_forms import stem

_HARMLESS: Final = re.compile(
    r"\b(?:not only|no doubt|no problem|no worries|never mind|why not|can(?:'t|not) wait"
    r"|do(?:n't| not) (?:forget|worry)|no\.? ?(?=\d))"
    "|不错|不錯|不但|不过|不過|不仅|不僅|不管|不久|不同|差不多|对不起|對不起|没错|沒錯|没关系|沒關係|没事|沒事|[别別]忘|不要忘"
    "|[特告分个個级級性区區类類识識][别別]|[别別][人墅的处處]",
    re.IGNORECASE,
)
"""Holds a word of denial and denies nothing."""
_TAKEN_BACK: Final = re.compile("[不没沒](?:讨厌|討厭|过敏|過敏|反对|反對|拒绝|拒絕)")
_DENYING: Final = frozenset(
    stem(word)
    for word in """
    stop stopped quit avoid hate dislike refuse allergic allergy lack unable except former formerly hardly rarely
    cancel cancelled fail failed instead nor neither detest loathe intolerant intolerance free
    nicht kein keine keinen nie niemals pas jamais nunca ningún niente mai nunca nao não niet geen
    """.split()  # noqa: SIM905 - words read best as text
)
_DENYING_PHRASE: Final = re.compile(
    r"\bused to\b|\brather than\b|\bgave up\b|\bgiven up\b"
    "|讨厌|討厭|戒(?![指备備律严嚴])|避免|拒绝|拒絕|过敏|過敏|停止|取消|放弃|放棄|[无無未]",
    re.IGNORECASE,
)


_REACH: Final = 3
"""Telling words within which a negation takes back the denial that follows it."""


def is_negative(text: str) -> bool:
    """Return whether a text denies, ends or rejects something, in English or Chinese (a little in others)."""
    plain = _HARMLESS.sub(" ", _TAKEN_BACK.sub(" ", text.replace("’", "'")))
    if _DENYING_PHRASE.search(plain):
        return True
    standing = 0  # denials that nothing took back yet
    last_negation = -_REACH
    for place, word in enumerate(telling_words(plain)):
        if word in NEGATIONS:
            standing += 1
            last_negation = place
        elif stem(word) in _DENYING:
            # "Not allergic" denies nothing.
            is_taken_back = place - last_negation < _REACH
            standing += -1 if is_taken_back else 1
            last_negation = -_REACH if is_taken_back else last_negation
    return standing > 0
