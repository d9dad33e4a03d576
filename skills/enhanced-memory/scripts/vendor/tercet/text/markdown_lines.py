"""What each line of a Markdown file is, told in one pass.

A full CommonMark parser costs more than embedding the text; chunking only has to know headings,
fences, HTML blocks, tables, list items and blank lines.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import IntEnum
from itertools import accumulate
from typing import TYPE_CHECKING, Final

from tercet.text.front_matter import BOM, closing_fence
from tercet.text.lines import split_lines
from tercet.text.weights import weighted_length

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_TITLE_WEIGHT: Final = 400
"""A longer heading is a paragraph: it would be repeated in the heading path of every chunk below."""

_TABULATOR_WIDTH: Final = 4
_MAX_INDENT: Final = 3
_MAX_LEVEL: Final = 6
_MIN_FENCE: Final = 3

_LIST_ITEM: Final = re.compile(r"(?:[-+*]|[0-9]{1,9}(?:[.)](?=\s)|、))\s{0,16}")
_HTML_BLOCK: Final = re.compile(r"<(?:(!--)|(pre|script|style|textarea)(?=[\s>]))", re.IGNORECASE)


class Kind(IntEnum):
    """What a line is; the order has no meaning."""

    BLANK = 0
    RULE = 1
    """A thematic break: it parts text and says nothing."""
    HEADING = 2
    TEXT = 3
    CODE = 4
    """Inside a fence, the fence's own lines included."""
    HTML = 5
    """Inside a comment or another HTML block in which ``#`` means nothing."""
    TABLE = 6
    FRONT_MATTER = 7


class Break(IntEnum):
    """How well a chunk may begin at a line; smaller is better."""

    PARAGRAPH = 0
    ITEM = 1
    """A top-level list item, or an indented paragraph."""
    LINE = 2
    CODE_PARAGRAPH = 3
    CODE_LINE = 4


@dataclass(frozen=True, slots=True)
class Heading:
    """One ATX or setext heading; lines are 0-based indices."""

    first: int
    last: int
    """Equal to ``first`` but for setext, where it is the underline."""
    level: int
    title: str


@dataclass(frozen=True, slots=True)
class Table:
    """A table with a header row; lines are 0-based indices, ``end`` exclusive."""

    header: int
    body: int
    end: int


@dataclass(frozen=True, slots=True)
class Outline:
    """The lines of one file and what each is; line numbers are 0-based indices here."""

    lines: Sequence[str]
    kinds: bytearray
    """A ``Kind`` for each line."""
    breaks: bytearray
    """A ``Break`` for each line."""
    weights: Sequence[int]
    """Running weighted length: lines ``[a, b)`` with their ends weigh ``weights[b] - weights[a]``."""
    headings: Sequence[Heading]
    tables: Sequence[Table]
    body: int
    """Index of the first line behind the front matter."""

    def weight(self, start: int, end: int) -> int:
        """Return the weighted length of the lines ``[start, end)``, line ends included."""
        return self.weights[end] - self.weights[start]


def outline(text: str) -> Outline:
    """Read what each line of a Markdown text is."""
    lines = split_lines(text)
    closing = closing_fence(lines)
    body = 0 if closing is None else closing + 1
    scanner = _Scanner(lines, body)
    scanner.run()
    measure = len if text.isascii() else weighted_length
    return Outline(
        lines=lines,
        kinds=scanner.kinds,
        breaks=scanner.breaks,
        weights=list(accumulate(map(measure, lines), initial=0)),
        headings=scanner.headings,
        tables=scanner.tables,
        body=body,
    )


class _Scanner:
    """One pass over the lines; each line is looked at once."""

    def __init__(self, lines: Sequence[str], body: int) -> None:
        self.lines = lines
        self.kinds = bytearray(len(lines))
        self.breaks = bytearray([Break.LINE]) * len(lines)
        self.headings: list[Heading] = []
        self.tables: list[Table] = []
        self._index = body
        self._paragraph = 0
        """Lines of the plain paragraph that the last line belongs to; only one can be a setext title."""
        self._after_gap = True
        self.kinds[:body] = bytes([Kind.FRONT_MATTER]) * body

    def run(self) -> None:
        """Fill every list."""
        lines, kinds, breaks = self.lines, self.kinds, self.breaks
        while self._index < len(lines):
            index = self._index
            line = lines[index] if index else lines[0].removeprefix(BOM)
            written = line.strip()
            if not written:
                kinds[index] = Kind.BLANK
                self._paragraph = 0
                self._after_gap = True
                self._index += 1
                continue
            indent = _indent(line)
            if self._after_gap:
                breaks[index] = Break.PARAGRAPH if indent == 0 else Break.ITEM
                self._after_gap = False
            self._index += 1
            if written[0] in _MARKS and self._marked(index, written, indent):
                continue
            kinds[index] = Kind.TEXT
            self._paragraph += 1

    def _marked(self, index: int, written: str, indent: int) -> bool:
        """Take a line that begins with a character Markdown may read; False when it is plain text."""
        first = written[0]
        if self.lines[index].removeprefix(BOM).lstrip(" \t")[0] != first:
            return False  # other white space, e.g. a lone CR or U+3000, is text to Markdown
        if first in "`~":
            return self._fence(index, written, indent, indent if indent > _MAX_INDENT else 0)
        if indent <= _MAX_INDENT and self._block(index, written):
            return True
        item = _LIST_ITEM.match(written)
        if item is None or (item.end() == 1 and len(written) > 1):
            return False
        self._item(index, written, item.end(), indent)
        return True

    def _block(self, index: int, written: str) -> bool:
        """Take a line that is a block of its own when it is indented by less than four columns."""
        first = written[0]
        if first == "#":
            return self._atx(index, written)
        if first == "<":
            return self._html(index, written)
        if first in "=-" and self._setext(index, written, 1 if first == "=" else 2):
            return True
        if first in "|:-" and self._table(index, written):
            return True
        if _is_rule(written):
            self.kinds[index] = Kind.RULE
            self._gap()
            return True
        return False

    def _atx(self, index: int, written: str) -> bool:
        level = len(written) - len(written.lstrip("#"))
        rest = written[level:]
        if level > _MAX_LEVEL or (rest and rest[0] not in " \t"):
            return False
        title = rest.strip()
        unmarked = title.rstrip("#")
        if not unmarked or unmarked[-1] in " \t":
            title = unmarked.rstrip()
        return self._heading(Heading(index, index, level, title))

    def _setext(self, index: int, written: str, level: int) -> bool:
        if len(written) < 2 or written.strip(written[0]) or self._paragraph != 1:  # noqa: PLR2004  # reason: one dash is an empty list item
            return False
        title = self.lines[index - 1].removeprefix(BOM).strip()
        if self.kinds[index - 1] != Kind.TEXT or title[0] in "|>" or _indent(self.lines[index - 1]) > _MAX_INDENT:
            return False
        return self._heading(Heading(index - 1, index, level, title))

    def _heading(self, heading: Heading) -> bool:
        if weighted_length(heading.title) > MAX_TITLE_WEIGHT:
            return False
        self.headings.append(heading)
        for line in range(heading.first, heading.last + 1):
            self.kinds[line] = Kind.HEADING
        self.breaks[heading.first] = Break.PARAGRAPH
        self._gap()
        return True

    def _gap(self) -> None:
        """A paragraph is over and the next line may well begin a chunk."""
        self._paragraph = 0
        self._after_gap = True

    def _item(self, index: int, written: str, content: int, indent: int) -> None:
        """Take a list item, which may open a fence on its own line."""
        if indent <= 1 and self.breaks[index] != Break.PARAGRAPH:
            self.breaks[index] = Break.ITEM
        inner = written[content:]
        self.kinds[index] = Kind.TEXT
        # A rule or an underline below a list item makes no heading of it.
        self._paragraph = 2
        if inner[:3] in {"```", "~~~"}:
            self._fence(index, inner, indent + content, indent + content)

    def _fence(self, index: int, written: str, indent: int, container: int) -> bool:
        """Take a fenced block up to its closing fence, the end of its list item, or the end of the file."""
        mark = written[0]
        length = len(written) - len(written.lstrip(mark))
        if length < _MIN_FENCE or (mark == "`" and mark in written[length:]):
            return False
        lines, kinds, breaks = self.lines, self.kinds, self.breaks
        if indent == container == 0 and not self._paragraph:
            breaks[index] = Break.PARAGRAPH
        kinds[index] = Kind.CODE
        blank_before = False
        end = index + 1
        while end < len(lines):
            stripped = lines[end].strip()
            if container and stripped and _indent(lines[end]) < min(container, 2):
                break
            kinds[end] = Kind.CODE
            breaks[end] = Break.CODE_PARAGRAPH if blank_before else Break.CODE_LINE
            blank_before = not stripped
            end += 1
            if len(stripped) >= length and stripped[0] == mark and not stripped.strip(mark):
                break
        self._index = end
        self._gap()
        return True

    def _html(self, index: int, written: str) -> bool:
        """Take a comment or another block that hides its lines from Markdown."""
        match = _HTML_BLOCK.match(written)
        if match is None:
            return False
        closing = "-->" if match[1] else f"</{match[2].lower()}>"
        kinds = self.kinds
        end, found = index, False
        while end < len(self.lines) and not found:
            kinds[end] = Kind.HTML
            found = closing in self.lines[end].lower()
            end += 1
        self._index = end
        self._paragraph = 2
        return True

    def _table(self, index: int, written: str) -> bool:
        """Take a whole table when this line is the one that divides its header from its rows."""
        header = index - 1
        if written.strip("|-: \t") or "-" not in written or "|" not in written:
            return False
        if header < 0 or self.kinds[header] != Kind.TEXT or "|" not in self.lines[header]:
            return False
        end = index + 1
        while end < len(self.lines) and "|" in self.lines[end] and self.lines[end][0] != "#":
            end += 1
        self.kinds[header:end] = bytes([Kind.TABLE]) * (end - header)
        self.tables.append(Table(header=header, body=index + 1, end=end))
        self._index = end
        self._gap()
        return True


_MARKS: Final = frozenset("#<|:=-_*+`~0123456789")


def _indent(line: str) -> int:
    """Return the columns of white space before the text; a tabulator counts as four."""
    if line[0] not in " \t":
        return 0
    columns = 0
    for character in line:
        if character == " ":
            columns += 1
        elif character == "\t":
            columns += _TABULATOR_WIDTH
        else:
            break
    return columns


def _is_rule(written: str) -> bool:
    """Tell a thematic break: three or more of one of ``- * _``, spaces between allowed."""
    mark = written[0]
    return mark in "-*_" and not written.strip(mark + " \t") and written.count(mark) >= _MIN_FENCE
