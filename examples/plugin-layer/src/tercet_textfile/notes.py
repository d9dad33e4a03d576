"""A folder of text files, read anew for each question: what a person edits is found at once."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tercet.errors import VaultUnavailableError

if TYPE_CHECKING:
    from pathlib import Path

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class TextNote:
    """One file."""

    name: str
    """File name without ``.txt``."""
    text: str
    bytes_on_disk: int

    @property
    def lines(self) -> list[str]:
        """The lines of the file, without their ends."""
        return self.text.splitlines()


def words_of(text: str) -> list[str]:
    """Return the words of a text in order, case folded, each once."""
    return list(dict.fromkeys(_WORD.findall(text.casefold())))


def read_notes(folder: Path) -> list[TextNote]:
    """Return the notes of a folder by name; without the folder, none.

    Raises:
        VaultUnavailableError: it cannot be read now (transient: the search says so, and goes on without).
    """
    try:
        files = sorted(path for path in folder.iterdir() if path.suffix == ".txt" and path.is_file())
        data = [(path.stem, path.read_bytes()) for path in files]
    except FileNotFoundError:
        return []
    except OSError as error:
        msg = f"The folder {folder} cannot be read ({error.strerror}): mend its permissions."
        raise VaultUnavailableError(msg) from error
    return [TextNote(name, content.decode("utf-8", "replace"), len(content)) for name, content in data]
