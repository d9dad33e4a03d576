"""Which folders are indexed, and under which label."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING

from tercet.errors import InvalidInputError, NotFoundError
from tercet.layers.semantic.lent_roots import LENT_MARK, is_lent
from tercet.ports import RootRecord
from tercet.ranking.federation import NOTES_ROOT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tercet.model import Scope

_NOT_IN_LABEL = re.compile(r"[\s:#]+")


def plan_folder(directory: str, roots: Sequence[RootRecord], scope: Scope) -> tuple[RootRecord, list[RootRecord]]:
    """Say which root a folder belongs to, and which smaller roots it takes over.

    A folder inside an indexed one is part of that one. A folder around indexed ones replaces them,
    so that no file is indexed twice; around notes it leaves them where they are.

    Returns:
        The root to index (one of ``roots``, or a new one) and the roots to remove first.
    """
    path = Path(directory)
    # Only this agent's own folders count: two agents may index one folder, each for itself.
    own = [root for root in roots if root.scope == scope]
    for root in own:
        if path == Path(root.directory) or path.is_relative_to(root.directory):
            return root, []
    inside = [root for root in own if Path(root.directory).is_relative_to(path) and not is_lent(root)]
    taken = {root.label for root in roots}
    return RootRecord(_free_label(path, taken), directory, scope), inside


def parts_of(directories: Sequence[str], roots: Sequence[RootRecord]) -> list[str]:
    """Say for each folder that is only part of an indexed one which one that is."""
    whole = {root.directory for root in roots}
    return [
        f"{directory} is part of {root.directory}, which is indexed."
        for directory in dict.fromkeys(directories)
        if directory not in whole
        for root in roots
        if Path(directory).is_relative_to(root.directory)
    ]


def named_folders(directories: Sequence[str], roots: Sequence[RootRecord]) -> list[RootRecord]:
    """Return the roots that these folders are.

    Raises:
        NotFoundError: a folder is not indexed; the message lists what is.
        InvalidInputError: a folder is the vault or a part of it, which comes back with the next search.
    """
    by_directory = {root.directory: root for root in roots}
    found: list[RootRecord] = []
    for directory in directories:
        root = by_directory.get(directory)
        if root is None:
            known = ", ".join(sorted(by_directory)) or "none"
            msg = f"{directory} is no indexed folder: indexed are {known}."
            raise NotFoundError(msg)
        if is_lent(root):
            msg = f"{directory} holds notes: set another wiki.vault, or run 'tercet plugins disable memory-wiki'."
            raise InvalidInputError(msg)
        found.append(root)
    return found


def _free_label(path: Path, taken: set[str]) -> str:
    # Composed, as refs are: the system may store a name decomposed.
    label = _NOT_IN_LABEL.sub("-", unicodedata.normalize("NFC", path.name)).strip("-") or "root"
    label = label.replace(LENT_MARK, "-")
    if label not in taken and label != NOTES_ROOT:
        return label
    number = 2
    while f"{label}-{number}" in taken:
        number += 1
    return f"{label}-{number}"


def checked_directory(directory: str) -> str:
    """Return the absolute, resolved path of a folder.

    Raises:
        InvalidInputError: it is no folder, or blank.
    """
    path = Path(absolute_directory(directory))
    if not path.is_dir():
        msg = f"{directory} is no folder: give the folder that holds the Markdown files."
        raise InvalidInputError(msg)
    return str(path)


def absolute_directory(directory: str) -> str:
    """Return the absolute, resolved path, whether or not it is there.

    Raises:
        InvalidInputError: it is blank, or begins with ``~`` and the name of no user.
    """
    if not directory.strip():
        msg = "The folder is blank: name it, or give '.' for the one you are in."
        raise InvalidInputError(msg)
    try:
        return str(Path(directory).expanduser().resolve())
    except RuntimeError as error:
        msg = f"{directory} names no user of this machine: write the folder out."
        raise InvalidInputError(msg) from error
