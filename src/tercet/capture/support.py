"""Whether what a model says somebody said is in what was said: a check of words, without a model.

A figure, name, address or negation of the claim must stand in the words it rests on, and half of its
telling words too. It cannot see who did what to whom; it is there so that nothing invented gets
through, and drops a true claim rather than letting a false one pass: what was said is kept anyway.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from tercet.capture.details import telling_words
from tercet.capture.polarity import is_negative
from tercet.capture.sentences import sentences
from tercet.text.scripts import CJK_LETTERS
from tercet.text.stop_words import is_stop_word
from tercet.text.terms import terms

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from collections.abc import Set as AbstractSet

LEAST_SHARE: Final = 0.5
"""Of the claim's telling words; an ideograph counts half. Chosen on the pairs of the unit tests."""

_IDEOGRAPH: Final = re.compile(f"(?![\u3041-\u309f])[{CJK_LETTERS}]")
"""Kana of grammar (hiragana) tell nothing."""
_IDEOGRAPHS: Final = re.compile(f"(?:{_IDEOGRAPH.pattern})+")
_WORD: Final = re.compile(rf"[^\W\d_{CJK_LETTERS}]+")
_BEFORE_A_SENTENCE: Final = " \t\"'“”‘’([*_-"
_SENTENCE_ENDS: Final = ".!?:。！？：\n"
_CLAUSES: Final = re.compile(
    r"\s+(?=but\b)|[,;]\s*(?=(?:but|and|now|so|then|instead|not|i|i'm|i've|we|he|she|they|it|my|our)\b)"
    r"|\s[-–—]+\s|[，；、,]\s*(?=[但不而我他她现現是]|所以)",
    re.IGNORECASE,
)
_INFLECTIONS: Final = frozenset({"s", "es", "n", "en", "er", "'s"})
_LEAST_INFLECTED: Final = 4
_USER: Final = frozenset(
    "user users nutzer nutzerin benutzer utilisateur utilisatrice usuario usuaria utente usuário gebruiker".split()  # noqa: SIM905 - words read best as text
)
_OPENERS: Final = _USER | frozenset(
    """
    likes dislikes loves hates prefers wants needs lives works owns plans uses drinks eats avoids enjoys speaks studies
    moved bought started stopped decided wishes hopes thinks believes knows plays reads watches listens takes goes
    allergic currently recently always never usually favourite favorite preferred name lived worked remember note
    der die das ein eine le la les un une el los las una il lo gli o os as um uma de het een
    """.split()  # noqa: SIM905 - words read best as text
)
"""Words that open a sentence with a capital and are no names."""
_RETOLD: Final = re.compile(
    "用户|用戶|使用者|自己|他们|她们|我们|我們|喜欢|喜歡|喜爱|偏好|偏爱|讨厌|討厭|居住在|居住|住在|位于|工作|就职于|从事|名字|名叫|名为"
    "|称为|计划|計劃|打算|决定|決定|希望|需要|想要|目前|现在|現在|已经|已經|拥有|擁有|正在|关于|对于|表示|提到|使用|每天|ユーザー"
    "|사용자|ผู้ใช้|[他她它我你的了着过是在有叫和与及等都也很被把将会會要想爱愛养養于从到说對对一个個只位名条號号]"
)
"""Words in which Chinese is told again in the third person."""
_SURNAMES: Final = frozenset(
    "王李张張刘劉陈陳杨楊赵趙黄黃周吴吳徐孙孫胡朱高林何郭马馬罗羅梁宋郑鄭谢謝韩韓唐冯馮于董萧蕭程曹袁邓鄧许許傅沈曾彭吕呂"
    "苏蘇卢盧蒋蔣蔡贾賈丁魏薛叶葉阎閻余潘杜戴夏钟鐘汪田任姜范方石姚谭譚廖邹鄒熊金陆陸郝孔白崔康毛邱秦江史顾顧侯邵孟龙龍万"
    "段雷钱錢汤湯尹黎易常武乔喬贺賀赖賴龚龔文小老阿"
)
_LONGEST_UNSAID: Final = 2
_KATAKANA: Final = re.compile("[\u30a1-\u30fa\u30fc-\u30ff]{2,}")


def is_supported(claim: str, said: str) -> bool:
    """Return whether the words of ``said`` carry the claim.

    Args:
        claim: One fact, in the words of a model.
        said: The lines it rests on, each ending in a line end.
    """
    return (
        has_its_figures(claim, said)
        and has_its_names(claim, said)
        and _shares_words(claim, said)
        and not _turns_it_round(claim, said)
    )


def shares_a_word(claim: str, said: str) -> bool:
    """Return whether at least one telling word of the claim stands in ``said``."""
    return any(have for have, _ in _found(claim, said))


def has_its_figures(claim: str, said: str) -> bool:
    """Return whether every number, date, link and address of the claim is said, and said of the same thing."""
    have = _figures(said)
    have |= {part for figure in have for part in _parts(figure)}
    for figure in _figures(claim):
        if figure == "1" and "1" not in claim:
            continue  # "one of them", 一起: a word more often than a count
        if figure not in have and not (_parts(figure) and _parts(figure) <= have):
            return False
    counted = list(_counted(said))
    for figure, thing in _counted(claim):
        others = {number for number, other in counted if other == thing}
        if others and figure not in others:
            return False
    return True


def has_its_names(claim: str, said: str) -> bool:
    """Return whether every name of the claim is said.

    A name is a word with a capital that the place in the sentence does not ask for, or that opens it
    and is none of the usual openings; in Chinese and Japanese what reads like a name or is said in
    three letters that were not.
    """
    have = {word.casefold() for word in _WORD.findall(_normal(said))}
    plain = _normal(claim)
    for match in _WORD.finditer(plain):
        word = match[0]
        folded = word.casefold()
        if len(word) == 1 or not word[0].isupper() or is_stop_word(folded) or _is_said(folded, _USER):
            continue
        if not _is_said(folded, have) and not (folded in _OPENERS and _opens(plain[: match.start()])):
            return False
    letters = set(_normal(said))
    return not any(_reads_like_a_name(unsaid) for unsaid in _unsaid_runs(plain, letters))


def _shares_words(claim: str, said: str) -> bool:
    found = list(_found(claim, said))
    total = sum(weight for _, weight in found)
    return total > 0 and sum(weight for have, weight in found if have) >= LEAST_SHARE * total


def _found(claim: str, said: str) -> Iterator[tuple[bool, float]]:
    """Yield, for each telling word of the claim, whether it is said, and what it weighs."""
    have = _terms_of(said)
    for word in telling_words(_RETOLD.sub(" ", claim)):
        if _IDEOGRAPHS.fullmatch(word) or word in _USER or is_stop_word(word):
            continue
        if forms := terms(word):
            yield 2 * sum(form in have for form in forms) >= len(forms), 1.0
    letters = set(_normal(said))
    for letter in _IDEOGRAPH.findall(_RETOLD.sub(" ", _normal(claim))):
        yield letter in letters, 0.5


@lru_cache(maxsize=1024)  # a model's facts, a dozen at a time, are held against the same clauses
def _terms_of(said: str) -> frozenset[str]:
    return frozenset(terms(" ".join(telling_words(said))))


def _turns_it_round(claim: str, said: str) -> bool:
    """Return whether the claim denies what was affirmed, or affirms what was denied."""
    if is_negative(claim):
        return not is_negative(said)
    best, denied = 0.0, False
    for clause in _clauses(said):
        shared = sum(weight for have, weight in _found(claim, clause) if have)
        if shared > best:
            best, denied = shared, is_negative(clause)
        elif shared == best > 0:
            denied = denied or is_negative(clause)  # in doubt it is not what was said
    return denied


def _clauses(said: str) -> list[str]:
    whole = sentences(said) or [said]
    return [clause for sentence in whole for clause in _CLAUSES.split(sentence) if clause.strip()]


def _normal(text: str) -> str:
    return unicodedata.normalize("NFKC", text).replace("’", "'")


def _figures(text: str) -> set[str]:
    return {_figure(word) for word in telling_words(text) if _is_figure(word)}


def _is_figure(word: str) -> bool:
    return any(letter.isdigit() for letter in word) or "://" in word or "@" in word[1:]


def _figure(word: str) -> str:
    plain = word.replace(",", "").replace("−", "-")
    return plain.lstrip("0") or "0" if plain.isdigit() else plain


def _parts(figure: str) -> set[str]:
    """Return the numbers of a date or range: 2026-03-04 as 2026, 3 and 4; of any other figure none."""
    numbers = re.split(r"[-/]", figure)
    return {_figure(number) for number in numbers} if len(numbers) > 1 and all(map(str.isdigit, numbers)) else set()


def _counted(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield each number with what stands behind it: one word, or two ideographs (a measure and a thing)."""
    words = telling_words(text)
    for at, word in enumerate(words[:-1]):
        if not word.isdigit():
            continue
        thing: Sequence[str] = words[at + 1 : at + 2]
        if _IDEOGRAPHS.fullmatch(thing[0]):
            thing = words[at + 1 : at + 3]
        elif not thing[0].isalpha() or is_stop_word(thing[0]):
            continue
        yield word, tuple(form for each in thing for form in terms(each)[:1])


def _opens(before: str) -> bool:
    """Return whether a new sentence begins behind this."""
    before = before.rstrip(_BEFORE_A_SENTENCE)
    return not before or before[-1] in _SENTENCE_ENDS


def _is_said(word: str, have: AbstractSet[str]) -> bool:
    if word in have:
        return True
    for other in have:
        short, long = sorted((word, other), key=len)
        if len(short) >= _LEAST_INFLECTED and long.startswith(short) and long[len(short) :] in _INFLECTIONS:
            return True
    return False


def _unsaid_runs(claim: str, letters: set[str]) -> Iterator[str]:
    """Yield the longest stretches of ideographs in the claim of which no letter is said."""
    for match in _IDEOGRAPHS.finditer(_RETOLD.sub(" ", claim)):
        yield from "".join(letter if letter not in letters else " " for letter in match[0]).split()


def _reads_like_a_name(run: str) -> bool:
    if len(run) > _LONGEST_UNSAID:
        return True
    return len(run) == _LONGEST_UNSAID and (run[0] in _SURNAMES or _KATAKANA.fullmatch(run) is not None)
