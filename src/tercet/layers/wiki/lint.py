"""Pure: what is wrong in a vault, with the line at which to mend it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from tercet.layers.wiki.claims import conflicts, status_of
from tercet.layers.wiki.linking import all_links
from tercet.text.indexed_text import stem_of
from tercet.text.lines import split_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from tercet.model import Note

_HASHED = re.compile(r"note-[0-9a-f]{8}")
"""A file whose title had no letter to make a name of."""

LintCode: TypeAlias = Literal[
    "missing-id",
    "duplicate-id",
    "missing-title",
    "bad-front-matter",
    "dead-link",
    "orphan",
    "claim-conflict",
    "empty",
]


@dataclass(frozen=True, slots=True, order=True)
class LintFinding:
    """One thing to mend."""

    path: str
    line: int
    """1-based, of the file."""
    code: LintCode
    message: str


def lint(notes: Sequence[Note], texts: Mapping[str, str]) -> list[LintFinding]:
    """Return what is wrong in these notes, by path and line.

    Links, ids and claims are compared among these notes alone. An orphan is a note that no other
    links to and that links to no other.

    Args:
        notes: The notes looked at.
        texts: Their files by path; a line is found in them.
    """
    found = [
        finding
        for note in notes
        for finding in (*_front_matter(note), *_empty(note, texts.get(note.path, "")), *_names(note))
    ]
    found += [*_ids(notes, texts), *_links(notes), *_claims(notes, texts)]
    return sorted(found)


def _front_matter(note: Note) -> Iterator[LintFinding]:
    for line, problem in note.problems:
        yield LintFinding(note.path, line, "bad-front-matter", problem)


def _empty(note: Note, text: str) -> Iterator[LintFinding]:
    lines = split_lines(text)
    if not any(line.strip() for line in lines[note.body_line - 1 :]) and not note.links:
        line = max(1, min(note.body_line, len(lines)))
        yield LintFinding(note.path, line, "empty", "the note has no text below its front matter")


def _names(note: Note) -> Iterator[LintFinding]:
    by_hash = _HASHED.fullmatch(stem_of(note.path)) is not None and note.title == stem_of(note.path)
    if by_hash or not any(letter.isalnum() for letter in note.title):
        yield LintFinding(note.path, 1, "missing-title", "nothing says what it is about: add 'title:' or a heading")


def _ids(notes: Sequence[Note], texts: Mapping[str, str]) -> Iterator[LintFinding]:
    owners: dict[str, list[Note]] = {}
    # In a vault in which no note has an id, another program's, none of them lacks one.
    wants_ids = any(note.id for note in notes)
    for note in notes:
        if note.id:
            owners.setdefault(note.id, []).append(note)
        elif wants_ids:
            yield LintFinding(note.path, 1, "missing-id", "the front matter has no 'id:'")
    for note_id, sharing in owners.items():
        for note in sharing if len(sharing) > 1 else ():
            others = ", ".join(other.path for other in sharing if other is not note)
            line = _line_of(texts.get(note.path, ""), note.body_line, note_id, key="id")
            yield LintFinding(note.path, line, "duplicate-id", f"the id {note_id!r} is also that of {others}")


def _links(notes: Sequence[Note]) -> Iterator[LintFinding]:
    linked: set[str] = set()
    for end in all_links(notes):
        if end.to_path is None:
            message = f"no note is called {end.link.target!r}"
            yield LintFinding(end.from_path, end.link.line, "dead-link", message)
        elif end.to_path != end.from_path:
            linked |= {end.from_path, end.to_path}
    for note in notes:
        if note.path not in linked:
            yield LintFinding(note.path, 1, "orphan", "no note links to it, and it links to none")


def _claims(notes: Iterable[Note], texts: Mapping[str, str]) -> Iterator[LintFinding]:
    for claim_id, places in conflicts(notes).items():
        for note, claim in places:
            others = sorted({other.path for other, told in places if told != claim} - {note.path}) or [note.path]
            line = _line_of(texts.get(note.path, ""), note.body_line, claim_id, key="id")
            said = f"{status_of(claim) or 'no status'}, {' '.join(claim.text.split())!r}"
            message = f"the claim {claim_id!r} ({said}) is told otherwise in {', '.join(others)}"
            yield LintFinding(note.path, line, "claim-conflict", message)


def _line_of(text: str, body_line: int, value: str, *, key: str) -> int:
    """Return the line of the front matter on which a key has a value; 1 where it is written otherwise."""
    written = re.compile(rf"""[\s{{,-]*["']?{re.escape(key)}["']?\s*:\s*["']?{re.escape(value)}["']?\s*(?:[,}}#]|$)""")
    for number, line in enumerate(text.split("\n")[: body_line - 1], start=1):
        if written.match(line.rstrip("\r")):
            return number
    return 1
