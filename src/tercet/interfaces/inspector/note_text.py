"""Pure: a note's text in a form, and back again with the line ends that its file has.

A browser knows one line end: it shows CRLF and a lone CR as LF, and sends CRLF whatever was there. A
save that changes nothing must not change a byte, and an edit only the lines that it is about.
"""

from __future__ import annotations

import difflib
import re
from collections import Counter
from typing import TYPE_CHECKING, Final

from tercet.text.front_matter import BOM

if TYPE_CHECKING:
    from collections.abc import Sequence

LF: Final = "\n"
_LINE_END: Final = re.compile("(\r\n|\r|\n)")
MOST_COMPARED: Final = 4_000
"""Lines of either text; the comparison grows with their product."""
AROUND: Final = 2
"""Unchanged lines shown on either side of a change."""


def form_text(text: str) -> str:
    """Return a file's text as a form shows it: line ends are LF, and there is no byte order mark."""
    return plain_lines(text.removeprefix(BOM))


def plain_lines(sent: str) -> str:
    """Return what a form sent as the form had it: with LF for every line end."""
    return _LINE_END.sub(LF, sent)


def file_text(sent: str, original: str) -> str:
    """Return what a form sent as the text of the file.

    Args:
        sent: From the form; every line end counts as the same.
        original: The file that was shown; its line ends stay with their lines, a new line gets the end
            that most lines have, and the byte order mark stays.
    """
    mark = BOM if original.startswith(BOM) else ""
    given = plain_lines(sent)
    pieces = _LINE_END.split(original.removeprefix(BOM))
    lines, ends = pieces[::2], pieces[1::2]
    if given == LF.join(lines):
        return original
    usual = max(Counter(ends).items(), key=lambda each: each[1])[0] if ends else LF
    if len(set(ends)) <= 1:
        return mark + given.replace(LF, usual)
    written = given.split(LF)
    kept = _kept_ends(written, lines, [*ends, usual], usual)
    for at in range(len(kept) - 2, -1, -1):
        # Before an empty line a lone CR would become one line end with the next.
        if kept[at] == "\r" and not written[at + 1] and kept[at + 1] == LF:
            kept[at] = LF
    return mark + "".join(line + end for line, end in zip(written[:-1], kept[:-1], strict=True)) + written[-1]


def differences(theirs: str, yours: str) -> list[str] | None:
    """Return the changed lines and some around them, each begun by ``+`` (yours), ``-`` (theirs) or a space.

    Parts of the text that lie apart are parted by a line of ``@@``. None when there are too many lines.
    """
    before, after = form_text(theirs).split(LF), plain_lines(yours).split(LF)
    if max(len(before), len(after)) > MOST_COMPARED:
        return None
    return list(difflib.unified_diff(before, after, n=AROUND, lineterm=""))[2:]


def _kept_ends(written: Sequence[str], lines: Sequence[str], ends: Sequence[str], usual: str) -> list[str]:
    """Return an end for each line, the last one too, which has none: its own where the line was there before."""
    first = _common(written, lines)
    last = min(_common(written[::-1], lines[::-1]), len(written) - first, len(lines) - first)
    kept = [*ends[:first], *[usual] * (len(written) - first - last), *ends[len(lines) - last :]]
    middle, before = written[first : len(written) - last], lines[first : len(lines) - last]
    if max(len(middle), len(before)) <= MOST_COMPARED:
        for was, now, size in difflib.SequenceMatcher(None, before, middle, autojunk=False).get_matching_blocks():
            kept[first + now : first + now + size] = ends[first + was : first + was + size]
    return kept


def _common(one: Sequence[str], two: Sequence[str]) -> int:
    return next((at for at, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), min(len(one), len(two)))
