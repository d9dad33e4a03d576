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
_HTML_BLOCK: Final = re.compile(r"\s*<(!--|pre|script|style|textarea)", re.IGNORECASE)
_MAX_INDENT: Final = 3
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
    """Blank fences and HTML blocks; comments stay, they are told apart with the inline ones."""
    plan = body_outline(body)
    shown: list[str] = []
    tag = ""
    for kind, line in zip(plan.kinds[1:], plan.lines[1:], strict=True):
        if kind == Kind.HTML and not tag:
            opening = _HTML_BLOCK.match(line)
            tag = opening[1].lower() if opening else "!--"
        hidden = kind == Kind.CODE or (kind == Kind.HTML and tag != "!--")
        shown.append(_blank(line) if hidden else line)
        if kind != Kind.HTML or ("-->" if tag == "!--" else f"</{tag}>") in line.lower():
            tag = ""
    return "".join(shown)


def _without_spans(text: str) -> str:
    """Blank inline code and comments: what opens first hides the other's marks."""
    ends = _Ends(text)
    shown: list[str] = []
    at = 0
    while (opening := _OPENING.search(text, at)) is not None:
        end = ends.after(opening)
        if end is None:
            shown.append(text[at : opening.end()])
            at = opening.end()
        else:
            shown.append(text[at : opening.start()] + _blank(text[opening.start() : end]))
            at = end
    shown.append(text[at:])
    return "".join(shown)


class _Ends:
    """Where the spans of a text end; asked in the text's order, each place is looked at once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._runs: dict[int, deque[int]] = {}
        """Where backticks stand, by how many stand together."""
        for run in _TICKS.finditer(text):
            self._runs.setdefault(len(run[0]), deque()).append(run.start())
        self._last_comment_end = text.rfind("-->")

    def after(self, opening: re.Match[str]) -> int | None:
        """Return where what is opened here ends; None when it opens nothing."""
        mark = opening[0]
        if mark[0] == "\\":
            return None
        if mark[0] == "`":
            return self._after_code(opening)
        if mark == "%%":
            found = self._text.find("%%", opening.end())
            return found + 2 if found >= 0 else None
        if self._last_comment_end < opening.end():
            return len(self._text) if self._begins_line(opening.start()) else None
        return self._text.find("-->", opening.end()) + 3

    def _after_code(self, opening: re.Match[str]) -> int | None:
        """Return the end of inline code: a run of as many backticks, within the paragraph."""
        length = len(opening[0])
        same = self._runs.get(length, deque())
        while same and same[0] < opening.end():
            same.popleft()
        if not same or _BLANK_LINE.search(self._text, opening.end(), same[0]):
            return None
        return same[0] + length

    def _begins_line(self, at: int) -> bool:
        before = self._text[max(0, at - _MAX_INDENT - 1) : at]
        return before.rstrip(" ").endswith("\n") or (at <= _MAX_INDENT and not before.strip())


def _blank(text: str) -> str:
    return _NOT_NEWLINE.sub(" ", text)


def line_starts(text: str) -> Sequence[int]:
    """Return the offset at which each line begins, for ``bisect``."""
    return [0, *(found.end() for found in re.finditer("\n", text))]
