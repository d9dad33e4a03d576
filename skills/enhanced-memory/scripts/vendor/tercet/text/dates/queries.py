"""The intervals of time that a query asks for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tercet.text.dates.finder import DateMention, find_dates

if TYPE_CHECKING:
    from datetime import datetime

    from tercet.model import TimeRange

_EMPTY = (
    "a about all am an and any anything are been can could decided did do does done during for from "
    "give had happen happened happening has have how i in is it list log logged me my new news note "
    "notes of on our please recap said say show summarise summarize summary tell that the there "
    "things to up us was we went were what when which who with work worked you your"
)
_EMPTY_WORDS = frozenset(_EMPTY.split())
_EMPTY_CHINESE = re.compile(
    r"什么|哪些|怎么|有没有|发生|事情?|记录|笔记|日记|总结|一下|告诉|我们|做|干|说|聊|过|了|的|吗|呢|啊|有|是|在|我|你|和|都|新|给|看|讲|列出?|些|么|甚麼|什麼|沒|發|記錄|筆記|總結|訴|們|說|過|嗎|麼|沒有|給|講|[？！，。、]"
)
_WORD = re.compile(r"[a-z]+|[^\W\d_a-z]", re.IGNORECASE)


def query_intervals(text: str, now: datetime) -> list[TimeRange]:
    """Give the intervals that a query names, without repeats, in the order of the text.

    Weak mentions ("today", "recently", 今天) are small talk in most queries and are left out,
    unless the query asks for nothing else ("what happened today?").

    Raises:
        InvalidInputError: ``now`` has no zone (permanent).
    """
    mentions = find_dates(text, now)
    chosen = [mention for mention in mentions if not mention.weak]
    if not chosen and mentions and _is_only_dates(text, mentions):
        chosen = mentions
    return list(dict.fromkeys(mention.range for mention in chosen))


def _is_only_dates(text: str, mentions: list[DateMention]) -> bool:
    """Tell whether nothing but the dates and words without content stand in the query."""
    rest: list[str] = []
    position = 0
    for mention in mentions:
        rest.append(text[position : mention.start])
        position = max(position, mention.end)
    rest.append(text[position:])
    left = _EMPTY_CHINESE.sub(" ", " ".join(rest))
    return all(word.lower() in _EMPTY_WORDS or word == "s" for word in _WORD.findall(left))
