"""Whether two texts that are nearly the same differ in something that matters.

A number, date, name, unit, weekday, negation or link: any word that is not a mere filler counts, in
its place, so that "Tom owes Ben" is not "Ben owes Tom". Two texts merge only where nothing is left
of the difference; a paraphrase in other words is kept beside the first.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from tercet.text.dates.chinese_words import chinese_number
from tercet.text.scripts import CJK_LETTERS

NEGATIONS: Final = frozenset({"not", "no", "never", "none", "nobody", "nothing", "without", "cannot", "不", "没", "别"})
_TOKEN: Final = re.compile(
    r"https?://\S+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+"  # links and addresses as they are
    r"|(?:(?<![\w)])[-−])?\d+(?:[.,:/-]\d+)*"  # -5, 7:42, 1,200, 2026-01-05
    rf"|[{CJK_LETTERS}]"
    rf"|[^\W\d_{CJK_LETTERS}]+(?:['’][^\W\d_]+)*"
    r"|[^\w\s.,;:!?…~。，；：！？、～'\"“”‘’()（）\[\]「」《》_-]"  # $ % ° and emoji mean something
)
_CHINESE_NUMBER: Final = re.compile(r"[〇零一二两兩三四五六七八九十百千万萬亿億]+")
_TRADITIONAL: Final = str.maketrans("零兩萬億", "〇两万亿")
_ENDINGS: Final = (("n't", "not"), ("'m", ""), ("'re", ""), ("'s", ""), ("'ve", "have"), ("'ll", "will"))
_FILLERS: Final = frozenset(
    """
    a an the am is are be that really very so just also too quite actually basically honestly please
    well oh hey hi hello um uh okay ok btw fyi
    的 很 也 呢 啊 哦 呀 吧 嘛 哈 噢 喔
    """.split()  # noqa: SIM905 - words read best as text
)
_SAME_WORDS: Final = {
    "favorite": "favourite",
    "color": "colour",
    "mom": "mum",
    "mother": "mum",
    "dad": "father",
    "named": "called",
    "scared": "afraid",
    "沒": "没",
    "別": "别",
}
_NUMBER_WORDS: Final = {
    word: str(number)
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "  # noqa: SIM905 - words read best as text
        "seventeen eighteen nineteen twenty".split()
    )
} | {"thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "hundred": "100", "dozen": "12", "thousand": "1000"}


def telling_words(text: str) -> tuple[str, ...]:
    """Return the words of a text that mean something, in order, folded; numbers as digits."""
    folded = unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    folded = _CHINESE_NUMBER.sub(_digits, folded.translate(_TRADITIONAL))
    found: list[str] = []
    for token in _TOKEN.findall(folded):
        found.extend(_parts(token))
    return tuple(found)


def differing_words(one: str, other: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the words in which two texts differ, from the first difference to the last."""
    left, right = telling_words(one), telling_words(other)
    start = 0
    while start < min(len(left), len(right)) and left[start] == right[start]:
        start += 1
    end = 0
    while end < min(len(left), len(right)) - start and left[-1 - end] == right[-1 - end]:
        end += 1
    return left[start : len(left) - end], right[start : len(right) - end]


def differ_in_detail(one: str, other: str) -> bool:
    """Return whether anything that matters differs; two such texts are never duplicates (U2)."""
    return telling_words(one) != telling_words(other)


def _parts(token: str) -> list[str]:
    if token.startswith("http") or "@" in token[1:]:
        return [token.rstrip(".,;:!?)。，")]
    if token == "can't":  # noqa: S105 - a word
        return ["can", "not"]
    if token == "won't":  # noqa: S105 - a word
        return ["will", "not"]
    ending = ""
    for written, meant in _ENDINGS:
        if token.endswith(written):
            token, ending = token.removesuffix(written), meant
            break
    words = (_NUMBER_WORDS.get(word, _SAME_WORDS.get(word, word)) for word in (token, ending) if word)
    return [
        part for word in words for part in (("can", "not") if word == "cannot" else (word,)) if part not in _FILLERS
    ]


def _digits(match: re.Match[str]) -> str:
    """Return a Chinese numeral in figures: 三千五百 as 3500."""
    written = match[0]
    if not {"万", "千"} & set(written):
        number = chinese_number(written)
        return written if number is None else f" {number} "
    value, rest = 0, written
    for unit, worth in (("万", 10_000), ("千", 1000)):
        head, found, tail = rest.partition(unit)
        if found:
            number = chinese_number(head) if head else 1
            if number is None:
                return written
            value, rest = value + number * worth, tail
    number = chinese_number(rest.lstrip("〇")) if rest.strip("〇") else 0
    return written if number is None else f" {value + number} "
