"""Where a note's file lies on disk, and that it lies where its path says."""

from __future__ import annotations

import os
import unicodedata
from pathlib import Path

from tercet.adapters.files.ignore import is_excluded
from tercet.adapters.files.walk import is_inside, precedence
from tercet.errors import InvalidInputError
from tercet.text.notes.folders import checked_note_path, scope_of


def place_to_write(root: Path, path: str) -> Path:
    """Return the file that a note's path names, existing or not, names as the disk spells them.

    Args:
        root: The vault, without symbolic links.
        path: Of a note.

    Raises:
        InvalidInputError: the path is none of a note, leads out of the vault or into the folder of
            somebody else, is a symbolic link, or would not be listed (permanent).
        OSError: the way to it cannot be read.
    """
    place = stored_place(root, checked_note_path(path))
    if any(folder.exists() and not folder.is_dir() for folder in place.parents if folder.is_relative_to(root)):
        raise _refused(path, "a file lies where its folder should be")
    real_folder = os.path.realpath(place.parent)
    if real_folder != str(root) and not is_inside(str(root), real_folder):
        raise _refused(path, "a symbolic link on the way to it leaves the vault")
    if place.is_symlink():
        raise _refused(path, "it is a symbolic link; write the file it points to")
    if not lies_in_its_scope(root, path, str(Path(real_folder, place.name))):
        raise _refused(path, "a symbolic link on the way to it leads to the notes of somebody else")
    if is_excluded(str(root), os.path.relpath(place, root).replace(os.sep, "/")):
        raise _refused(path, "its folder is passed by when notes are listed")
    return place


def stored_place(root: Path, path: str) -> Path:
    """Return a path below a folder with its names as the disk has them, existing or not.

    Raises:
        OSError: a folder on the way cannot be read.
    """
    place = root
    for name in unicodedata.normalize("NFC", path).split("/"):
        place /= _stored_name(place, name)
    return place


def lies_in_its_scope(root: Path, path: str, real_place: str) -> bool:
    """Say whether a file lies in a folder of the scope that its path names, links followed."""
    below = unicodedata.normalize("NFC", os.path.relpath(real_place, root).replace(os.sep, "/"))
    return scope_of("", below) == scope_of("", unicodedata.normalize("NFC", path))


def _stored_name(folder: Path, name: str) -> str:
    """Return a name as the disk has it: some systems and programs keep it decomposed (NFD)."""
    if name.isascii() or (folder / name).exists() or not folder.is_dir():
        return name
    with os.scandir(folder) as scan:
        same = [entry.name for entry in scan if unicodedata.normalize("NFC", entry.name) == name]
    return min(same, key=precedence, default=name)


def _refused(path: str, why: str) -> InvalidInputError:
    return InvalidInputError(f"{path} is not written ({why}): choose another path.")
