"""Pure: the folders in which files lie, by the address ``root:folder``."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tercet.browsing import FileSummary


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder that can be gone into."""

    address: str
    name: str
    files: int


def place(file: FileSummary) -> tuple[str, str, str]:
    """Return what orders files so that those of one folder stand together."""
    folder, _, name = file.path.rpartition("/")
    return file.root, folder, name


def folder_of(file: FileSummary) -> str:
    """Return ``root:folder`` of a file."""
    return f"{file.root}:{file.path.rpartition('/')[0]}"


def lies_in(file: FileSummary, folder: str) -> bool:
    """Say whether a file is in a folder or below it; all files are in the folder without a name."""
    return not folder or folder_of(file) == folder or folder_of(file).startswith(_beginning(folder))


def _beginning(folder: str) -> str:
    """Return how the folders below one begin."""
    return folder if folder.endswith(":") else f"{folder}/"


def folders_below(files: Iterable[FileSummary], folder: str) -> list[Folder]:
    """Return the folders one level below, or the roots."""
    counts: Counter[str] = Counter()
    for file in files:
        holder = folder_of(file)
        if not folder:
            counts[f"{file.root}:"] += 1
        elif holder != folder:
            begun = _beginning(folder)
            counts[begun + holder.removeprefix(begun).partition("/")[0]] += 1
    if not folder and len(counts) == 1:
        # One root alone is no choice.
        return folders_below(files, next(iter(counts)))
    return [Folder(address, _last_name(address), count) for address, count in sorted(counts.items())]


def trail(folder: str) -> list[tuple[str, str]]:
    """Return (address, name) of each folder on the way to one."""
    root, colon, path = folder.partition(":")
    if not colon:
        return []
    names = [name for name in path.split("/") if name]
    below = [(f"{root}:{'/'.join(names[: depth + 1])}", name) for depth, name in enumerate(names)]
    return [(f"{root}:", root), *below]


def _last_name(address: str) -> str:
    root, _, path = address.partition(":")
    return path.rpartition("/")[2] or root
