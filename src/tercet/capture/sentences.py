"""A message as sentences, without code, quotes and logs."""

from __future__ import annotations

import re
from typing import Final

_FENCE: Final = re.compile(r"^[ \t]*(?:```|~~~)")
_QUOTED: Final = re.compile(r"^[ \t]*(?:>|\|)")
_BULLET: Final = re.compile(r"^[ \t]*(?:[-*+•·]|\d{1,3}[.)、])[ \t]+|^[ \t]*#{1,6}[ \t]+")
_CODE_LINE: Final = re.compile(
    r"^[ \t]*(?:\$ |>>> |\.\.\. |(?:def|class|import|from|const|let|var|function|return|public|private|static"
    r"|async|await"
    r"|elif|else:|try:|except|#include|package|SELECT|INSERT|UPDATE|CREATE|ALTER|docker|npm|pip|git|sudo"
    r"|curl) \S.*[(){};=:/<>\[\]]"
    r"|Traceback \(|File \"|at [\w.$]+\(|[+-]{3} |@@ |diff --git"
    r"|\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\S* \[?(?:INFO|WARN|ERROR|DEBUG)"
    r"|(?:INFO|WARN(?:ING)?|ERROR|DEBUG|FATAL)[: \[]|[\w.]+(?:Error|Exception): )"
)
_CODE_MARKS: Final = frozenset("{}();=<>[]|\\$#`&^~*_/+")
_CODE_SHARE: Final = 0.18
_ENDS: Final = re.compile(r"[。！？；]+[”’」』）)\"']*|[.!?…]+[”’\"')\]*_]*(?=\s|$)")
_ABBREVIATION: Final = re.compile(
    r"(?:^|[\s(])(?:Mr|Mrs|Ms|Dr|Prof|St|Jr|Sr|vs|etc|e\.g|i\.e|approx|No|Nr|Inc|Ltd|Co|a\.m|p\.m|U\.S|U\.K|[A-Z])\.$"
)
_CLAUSE_ENDS: Final = re.compile(r"[,，;；]\s*|\s[-–—]{1,2}\s|——")


def sentences(text: str) -> list[str]:
    """Return the sentences of a message in order; a line end ends one, bullets and heading marks go."""
    found: list[str] = []
    for line in _prose_lines(text):
        start = 0
        for end in _ENDS.finditer(line):
            if end[0] == "." and _ABBREVIATION.search(line, max(0, end.start() - 8), end.end()):
                continue
            found.append(line[start : end.end()].strip())
            start = end.end()
        found.append(line[start:].strip())
    return [sentence for sentence in found if sentence]


def clauses(sentence: str) -> list[str]:
    """Return the parts of a sentence between commas and dashes."""
    return [part.strip() for part in _CLAUSE_ENDS.split(sentence) if part.strip()]


def _prose_lines(text: str) -> list[str]:
    lines: list[str] = []
    fenced = False
    for line in text.split("\n"):
        if _FENCE.match(line):
            fenced = not fenced
        elif not fenced and line.strip() and not _QUOTED.match(line) and not _is_code(line):
            lines.append(_BULLET.sub("", line, count=1).strip())
    return lines


def _is_code(line: str) -> bool:
    if _CODE_LINE.match(line):
        return True
    bare = line.strip()
    marks = sum(letter in _CODE_MARKS for letter in bare)
    return marks > 2 and marks > _CODE_SHARE * len(bare)  # noqa: PLR2004 - two brackets are no code
