"""From a ref to the one note it means, within a reach."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tercet.errors import AmbiguousRefError, InvalidInputError, NotFoundError
from tercet.layers.wiki.names import ref_keys
from tercet.model import FileText
from tercet.text.lines import span_text, split_lines

if TYPE_CHECKING:
    from tercet.model import Note, Reach
    from tercet.ports.note_index import NoteIndex

_LINES: Final = re.compile(r"#L(\d{1,9})(?:-L?(\d{1,9}))?$")


@dataclass(frozen=True, slots=True)
class NoteRef:
    """A note as named, and perhaps a span of its lines."""

    name: str
    start_line: int | None = None
    end_line: int | None = None


def parse_note_ref(ref: str) -> NoteRef:
    """Take a ref apart: an id, ``wiki:path``, a path or a title, each perhaps with ``#L1-L4``.

    Raises:
        InvalidInputError: blank, a line 0, or lines in the wrong order.
    """
    name, start, end = ref.strip(), None, None
    if lines := _LINES.search(name):
        start = int(lines[1])
        end = int(lines[2]) if lines[2] else start
        if start < 1 or end < start:
            msg = f"Ref {ref!r} has the lines {start} to {end}: lines begin at 1 and go upwards."
            raise InvalidInputError(msg)
        name = name[: lines.start()].rstrip()
    if not name:
        msg = "An empty ref names no note: give its title, its path, or its id."
        raise InvalidInputError(msg)
    return NoteRef(name, start, end)


async def find_notes(index: NoteIndex, ref: NoteRef, reach: Reach) -> list[Note]:
    """Return the notes in reach that are called so, by path and without their bodies.

    An id goes before a path, a path before a title or alias.
    """
    keys = ref_keys(ref.name)
    found = await index.keyed(keys, reach)
    paths = next((found[key] for key in keys if key in found), None)
    return await index.notes(paths) if paths else []


async def find_note(index: NoteIndex, ref: NoteRef, reach: Reach) -> Note:
    """Return the one note that is called so.

    Raises:
        NotFoundError: nothing in reach is called so (permanent).
        AmbiguousRefError: several notes are (permanent).
    """
    notes = await find_notes(index, ref, reach)
    if len(notes) > 1:
        choices = ", ".join(note.path for note in notes)
        msg = f"{ref.name!r} is the name of several notes: say which, {choices}."
        raise AmbiguousRefError(msg)
    if not notes:
        msg = f"There is no note {ref.name!r}: take a title or path from 'tercet wiki search'."
        raise NotFoundError(msg)
    return notes[0]


def lines_of(text: str, path: str, ref: NoteRef, start: int | None, lines: int | None) -> FileText:
    """Return the lines of a note that are asked for.

    Args:
        text: The whole file.
        path: The note's.
        ref: As named; its lines count where ``start`` and ``lines`` are None.
        start: First line, >= 1.
        lines: How many, >= 1.

    Raises:
        InvalidInputError: such lines are not there (permanent).
    """
    total = len(split_lines(text))
    first = start if start is not None else ref.start_line or 1
    if not 1 <= first <= max(total, 1) or (lines is not None and lines < 1):
        counted = "" if lines is None else f", {lines} of them,"
        msg = f"{path} has the lines 1 to {total}; from line {first}{counted} nothing can be read."
        raise InvalidInputError(msg)
    last = ref.end_line if lines is None and (ref.end_line or 0) >= first else None
    end = min(total, first + lines - 1 if lines is not None else last or total)
    return FileText(span_text(text, first, end) if total else "", path, first, end, total)
