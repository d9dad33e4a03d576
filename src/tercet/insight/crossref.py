"""Reasons to link two items that their words alone give: wikilinks, names, days.

Each gives a number of edges that grows with the memory, not with its square: of everything that
speaks of one name or day, each is linked to the item that the name or day belongs to.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from datetime import UTC, timedelta
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from tercet.insight.graph import Evidence
from tercet.model.notes import Note
from tercet.text.dates.passages import dates_in_text
from tercet.text.dates.paths import dates_in_path
from tercet.text.indexed_text import stem_of
from tercet.text.notes.links import LinkTargets, is_attachment, links_of
from tercet.text.terms import terms

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from tercet.insight.items import Item
    from tercet.model import TimeRange

    Link = tuple[str, str, Evidence]
    Terms = tuple[str, ...]

WIKILINK_WEIGHT: Final = 0.9
SUPERSEDES_WEIGHT: Final = 0.95
SAME_DAY_WEIGHT: Final = 0.5
SAME_ENTITY_WEIGHT: Final = 0.7
"""Of a name that one other item has."""
MAX_NAME_TERMS: Final = 8
"""Longer titles are nobody's name in the middle of a sentence."""
MIN_NAME_CHARS: Final = 3
"""Of a name in Latin letters; two Chinese characters are a name."""
COMMON_SHARE: Final = 0.25
"""A name that more of the items than this speak of tells nothing about any of them."""
FEW_ITEMS: Final = 4
"""So many may speak of a name, however few items there are."""
_CONVENTION: Final = re.compile("[A-Z]{4,}")
_YEAR: Final = re.compile(r"(?<![0-9A-Za-z])(?:19|20)\d{2}(?:\d{4})?(?!\d)")
"""A year, or a day without separators: 20260208."""


def wikilinks(items: Iterable[Item]) -> Iterator[Link]:
    """Link a file to each that it names as ``[[target]]``; targets are sought in its own folder."""
    by_root: defaultdict[str, list[Item]] = defaultdict(list)
    for item in items:
        if item.kind == "file":
            by_root[item.root].append(item)
    for root, files in by_root.items():
        targets = LinkTargets(map(_as_note, files))
        for item in files:
            for row in item.rows:
                for link in links_of(row.passage.text, row.passage.start_line):
                    path = None if is_attachment(link.target) else targets.resolve(link.target, item.path)
                    if path is not None:
                        yield item.ref, f"{root}:{path}", Evidence("wikilink", WIKILINK_WEIGHT, one_line=link.line)


def _as_note(item: Item) -> Note:
    return Note("", item.title, "", item.path, item.rows[0].passage.scope, "", 1)


def same_entities(items: Sequence[Item]) -> Iterator[Link]:
    """Link an item to the file that is about what it names: whose title or file name stands in its words.

    The weight is ``SAME_ENTITY_WEIGHT`` times how rare the name is, ln(N / n) / ln(N) of N items of
    which n name it.
    """
    names = _names(items)
    by_first: defaultdict[str, list[Terms]] = defaultdict(list)
    for name in names:
        by_first[name[0]].append(name)
    naming = _naming(items, names, by_first)
    most = max(FEW_ITEMS, COMMON_SHARE * len(items))
    for name, lines in sorted(naming.items()):
        others = {ref: line for ref, line in lines.items() if ref not in names[name]}
        if not others or len(lines) > most:
            continue
        rarity = math.log(len(items) / len(others)) / math.log(len(items))
        weight = round(SAME_ENTITY_WEIGHT * rarity, 4)
        for about, written in names[name].items():
            for ref, line in others.items():
                yield ref, about, Evidence("same_entity", weight, written, one_line=line)


def _naming(
    items: Sequence[Item], names: Mapping[Terms, Mapping[str, str]], by_first: Mapping[str, Sequence[Terms]]
) -> dict[Terms, dict[str, int]]:
    """Return, by name, the items that speak of it, with the line of the first passage that does."""
    naming: defaultdict[Terms, dict[str, int]] = defaultdict(dict)
    for item in items:
        for row in item.rows:
            if by_first.keys().isdisjoint(row.terms):
                continue
            for name in _named_in(row.terms, by_first):
                if len(name) > 1 or any(form in row.passage.text for form in names[name].values()):
                    naming[name].setdefault(item.ref, row.passage.start_line)
    return naming


def _names(items: Iterable[Item]) -> dict[Terms, dict[str, str]]:
    """Return the terms of what files are called, with the files and how each writes it.

    Dated files are called nothing, and README, MEMORY and the like are what tools call files.
    """
    found: defaultdict[Terms, dict[str, str]] = defaultdict(dict)
    for item in items:
        if item.kind == "entry" or dates_in_path(item.path, UTC):
            continue
        for written in (item.title, stem_of(item.path)):
            name = () if _CONVENTION.fullmatch(written) else tuple(terms(written))
            letters = "".join(name)
            is_long = len(letters) >= MIN_NAME_CHARS or (len(letters) > 1 and not letters.isascii())
            if is_long and len(name) <= MAX_NAME_TERMS:
                # A single word is a name only with its capital: "Park" the person, not every park.
                is_small = len(name) == 1 and written.islower()
                shown = written[0].upper() + written[1:] if is_small else written
                found[name].setdefault(item.ref, shown)
    return dict(found)


def _named_in(words: Sequence[str], by_first: Mapping[str, Sequence[Terms]]) -> set[Terms]:
    return {
        name
        for at, word in enumerate(words)
        for name in by_first.get(word, ())
        if tuple(words[at : at + len(name)]) == name
    }


def same_days(items: Iterable[Item], told: Mapping[str, Iterable[tuple[str, int]]]) -> Iterator[Link]:
    """Link what is of one day, or names it with its year, to the first that is of that day.

    A file is of the day in its path, an entry of the day it was said.

    Args:
        items: All there is in reach.
        told: By ref, what ``told_days`` returns of each.
    """
    of_day: defaultdict[str, list[str]] = defaultdict(list)
    telling: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for item in sorted(items, key=lambda item: (item.kind == "entry", item.ref)):
        for day in _own_days(item):
            of_day[day].append(item.ref)
        for day, line in told[item.ref]:
            telling[day].setdefault(item.ref, line)
    for day, own in sorted(of_day.items()):
        lines = {**telling.get(day, {}), **dict.fromkeys(own, 0)}
        for ref, line in lines.items():
            yield ref, own[0], Evidence("same_day", SAME_DAY_WEIGHT, day, one_line=line)


def _own_days(item: Item) -> list[str]:
    if item.kind == "file":
        return _days(dates_in_path(item.path, UTC))
    said = item.rows[0].passage.timestamp
    return [said.date().isoformat()] if said is not None else []


def told_days(item: Item) -> tuple[tuple[str, int], ...]:
    """Return the days that an item's text names with their year, each with the line of its first passage."""
    told: dict[str, int] = {}
    for row in item.rows:
        # Reading dates is slow, and only those that name their year count.
        if _YEAR.search(row.passage.text):
            for day in _days(dates_in_text(row.passage.text, None, UTC)):
                told.setdefault(day, row.passage.start_line)
    return tuple(told.items())


def _days(ranges: Iterable[TimeRange]) -> list[str]:
    return [
        each.start.date().isoformat()
        for each in ranges
        if each.start is not None and each.end is not None and each.end - each.start == timedelta(days=1)
    ]


def superseded(chain: Sequence[str]) -> Iterator[Link]:
    """Link each entry of a chain to the one it replaced.

    Args:
        chain: Ids, oldest first.
    """
    for old, new in pairwise(chain):
        yield new, old, Evidence("supersedes", SUPERSEDES_WEIGHT)
