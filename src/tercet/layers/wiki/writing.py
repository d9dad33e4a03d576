"""Writing notes: new ones, edits that were checked, and additions that drop nothing."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tercet.errors import InvalidInputError, WriteConflictError
from tercet.text.front_matter import read_front_matter
from tercet.text.indexed_text import stem_of
from tercet.text.notes.edit import appended, new_note_text, with_front_matter, without_facts
from tercet.text.notes.file_names import distinct, file_stem
from tercet.text.notes.links import comparable
from tercet.text.notes.parse import SOURCE_KEYS, UPDATED_KEYS, parse_note

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from tercet.model import Note, Scope
    from tercet.ports import Clock
    from tercet.ports.vault import Vault, VaultText

ATTEMPTS: Final = 8
"""So often an addition is made again to a note that somebody else changed meanwhile."""


@dataclass(frozen=True, slots=True)
class NoteText:
    """A note as it lies in the vault."""

    note: Note
    text: str
    """The whole file."""
    sha256: str
    """Of its bytes: what a later write expects to find."""


class NoteWriter:
    """Writes into one vault; a note that is not what the writer last read is never overwritten."""

    def __init__(self, vault: Vault, clock: Clock) -> None:
        """Hold the parts."""
        self._vault = vault
        self._clock = clock

    async def read(self, path: str) -> NoteText:
        """Return a note as it is now.

        Raises:
            NotFoundError: it is gone (permanent).
            VaultUnavailableError: it cannot be read (transient).
        """
        return self._read(path, await self._vault.read(path))

    async def new(
        self,
        title: str,
        scope: Scope,
        *,
        body: str = "",
        type: str = "",  # noqa: A002 - the key it is written under
        tags: Sequence[str] = (),
        aliases: Sequence[str] = (),
        sources: Sequence[str] = (),
    ) -> NoteText:
        """Write a new note into the folder of a scope; one of the same title keeps its own file.

        Raises:
            InvalidInputError: the title is blank (permanent).
            VaultUnavailableError: it cannot be written (transient).
        """
        name = " ".join(title.split())
        if not name:
            msg = "A note needs a title: give at least one character."
            raise InvalidInputError(msg)
        folder = self._vault.folder_of(scope)
        created = self._clock.now()
        taken = {comparable(stem_of(file.path)) for file in await self._vault.files() if _folder(file.path) == folder}
        for _ in range(ATTEMPTS):
            stem = distinct(file_stem(name), lambda stem: comparable(stem) in taken)
            path = f"{folder}/{stem}.md" if folder else f"{stem}.md"
            unique = hashlib.sha256(f"{scope.agent}\0{path}\0{created.isoformat()}".encode()).hexdigest()[:8]
            text = new_note_text(
                name,
                id=f"{created:%Y%m%d%H%M%S}-{unique}",
                type=type,
                tags=tags,
                aliases=aliases,
                sources=sources,
                created=created,
                body=body,
            )
            try:
                sha256 = await self._vault.write(path, text, expected_sha256=None)
            except WriteConflictError:
                taken.add(comparable(stem))  # another writer was quicker with this name
                continue
            return NoteText(parse_note(text, path, scope), text, sha256)
        msg = f"{ATTEMPTS} file names for the note {name!r} were taken while it was written: try again."
        raise WriteConflictError(msg)

    async def replace(self, path: str, text: str, expected_sha256: str) -> NoteText:
        """Put an edited text in place of a note.

        Raises:
            InvalidInputError: the text is blank, or its front matter has a fault that it did not have
                before; the message names the line (permanent).
            WriteConflictError: the note was changed meanwhile; nothing was written (permanent).
            NotFoundError, VaultUnavailableError: as for ``read``.
        """
        before = await self.read(path)
        check_edit(before.note, text)
        sha256 = await self._vault.write(path, text, expected_sha256=expected_sha256)
        return NoteText(parse_note(text, path, before.note.scope), text, sha256)

    async def append(self, path: str, heading: str, text: str, sources: Sequence[str] = ()) -> NoteText:
        """Add text under a heading at the end of a note, and its sources to the front matter.

        A note that changes meanwhile is read again; what others wrote stays. Where the front matter
        cannot be edited the text is added all the same.

        Raises:
            InvalidInputError: heading or text is blank (permanent).
            NotFoundError, VaultUnavailableError: as for ``read``.
            WriteConflictError: the note changed every time (permanent).
        """
        for _ in range(ATTEMPTS):
            before = await self.read(path)
            added = _with_sources(appended(before.text, heading, text), before.note, sources, self._clock)
            try:
                sha256 = await self._vault.write(path, added, expected_sha256=before.sha256)
            except WriteConflictError:
                continue
            return NoteText(parse_note(added, path, before.note.scope), added, sha256)
        msg = f"The note {path} was changed by others {ATTEMPTS} times meanwhile: try again."
        raise WriteConflictError(msg)

    async def retract(self, path: str, facts: Collection[str]) -> bool:
        """Take out what an extraction appended (``without_facts``); returns whether anything was.

        Raises:
            NotFoundError, VaultUnavailableError: as for ``read``.
            InvalidInputError: the file is no UTF-8 (permanent).
            WriteConflictError: the note changed every time (permanent).
        """
        for _ in range(ATTEMPTS):
            before = await self.read(path)
            left = without_facts(before.text, facts)
            if left == before.text:
                return False
            try:
                await self._vault.write(path, left, expected_sha256=before.sha256)
            except WriteConflictError:
                continue
            return True
        msg = f"The note {path} was changed by others {ATTEMPTS} times meanwhile: try again."
        raise WriteConflictError(msg)

    def _read(self, path: str, content: VaultText) -> NoteText:
        return NoteText(parse_note(content.text, path, self._vault.scope_of(path)), content.text, content.sha256)


def check_edit(before: Note, text: str) -> None:
    """Refuse an edited text that is blank, or whose front matter has a fault that the note did not have.

    Raises:
        InvalidInputError: it names line and fault (permanent).
    """
    if not text.strip():
        msg = f"The note {before.path} would be empty: delete its file instead."
        raise InvalidInputError(msg)
    known = {problem for _, problem in before.problems}
    for line, problem in parse_note(text, before.path, before.scope).problems:
        if problem not in known:
            msg = f"The front matter of {before.path} cannot be read, line {line}: {problem}. Mend it, then save again."
            raise InvalidInputError(msg)


def _with_sources(text: str, note: Note, sources: Sequence[str], clock: Clock) -> str:
    front = read_front_matter(text)
    there = () if front is None else tuple(front.data)
    changes: dict[str, object] = {_key(there, UPDATED_KEYS): clock.now().isoformat(timespec="seconds")}
    together = list(dict.fromkeys((*note.sources, *sources)))
    if len(together) > len(note.sources):
        changes[_key(there, SOURCE_KEYS)] = together
    try:
        return with_front_matter(text, changes)
    except InvalidInputError:
        # Trigger: front matter that cannot be read. Why: what is told now must not be lost for it.
        # Outcome: the text alone is added; lint names the front matter.
        return text


def _key(there: Collection[str], spellings: tuple[str, ...]) -> str:
    """Return how the front matter spells a key, or its first spelling where it has none."""
    return next((key for key in spellings if key in there), spellings[0])


def _folder(path: str) -> str:
    return path.rpartition("/")[0]
