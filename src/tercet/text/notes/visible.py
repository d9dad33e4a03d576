"""A note's body with all that is no prose blanked: code and comments, every other character in its place."""

from __future__ import annotations

import re
from collections import deque
from typing import TYPE_CHECKING, Final

from tercet.text.markdown_lines import Kind, outline

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tercet.text.markdown_lines import Outline

_NOT_NEWLINE: Final = re.compile(r"[^\n]")
_OPENING: Final = re.compile(r"\\[\\`%<\[]|`+|%%|<!--")
_BLANK_LINE: Final = re.compile(r"\n[ \t\r]*\n")
_TICKS: Final = re.compile(r"`+")


def body_outline(body: str) -> Outline:
    """Return what each line of a body is; its first line is never taken for front matter.

    The outline's line 0 is an empty one in front of the body, so that its line n is the body's line
    n counted from 1.
    """
    return outline("\n" + body)


def visible(body: str) -> str:
    """Return the body with code and comments replaced by spaces; lines and columns stay.

    Blanked are fenced code, ``<pre>``, ``<script>``, ``<style>`` blocks, inline code, ``%% … %%`` and
    ``<!-- … -->``. An opening without its closing hides nothing, save a comment that begins a line.
    """
    if not any(mark in body for mark in ("`", "~~~", "%%", "<")):
        return body
    return _without_spans(_without_blocks(body))


def _without_blocks(body: str) -> str:
    plan = body_outline(body)
    shown: list[str] = []
    in_comment = False
    for kind, line in zip(plan.kinds[1:], plan.lines[1:], strict=True):
        in_comment = kind == Kind.HTML and (line.lstrip().startswith("<!--") or in_comment)
        hidden = kind == Kind.CODE or (kind == Kind.HTML and not in_comment)
        shown.append(_blank(line) if hidden else line)
    return "".join(shown)


def _without_spans(text: str) -> str:
    """Blank inline code and comments: what opens first hides the other's marks."""
    runs = _tick_runs(text)
    shown: list[str] = []
    at = 0
    while (opening := _OPENING.search(text, at)) is not None:
        end = _end_of(text, opening, runs)
        if end is None:
            shown.append(text[at : opening.end()])
            at = opening.end()
        else:
            shown.append(text[at : opening.start()] + _blank(text[opening.start() : end]))
            at = end
    shown.append(text[at:])
    return "".join(shown)


def _end_of(text: str, opening: re.Match[str], runs: dict[int, deque[int]]) -> int | None:
    """Return where what is opened here ends; None when it opens nothing."""
    mark = opening[0]
    if mark[0] == "\\":
        return None
    if mark[0] == "`":
        return _end_of_code(text, opening, runs)
    closing = "%%" if mark == "%%" else "-->"
    found = text.find(closing, opening.end())
    if found >= 0:
        return found + len(closing)
    begins_line = not text[text.rfind("\n", 0, opening.start()) + 1 : opening.start()].strip()
    return len(text) if mark == "<!--" and begins_line else None


def _end_of_code(text: str, opening: re.Match[str], runs: dict[int, deque[int]]) -> int | None:
    """Return the end of inline code: a run of as many backticks, within the paragraph."""
    length = len(opening[0])
    same = runs.get(length, deque())
    # Runs are met in order: what lies behind is never asked for again.
    while same and same[0] < opening.end():
        same.popleft()
    if not same or _BLANK_LINE.search(text, opening.end(), same[0]):
        return None
    return same[0] + length


def _tick_runs(text: str) -> dict[int, deque[int]]:
    runs: dict[int, deque[int]] = {}
    for run in _TICKS.finditer(text):
        runs.setdefault(len(run[0]), deque()).append(run.start())
    return runs


def _blank(text: str) -> str:
    return _NOT_NEWLINE.sub(" ", text)


def line_starts(text: str) -> Sequence[int]:
    """Return the offset at which each line begins, for ``bisect``."""
    return [0, *(found.end() for found in re.finditer("\n", text))]
