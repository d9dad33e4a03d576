"""Which text of a passage is indexed by term, and which is embedded."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tercet.model import Passage


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
    """Return the text that a passage's vector is made of: the same as its terms.

    With the file's stem folders gain .03 to .08 MRR (line-level, two folders of 20 questions each,
    builtin embedder): titles of notes stand in file names, and so do days.
    """
    return indexed_text(passage)


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
