"""How much of a text is empty template: headings without anything below, and placeholders.

Auto-generated documents of empty sections hold many common words in their headings and once took
all ten places of an answer from the right record (RANKING.md 5).
"""

from __future__ import annotations

import re
from functools import lru_cache

MIN_EMPTY = 3
"""One or two empty sections are a note being written, not a template."""
MILD, FULL = 0.3, 0.8
"""Shares at which the penalty begins and at which it is whole."""
FAMILY_SHARE = 0.5
"""From this share on a text is a member of the family of its headings."""

_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?[ \t]*#*[ \t]*$")
_BOLD = re.compile(r"(?:[-*+][ \t]+)?(?:\*\*|__)[^*_]{1,80}(?:\*\*|__)[ \t]*[:：]?[ \t]*$")
_LABEL = re.compile(r"(?:[-*+][ \t]+)?(?:\*\*|__)?[^\s:：][^:：]{0,60}[:：](?:\*\*|__)?[ \t]*(?P<value>.{0,20})$")
_WORDS = re.compile(r"[^\W_]+")
_FILLERS = frozenset({
    "", "n a", "na", "none", "none yet", "nil", "tbd", "tba", "todo", "empty", "nothing", "nothing yet",
    "nothing to report", "not applicable", "no entries", "no entries yet", "no items", "no notes", "no data",
    "no content", "暂无", "暫無", "无", "無", "没有", "沒有", "待补充", "待補充", "待定", "空",
})  # fmt: skip
_FENCE = re.compile(r" {0,3}(?:```|~~~)")
_DIGITS = re.compile(r"\d+")
_MARKS = ("\n#", "\n**", "\n__", ":\n", ":** ", "N/A", "None", "none", "TBD")
_CHINESE_MARKS = ("：\n", "无", "無")
"""A text with fewer of all these than empty headings asked for need not be read line by line. Counted one
by one: a pattern of them all takes twice as long."""
_TEXT_LEVEL = 8
_BOLD_LEVEL = 7


@lru_cache(maxsize=8192)
def template_share(text: str) -> float:
    """Return the share of a text's characters that are empty sections and placeholders, in [0, 1].

    A heading is empty when nothing but placeholders ("N/A", "- [ ]", 暂无) comes before the next
    heading of the same or a higher level; one with a filled deeper section is not. Fewer than
    ``MIN_EMPTY`` empty headings give 0.
    """
    if text.count("\n") < MIN_EMPTY - 1 or _marks(text) < MIN_EMPTY - 1:
        return 0.0
    filled = 0
    empty = empty_size = size = 0
    for line, level in reversed(_levels(text)):
        length = len(line.strip())
        size += length
        if level is None:
            if _is_filler(line):
                empty_size += length
            else:
                filled = _TEXT_LEVEL
        elif filled > level:
            filled = level
        else:
            empty += 1
            empty_size += length
    return empty_size / size if empty >= MIN_EMPTY and size else 0.0


def template_factor(text: str, penalty: float) -> float:
    """Return what a score is multiplied by, in [1 - penalty, 1].

    1 up to a share of ``MILD``, falling evenly to 1 - ``penalty`` at ``FULL``: a note with some
    sections left open keeps its score; at penalty .9 and a share of .55 the factor is .55.
    """
    depth = (template_share(text) - MILD) / (FULL - MILD)
    return 1.0 - penalty * min(1.0, max(0.0, depth))


@lru_cache(maxsize=8192)
def template_family(text: str) -> frozenset[str]:
    """Return the headings that make a template's family, without their numbers and dates.

    Empty for a text that is not mostly template.
    """
    if template_share(text) < FAMILY_SHARE:
        return frozenset()
    titles = (_DIGITS.sub("", line).strip(" #*_:：-").casefold() for line, level in _levels(text) if level is not None)
    return frozenset(t for t in titles if t)


def _marks(text: str) -> int:
    found = sum(map(text.count, _MARKS))
    return found if text.isascii() else found + sum(map(text.count, _CHINESE_MARKS))


def _is_filler(line: str) -> bool:
    return " ".join(_WORDS.findall(line)).casefold() in _FILLERS


def _is_label(line: str) -> bool:
    """Tell whether a line is a bold title, or a label with nothing or a placeholder after its colon."""
    if _BOLD.match(line):
        return True
    label = _LABEL.match(line)
    return label is not None and _is_filler(label.group("value"))


def _levels(text: str) -> list[tuple[str, int | None]]:
    """Return the lines with their heading level; None for what is no heading."""
    lines: list[tuple[str, int | None]] = []
    is_fenced = False
    for line in text.split("\n"):
        if _FENCE.match(line):
            is_fenced = not is_fenced
        heading = None if is_fenced else _HEADING.match(line)
        if heading is not None:
            lines.append((line, len(heading.group(1))))
        elif not is_fenced and _is_label(line.strip()):
            lines.append((line, _BOLD_LEVEL))
        else:
            lines.append((line, None))
    return lines
