"""Lines as an editor counts them: they end at LF or CRLF and nowhere else.

``str.splitlines`` also breaks at a lone CR, NEL, U+2028, form feed and more, and would shift every
line number behind such a character (known fault F16).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tercet.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Sequence


def split_lines(text: str) -> list[str]:
    """Return the lines of ``text`` with their own line ends; joined they are ``text`` again.

    A final line end does not begin one more empty line; an empty text has no lines.
    """
    parts = text.split("\n")
    last = parts.pop()
    lines = [part + "\n" for part in parts]
    if last:
        lines.append(last)
    return lines


def without_line_end(line: str) -> str:
    """Return the line without its LF or CRLF; a lone CR stays, it ends no line."""
    if line.endswith("\r\n"):
        return line[:-2]
    return line.removesuffix("\n")


def span_text(text_or_lines: str | Sequence[str], start: int, end: int) -> str:
    """Return lines ``start`` to ``end`` as the file has them, without the last line's end.

    Args:
        text_or_lines: The file's text, or its lines as ``split_lines`` gives them.
        start: First line, 1-based.
        end: Last line, inclusive; what lies behind the end of the file is left out.

    Raises:
        InvalidInputError: ``start`` is below 1, or ``end`` below ``start``.
    """
    if start < 1 or end < start:
        msg = f"Lines {start} to {end} are no span: begin at 1 or later and end at or after the beginning."
        raise InvalidInputError(msg)
    lines = split_lines(text_or_lines) if isinstance(text_or_lines, str) else text_or_lines
    return without_line_end("".join(lines[start - 1 : end]))
