"""Pure: from a note's file to what the index holds of it."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Final

from tercet.layers.wiki.claims import dispute_share
from tercet.layers.wiki.names import keys_of, names_of
from tercet.ports.note_index import FileState, IndexedNote
from tercet.text.notes.parse import parse_note
from tercet.text.terms import terms

if TYPE_CHECKING:
    from tercet.model import Note
    from tercet.ports.vault import VaultFile, VaultText

INDEX_FORMAT: Final = 1
"""To be raised with every change of what is kept of a note."""

_SAMPLE: Final = (
    "The runners' notes: re-indexed v1.2.3, C++ and café_name in src/main.py. 王小明的生日是三月初八。東京タワー 한국어"
)
"""Text whose terms change with the rules that make terms."""


def recipe(place: str = "") -> str:
    """Return what names format, rules and vault of an index: one of another recipe is made anew."""
    made_of = chr(0).join((place, *terms(_SAMPLE)))
    return f"{INDEX_FORMAT} {hashlib.sha256(made_of.encode('utf-8', 'surrogateescape')).hexdigest()[:16]}"


def indexed_note(file: VaultFile, content: VaultText, indexed_at_ns: int) -> IndexedNote:
    """Read a note for the index; what is wrong in its front matter stands in its problems.

    Args:
        file: As listed before it was read.
        content: As read.
        indexed_at_ns: Unix nanoseconds before it was read.
    """
    note = parse_note(content.text, file.path, file.scope)
    return IndexedNote(
        note=note,
        text=content.text,
        state=state_of(file, content, indexed_at_ns),
        terms=field_terms(note, content.text),
        names=names_of(note),
        keys=keys_of(note),
        dispute=dispute_share(note),
    )


def state_of(file: VaultFile, content: VaultText, indexed_at_ns: int) -> FileState:
    """Return what the index remembers of the file."""
    return FileState(file.size, file.mtime_ns, content.sha256, indexed_at_ns)


def field_terms(note: Note, text: str) -> tuple[tuple[str, ...], ...]:
    """Return the terms of each of ``NOTE_FIELDS``.

    The body's field holds the whole file: values of keys that nobody but the user knows are found too.
    """
    parts = (note.title, _lines(names_of(note)[1:]), _lines(note.tags), _lines(note.headings), text)
    return tuple(tuple(terms(part)) for part in parts)


def _lines(names: tuple[str, ...]) -> str:
    return "\n".join(names)
