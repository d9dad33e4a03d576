"""Which text of a passage is indexed by term, and which is embedded."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tercet.model import Passage

_IDENTIFIER = re.compile(r"\d{1,7}|\d{9,}|[0-9a-f]{12,}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
"""A number (not the eight digits of a day), a hash or a UUID."""


def indexed_text(passage: Passage) -> str:
    """Return the text that a passage's terms are made of.

    A chunk or note: words of the file's stem, heading path, context, text. A turn of a
    conversation: ``speaker: text``. Any other entry: header and text.
    HTML comments in the text are kept.
    """
    if passage.kind == "entry" and passage.speaker:
        return f"{passage.speaker}: {passage.text}"
    return _joined(stem_of(passage.path), _untold_headings(passage), passage.context, passage.text)


def embedded_text(passage: Passage) -> str:
    """Return the text that a passage's vector is made of: that of its terms, less a stem that tells nothing.

    With the file's stem folders gain .03 to .08 MRR (line-level, two folders of 20 questions each,
    builtin embedder): titles of notes stand in file names, and so do days. A stem that is only an
    identifier costs .01 (600 documents named by UUID).
    """
    if is_named_by_identifier(passage.path):
        return indexed_text(replace(passage, path=""))
    return indexed_text(passage)


def is_named_by_identifier(path: str) -> bool:
    """Tell whether a file's stem is only a number, a hash or a UUID, which tells nothing of its contents."""
    return _IDENTIFIER.fullmatch(stem_of(path)) is not None


def stem_of(path: str) -> str:
    """Return a path's file name without ``.md`` or another last suffix; a leading dot begins no suffix."""
    name = path.rpartition("/")[2]
    stem, dot, _ = name.rpartition(".")
    return stem if dot and stem else name


def _untold_headings(passage: Passage) -> str:
    """Return the heading path without the last heading where the text itself begins with that."""
    first = passage.text.lstrip().partition("\n")[0].strip()
    parents, _, last = passage.header.rpartition(" > ")
    title = first.lstrip("#").strip().rstrip("#").rstrip()
    # A last heading that holds " > " itself is compared whole first.
    if title and title == passage.header:
        return ""
    return parents if title and title == last else passage.header


def _joined(*parts: str) -> str:
    return "\n".join(part for part in parts if part)
