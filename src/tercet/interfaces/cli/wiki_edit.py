"""The text that a person makes of a note in an editor, kept until it is written."""

from __future__ import annotations

import shutil
import sys
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tercet.errors import InvalidInputError, TercetError
from tercet.text.indexed_text import stem_of

if TYPE_CHECKING:
    from collections.abc import Generator

    from tercet.layers.wiki.writing import NoteText


@dataclass(frozen=True, slots=True)
class EditedText:
    """A note's new text, and the file it lies in."""

    text: str
    file: Path | None
    """None for what came from standard input."""
    is_ours: bool
    """Whether the file was made for the editor."""

    def discard(self) -> None:
        """Delete the file that was made for the editor, once the text is written."""
        if self.file is not None and self.is_ours:
            shutil.rmtree(self.file.parent, ignore_errors=True)


def edited_text(before: NoteText, source: str | None) -> EditedText:
    """Return the new text of a note: from a file, from standard input, or from the user's editor.

    Raises:
        InvalidInputError: what was saved is no UTF-8.
        click.ClickException: the editor cannot be started, or ended with an error.
    """
    if source == "-":
        return EditedText(_decoded(sys.stdin.buffer.read(), "Standard input"), None, is_ours=False)
    if source is not None:
        return EditedText(_decoded(Path(source).read_bytes(), source), Path(source), is_ours=False)
    # A folder of its own, for this user alone; the file has the note's name, as an editor shows it.
    file = Path(tempfile.mkdtemp(prefix="tercet-edit-")) / f"{stem_of(before.note.path)}.md"
    file.write_bytes(before.text.encode())
    try:
        click.edit(filename=str(file))
        return EditedText(_decoded(file.read_bytes(), str(file)), file, is_ours=True)
    except (click.ClickException, InvalidInputError):
        click.echo(f"What was saved is kept in {file}.", err=True)
        raise


@contextmanager
def keeping(edited: EditedText) -> Generator[None]:
    """Say where the text is when it cannot be written; it stays there."""
    try:
        yield
    except TercetError:
        if edited.file is None:
            kept = Path(tempfile.mkdtemp(prefix="tercet-edit-")) / "note.md"
            kept.write_bytes(edited.text.encode())
        else:
            kept = edited.file
        click.echo(f"Your text is kept in {kept}: put it right, then 'tercet wiki edit REF --from FILE'.", err=True)
        raise


def _decoded(content: bytes, where: str) -> str:
    """Return the text with its line ends as they are."""
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        msg = f"{where} is no UTF-8 text ({error.reason}): save it as UTF-8."
        raise InvalidInputError(msg) from error
