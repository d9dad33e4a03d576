"""``memory/search_log.jsonl``: which chunks searches found, and which searches found nothing good.

The searches write it and the salience reads it (K6). A line holds terms, not the question: enough
to tell which files bear on it, and nothing that looks like a secret.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from vector_index import replace_file
from workspace import MEMORY_FOLDER

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

FILE_NAME = "search_log.jsonl"
KEPT_LINES = 2000
MAX_TERMS = 12
MAX_TERM_LENGTH = 20
MAX_DIGITS = 4


@dataclass(frozen=True)
class Searched:
    """One search."""

    at: datetime
    terms: tuple[str, ...]
    best: float
    """The best score; 0 without a hit."""
    paths: tuple[str, ...]


def record(root: Path, searched: Searched) -> None:
    """Add a search; a log that cannot be written costs no search."""
    place = root / MEMORY_FOLDER / FILE_NAME
    line = {
        "at": searched.at.isoformat(),
        "terms": [term for term in searched.terms if not _may_be_secret(term)][:MAX_TERMS],
        "best": round(searched.best, 4),
        "paths": list(dict.fromkeys(searched.paths)),
    }
    try:
        handle = os.open(place, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        with os.fdopen(handle, "ab") as log:
            log.write(json.dumps(line).encode() + b"\n")
            length = log.tell()
        if length > KEPT_LINES * 400:
            replace_file(place, "".join(place.read_text("utf-8").splitlines(keepends=True)[-KEPT_LINES:]))
    except (OSError, ValueError):
        return


def read_log(root: Path) -> list[Searched]:
    """Return the searches so far; none without a log, and lines that are no search are passed over."""
    try:
        lines = (root / MEMORY_FOLDER / FILE_NAME).read_text("utf-8", "replace").splitlines()
    except OSError:
        return []
    found = (_searched(line) for line in lines)
    return [each for each in found if each is not None]


def _searched(line: str) -> Searched | None:
    try:
        value = json.loads(line)
        at = datetime.fromisoformat(value["at"])
        return Searched(at.astimezone(), _texts(value["terms"]), float(value["best"]), _texts(value["paths"]))
    except (ValueError, KeyError, TypeError):
        return None


def _texts(values: Sequence[object]) -> tuple[str, ...]:
    return tuple(str(value) for value in values)


def _may_be_secret(term: str) -> bool:
    return len(term) > MAX_TERM_LENGTH or sum(c.isdigit() for c in term) > MAX_DIGITS
