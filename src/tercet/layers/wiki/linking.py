"""Pure: where a note's links lead, and what leads to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tercet.text.notes.links import LinkTargets, is_attachment

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tercet.model import Note, WikiLink


@dataclass(frozen=True, slots=True)
class LinkEnd:
    """One link with the notes at its two ends."""

    from_path: str
    link: WikiLink
    to_path: str | None
    """None where no note is meant: the target is missing, or a picture or the like."""


@dataclass(frozen=True, slots=True)
class NoteLinks:
    """The links of one note, each list by path and line."""

    path: str
    out: tuple[LinkEnd, ...]
    """To notes that are there."""
    back: tuple[LinkEnd, ...]
    """From other notes."""
    dead: tuple[LinkEnd, ...]
    """To notes that are not there."""


def all_links(notes: Sequence[Note]) -> Iterator[LinkEnd]:
    """Yield every link between these notes, resolved among them; attachments are left out."""
    targets = LinkTargets(notes)
    for note in notes:
        for link in note.links:
            to_path = targets.resolve(link.target, note.path)
            if to_path is not None or not is_attachment(link.target):
                yield LinkEnd(note.path, link, to_path)


def links_at(path: str, notes: Sequence[Note]) -> NoteLinks:
    """Return the links of the note at a path; a link of a note to itself is no backlink."""
    out: list[LinkEnd] = []
    back: list[LinkEnd] = []
    dead: list[LinkEnd] = []
    for end in all_links(notes):
        if end.from_path == path:
            (dead if end.to_path is None else out).append(end)
        elif end.to_path == path:
            back.append(end)
    return NoteLinks(path, tuple(out), tuple(back), tuple(dead))
