#!/usr/bin/env python3
"""Say which memory files matter and have not been looked at for long, for a heartbeat to bring up.

Usage, from the workspace's root: ``memory_salience.py [--json] [--top N]``

salience = importance * staleness, both in [0, 1]:

* importance = the kind's weight * (BASE + SIZE * size + FOUND * how often searches found it
  + GAP * how many searches found nothing good although the file holds most of their terms);
* staleness = 1 - exp(-days unseen / STALE_DAYS), where seen is the later of the last edit and the
  last search that found the file.

What searches did is read from ``memory/search_log.jsonl``, which the search scripts write; without
it a file counts as never found.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import sys
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from memory_rules import terms
from search_log import Searched, read_log
from workspace import Workspace, text_of

if TYPE_CHECKING:
    from collections.abc import Sequence

TOP = 10
KIND_WEIGHTS = {"topic": 0.8, "core": 0.7, "daily": 0.4}
BASE, SIZE, FOUND, GAP = 0.5, 0.15, 0.15, 0.2
FULL_SIZE_CHARACTERS = 4000
FULL_FOUND = 5
FULL_GAPS = 3
STALE_DAYS = 14.0
WEAK_BEST = 0.45
"""A search whose best score is below this found nothing good."""
GAP_DAYS = 30.0
GAP_SHARE = 0.5
"""A file bears on a search when it holds at least this share of its terms."""
CORE_FILES = ("MEMORY.md", "AGENTS.md", "USER.md", "SOUL.md", "IDENTITY.md", "TOOLS.md", "HEARTBEAT.md", "DREAMS.md")

DAILY = re.compile(r"(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)")


@dataclass(frozen=True)
class Salience:
    """One file, and what its score is made of."""

    path: str
    kind: str
    importance: float
    staleness: float
    days_unseen: float
    found: int
    gaps: int

    @property
    def score(self) -> float:
        """In [0, 1]."""
        return self.importance * self.staleness

    @property
    def prompt(self) -> str:
        """One sentence for the agent to bring up."""
        days = int(self.days_unseen)
        sentence = f"You have not looked at {self.path} for {days} day{'' if days == 1 else 's'}"
        if self.gaps:
            times = f"{self.gaps} question{'' if self.gaps == 1 else 's'}"
            sentence += f"; it bears on {times} you asked lately and found no good answer to"
        return sentence + "."

    def as_json(self) -> dict[str, object]:
        """Return the fields in camelCase."""
        return {
            "path": self.path,
            "kind": self.kind,
            "score": round(self.score, 4),
            "importance": round(self.importance, 4),
            "staleness": round(self.staleness, 4),
            "daysUnseen": round(self.days_unseen, 2),
            "found": self.found,
            "gaps": self.gaps,
            "prompt": self.prompt,
        }


def rank(workspace: Workspace, now: datetime) -> list[Salience]:
    """Return every file, the most salient first; equal ones by path."""
    log = read_log(workspace.root)
    found, _ = workspace.files()
    scored = [_salience(path, place, log, now) for path, place in found.items()]
    return sorted((each for each in scored if each is not None), key=lambda each: (-each.score, each.path))


def kind_of(path: str) -> str:
    """Return ``core`` for the workspace's own files, ``daily`` for a day's note, else ``topic``."""
    if "/" not in path:
        return "core"
    return "daily" if DAILY.search(path.rpartition("/")[2]) else "topic"


def _salience(path: str, place: Path, log: Sequence[Searched], now: datetime) -> Salience | None:
    try:
        text, edited = text_of(place.read_bytes())[0], place.stat().st_mtime
    except OSError:
        return None
    held = frozenset(terms(f"{path}\n{text}"))
    searches = [each for each in log if path in each.paths and each.best >= WEAK_BEST]
    gaps = sum(_is_gap(each, held, now) for each in log)
    seen = max([datetime.fromtimestamp(edited).astimezone(), *(each.at for each in searches)])
    days = max(0.0, (now - seen) / timedelta(days=1))
    kind = kind_of(path)
    weight = (
        BASE
        + SIZE * min(1.0, len(text) / FULL_SIZE_CHARACTERS)
        + FOUND * min(1.0, len(searches) / FULL_FOUND)
        + GAP * min(1.0, gaps / FULL_GAPS)
    )
    staleness = 1.0 - math.exp(-days / STALE_DAYS)
    return Salience(path, kind, KIND_WEIGHTS[kind] * weight, staleness, days, len(searches), gaps)


def _is_gap(searched: Searched, held: frozenset[str], now: datetime) -> bool:
    if searched.best >= WEAK_BEST or not searched.terms or now - searched.at > timedelta(days=GAP_DAYS):
        return False
    return sum(term in held for term in searched.terms) >= GAP_SHARE * len(searched.terms)


def main(arguments: list[str]) -> int:
    """Print the most salient files."""
    parser = argparse.ArgumentParser(description="Which memory files matter and have not been looked at for long.")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--top", type=int, default=TOP, help=f"how many files (default {TOP})")
    parser.add_argument("--now", type=datetime.fromisoformat, help="the moment to count from (ISO 8601)")
    given = parser.parse_args(arguments)
    if given.top < 1:
        parser.error("--top takes a number of at least 1")
    now = given.now.astimezone() if given.now else datetime.now().astimezone()
    items = rank(Workspace(Path.cwd(), CORE_FILES), now)[: given.top]
    if given.json:
        print(json.dumps({"items": [item.as_json() for item in items]}, ensure_ascii=False))
        return 0
    for item in items:
        print(f"{item.score:.3f}  {item.prompt}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
