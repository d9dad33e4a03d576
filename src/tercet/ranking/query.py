"""What a query asks for: its terms, numbers, dates, and what kind of answer it wants.

The one file of the room that turns text into terms.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

from tercet.ranking.sentences import question_sentences
from tercet.text.dates import find_dates, query_intervals
from tercet.text.scripts import script_of
from tercet.text.terms import query_terms, terms

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from tercet.model import TermStatistics, TimeRange
    from tercet.ranking.formula import Preset
    from tercet.text.dates import DateMention

FOCUS_SHARE = 0.2
"""A word in more than this share of the passages says little (RANKING.md 2)."""
FOCUS_MIN_DOCUMENTS = 50
"""Below this many passages the share of one word is chance."""

_WORD = re.compile(r"[^\W_]+(?:[-_.'’/][^\W_]+)*")
_SPEAKING = (
    "say|said|tell|told|suggest|suggested|recommend|recommended|advise|advised|propose|proposed|mention|mentioned|"
    "explain|explained|give|gave|given|describe|described|provide|provided|list|listed|outline|outlined|write|wrote|"
    "written|answer|answered|offer|offered|help|helped"
)
_SPOKEN = (
    "said|told|suggested|recommended|advised|proposed|mentioned|explained|gave|described|provided|listed|outlined|"
    "wrote|answered|offered|helped"
)
# Past forms only: "what would you suggest" asks for something new, not for what was said.
_ASSISTANT = re.compile(
    rf"\b(?:did|have|had)\s+you\s+(?:\w+\s+)?(?:{_SPEAKING})\b"
    rf"|\byou\s+(?:\w+\s+)?(?:{_SPOKEN})\b"
    r"|\byour\s+(?:\w+\s+)?(?:suggestion|advice|answer|recommendation|reply|response|explanation|proposal)s?\b"
    r"|\bthe\s+assistant\b"
    r"|[你您](?:之前|上次|刚才|剛才|曾经|曾經|当时|當時|有)?"
    r"(?:说|說|建议|建議|推荐|推薦|提到|告诉|告訴|回答|解释|解釋|给出|給出|提供)[过過了的]"
    r"|[你您](?:之前|上次|刚才|剛才|曾经|曾經|当时|當時)(?:说|說|建议|建議|推荐|推薦|提到|告诉|告訴|回答|解释|解釋)"
    r"|[你您]的(?:建议|建議|回答|推荐|推薦|答复|答覆)",
    re.IGNORECASE,
)
_ASKING = frozenset(
    terms(
        "happen happened do did done note notes log logged record recorded recap summary summarise summarize news "
        "thing things event events write wrote written anything something "
        "发生 發生 事情 记录 記錄 笔记 筆記 总结 總結 日记 日記 做了 什么 什麼 哪些"
    )
)
"""Terms that only say that something is asked for; beside a date they ask for that day."""
_COUNT = re.compile(
    r"\bhow\s+many\b|\bnumber\s+of\b|\bhow\s+often\b|多少[个個次]|几[个次]|幾[個次]|多少种|多少種", re.IGNORECASE
)
_LIST = re.compile(
    r"\b(?:list|all|every|which\s+\w+s|what\s+(?:\w+\s+)?(?:are|were)\s+the)\b|哪些|有哪|列出|所有|全部", re.IGNORECASE
)
_LATEST = re.compile(
    r"\b(?:latest|current|currently|newest|most\s+recent(?:ly)?|now|nowadays|these\s+days|at\s+present|up\s+to\s+date)\b"
    r"|最新|目前|现在|現在|如今|当前|當前|最近一次",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class QueryAnalysis:
    """One query, read once."""

    text: str
    terms: tuple[str, ...]
    """Distinct, in order, without stop words unless nothing else is left."""
    pairs: tuple[tuple[str, str], ...]
    """Neighbours in ``terms``, distinct."""
    numbers: frozenset[str]
    """Those of ``terms`` that hold a digit."""
    words: frozenset[str]
    """Every term of the text, stop words too: a name in the query is looked for here."""
    intervals: tuple[TimeRange, ...]
    """Dates the query asks for; empty when it names none."""
    date_terms: frozenset[str] = frozenset()
    """Those of ``terms`` that only name these dates, or only say that something is asked for."""
    relative_terms: frozenset[str] = frozenset()
    """Those of ``terms`` that only name dates counted from now ("the day before yesterday")."""
    script: Literal["latin", "cjk", "mixed", "other"] = "latin"
    asks_assistant: bool = False
    """It asks what the assistant said."""
    asks_count: bool = False
    asks_list: bool = False
    asks_latest: bool = False
    term_weights: Mapping[str, float] = field(default_factory=dict[str, float])
    """Weights of terms that came by feedback; a term that is absent weighs 1."""


def analyse_query(text: str, now: datetime) -> QueryAnalysis:
    """Read a query.

    Args:
        text: The question as asked.
        now: Aware; relative dates resolve against it, in its zone.
    """
    asked = tuple(query_terms(text))
    intervals = tuple(query_intervals(text, now))
    mentions = find_dates(text, now) if intervals else []
    outside = frozenset(query_terms(_without(text, mentions))) - _ASKING
    absolute = frozenset(query_terms(_without(text, [m for m in mentions if m.relative])))
    return QueryAnalysis(
        text=text,
        terms=asked,
        pairs=tuple(dict.fromkeys(pairwise(asked))),
        numbers=frozenset(t for t in asked if any(c.isdigit() for c in t)),
        words=frozenset(terms(text)),
        intervals=intervals,
        date_terms=frozenset(asked) - outside if intervals else frozenset(),
        relative_terms=frozenset(asked) - absolute if mentions else frozenset(),
        script=script_of(text),
        asks_assistant=_ASSISTANT.search(text) is not None,
        asks_count=_COUNT.search(text) is not None,
        asks_list=_LIST.search(text) is not None,
        asks_latest=_LATEST.search(text) is not None,
    )


def _without(text: str, mentions: Sequence[DateMention]) -> str:
    rest, end = "", 0
    for mention in mentions:
        if mention.start >= end:
            rest += f"{text[end : mention.start]} "
            end = mention.end
    return rest + text[end:]


def with_expansion(analysis: QueryAnalysis, extra: Iterable[str], weight: float) -> QueryAnalysis:
    """Add terms found by feedback; they weigh ``weight`` in [0, 1], the query's own 1."""
    added = [t for t in dict.fromkeys(extra) if t not in analysis.terms]
    return replace(
        analysis,
        terms=analysis.terms + tuple(added),
        term_weights={**analysis.term_weights, **dict.fromkeys(added, weight)},
    )


def focused_text(analysis: QueryAnalysis, statistics: TermStatistics) -> str:
    """Return the query without the words that stand in more than a fifth of the passages.

    Function words stay, so that the text still reads as one sentence to the embedder; so does a
    run of CJK characters unless every bigram of it is common. The query itself is returned when
    no content word would be left, when none is common, and in a scope below
    ``FOCUS_MIN_DOCUMENTS`` passages.

    Args:
        analysis: The query.
        statistics: Counts of at least ``analysis.terms``.

    Source: RANKING.md 2, focus(q).
    """
    if statistics.documents < FOCUS_MIN_DOCUMENTS:
        return analysis.text
    top = FOCUS_SHARE * statistics.documents
    content = frozenset(analysis.terms)
    kept: list[str] = []
    end, left, dropped = 0, 0, 0
    for word in _WORD.finditer(analysis.text):
        own = [t for t in text_terms(word.group()) if t in content]
        is_common = bool(own) and all(statistics.document_frequency.get(t, 0) > top for t in own)
        kept.append(analysis.text[end : word.start()])
        end = word.end()
        if is_common:
            dropped += 1
        else:
            kept.append(word.group())
            left += bool(own)
    if not dropped or not left:
        return analysis.text
    kept.append(analysis.text[end:])
    return " ".join("".join(kept).split())


def query_texts(analysis: QueryAnalysis, statistics: TermStatistics, preset: Preset) -> list[str]:
    """Return what to embed for this query: its text, its focused text, and its sentences.

    The focused text is left out where it is the text itself and no sentence follows; the third and
    all later texts are sentences.
    """
    focused = focused_text(analysis, statistics) if preset.focus else analysis.text
    sentences = question_sentences(analysis.text) if any(preset.sentences.values()) else ()
    if not sentences and focused == analysis.text:
        return [analysis.text]
    return [analysis.text, focused, *sentences]


@lru_cache(maxsize=16384)
def text_terms(text: str) -> frozenset[str]:
    """Return the distinct terms of a short text (heading path, path, speaker); remembered."""
    return frozenset(terms(text))


@lru_cache(maxsize=256)
def content_terms(text: str) -> frozenset[str]:
    """Return the distinct terms of a passage without stop words; remembered."""
    return frozenset(query_terms(text))
