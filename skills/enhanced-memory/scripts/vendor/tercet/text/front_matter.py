"""YAML front matter: where it stands, what it says, and what is wrong with it.

``raw`` is the truth and is what gets written back; ``data`` is a reading of it (F13: ``1.10`` is
still ``1.10`` in ``raw`` although YAML reads it as a number).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast

from tercet.text.lines import split_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

BOM: Final = "\ufeff"

MAX_RAW_LENGTH: Final = 65_536
"""Longer front matter is not parsed: YAML readers are slow, and nobody writes that by hand."""

MAX_DEPTH: Final = 100
"""Deeper brackets are not parsed: the reader takes seconds before it gives up."""

MAX_MERGES: Final = 3
"""More merge keys (``<<``) are not parsed: each level multiplies the one before."""

# A rule at the top of a page is written like a fence; only what begins like a mapping is data.
_BEGINS_MAPPING: Final = re.compile(r"""[^\s#\-][^:]{0,200}:(?:\s|$)|[{:!?&]|["'].{0,200}["']\s*:""")


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The YAML block at the top of a Markdown file."""

    start_line: int
    """Line of the opening fence, always 1."""
    end_line: int
    """Line of the closing fence, 1-based."""
    raw: str
    """The lines between the fences as the file has them, with their line ends."""
    data: Mapping[str, object]
    """What YAML 1.2 reads there, keys as text; empty when ``problem`` says why."""
    problem: str
    """One line that names the file's line and the cause; empty when all is well."""


def closing_fence(lines: Sequence[str]) -> int | None:
    """Return the 0-based index of the line that closes the front matter, None without any.

    Front matter begins at the first line (after a byte order mark) with ``---`` and ends with
    ``---`` or ``...``. A block whose first written line is no ``key:`` is text between two rules.
    """
    if not lines or lines[0].removeprefix(BOM).rstrip() != "---":
        return None
    looked = False
    for index in range(1, len(lines)):
        line = lines[index]
        if line[:3] in {"---", "..."} and line.rstrip() in {"---", "..."}:
            return index
        written = line.strip()
        if not looked and written and not written.startswith("#"):
            looked = True
            if not _BEGINS_MAPPING.match(line):
                return None
    return None


def read_front_matter(text: str) -> FrontMatter | None:
    """Return the front matter of a Markdown file, None when it has none; never raises for its content."""
    if not text.startswith(("---", BOM + "---")):
        return None
    lines = split_lines(text)
    end = closing_fence(lines)
    if end is None:
        return None
    raw = "".join(lines[1:end])
    data, problem = _parse(raw)
    return FrontMatter(start_line=1, end_line=end + 1, raw=raw, data=data, problem=problem)


def _parse(raw: str) -> tuple[Mapping[str, object], str]:
    """Return (data, problem) of the YAML between the fences."""
    refusal = _too_costly(raw)
    if refusal:
        return {}, f"line 2: front matter is not read: {refusal}"
    # Imported here: a file without front matter must not pay for a YAML reader.
    from ruamel.yaml import YAML  # noqa: PLC0415  # reason: slow import, needed by few files
    from ruamel.yaml.error import YAMLError  # noqa: PLC0415  # reason: as above

    reader = YAML(typ="safe", pure=True)
    # An anchor defined twice is legal; the reader would print a warning about it.
    reader.composer.warn_double_anchors = False
    load = cast("Callable[[str], object]", reader.load)  # pyright: ignore[reportUnknownMemberType]  # reason: untyped library
    try:
        loaded = load(raw)
    except (YAMLError, ValueError, TypeError, LookupError, AttributeError, RecursionError, ArithmeticError) as error:
        # ruamel lets impossible dates, unhashable keys and deep nesting out as Python's own errors.
        return {}, _problem(error)
    if loaded is None:
        return {}, ""
    if not isinstance(loaded, Mapping):
        return {}, f"line 2: a {type(loaded).__name__} stands where 'key: value' lines belong"
    pairs = cast("Mapping[object, object]", loaded)  # reason: isinstance tells nothing of keys and values
    return {str(key): value for key, value in pairs.items()}, ""


def _too_costly(raw: str) -> str:
    """Return why this YAML is not given to the reader, an empty text when it may be."""
    if len(raw) > MAX_RAW_LENGTH:
        return f"{len(raw)} characters, at most {MAX_RAW_LENGTH}"
    if raw.count("<<") > MAX_MERGES and "*" in raw:
        return f"more than {MAX_MERGES} merge keys"
    if raw.count("[") + raw.count("{") > MAX_DEPTH:
        depth = 0
        for bracket in re.findall(r"[\[\]{}]", raw):
            depth += 1 if bracket in "[{" else -1
            if depth > MAX_DEPTH:
                return f"brackets nested deeper than {MAX_DEPTH}"
    return ""


def _problem(error: Exception) -> str:
    """Return the file's line and the cause; YAML counts its own lines from 0, behind the fence."""
    mark: object = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    line: object = getattr(mark, "line", 0)
    cause: object = getattr(error, "problem", None) or getattr(error, "context", None) or error
    words = " ".join(str(cause).split())[:200] or type(error).__name__
    return f"line {line + 2 if isinstance(line, int) else 2}: {words}"
