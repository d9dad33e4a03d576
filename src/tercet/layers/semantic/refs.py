"""Pure: how a passage or a span of a file is named: an id, or ``root:path#L1-L4``."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tercet.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Collection

_LINES = re.compile(r"#L(\d{1,9})(?:-L?(\d{1,9}))?$")


@dataclass(frozen=True, slots=True)
class FileRef:
    """A file, and perhaps a span of its lines."""

    root: str | None
    """Label of the indexed folder; None when the ref names only a path."""
    path: str
    start_line: int | None = None
    end_line: int | None = None


def parse_file_ref(ref: str, roots: Collection[str]) -> FileRef:
    """Take a ref apart.

    A prefix before the first colon counts as a folder's label only when there is a folder of that
    label, since a file name may hold a colon itself.

    Raises:
        InvalidInputError: blank, a line 0, or lines in the wrong order.
    """
    # Paths are kept composed, whatever the shell or the file system hands over.
    text = unicodedata.normalize("NFC", ref.strip())
    if not text:
        msg = "An empty ref names nothing: give an id or root:path#L1-L4, as 'tercet search' prints it."
        raise InvalidInputError(msg)
    start = end = None
    if lines := _LINES.search(text):
        start = int(lines[1])
        end = int(lines[2]) if lines[2] else start
        if start < 1 or end < start:
            msg = f"Ref {ref!r} has the lines {start} to {end}: lines begin at 1 and go upwards."
            raise InvalidInputError(msg)
        text = text[: lines.start()]
    label, colon, path = text.partition(":")
    if colon and label in roots:
        return FileRef(label, path, start, end)
    return FileRef(None, text, start, end)


def format_ref(root: str, path: str, start_line: int, end_line: int) -> str:
    """Return the ref that leads back to these lines."""
    return f"{root}:{path}#L{start_line}-L{end_line}"
