"""Which names a walk passes by: never-indexed folders, other file types, ``.tercetignore``."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

IGNORE_FILE = ".tercetignore"
NEVER_ENTERED = frozenset(
    {".git", ".hg", ".svn", ".obsidian", ".trash", ".venv", ".cache", "node_modules", "__pycache__"}
)
"""Folder names that hold no memory; other dot folders (``.claude/memory``) do (F17)."""
_SUFFIXES = (".md", ".markdown")


def is_markdown(name: str) -> bool:
    """Say whether a file name ends as Markdown does, in any case."""
    return name.lower().endswith(_SUFFIXES)


@dataclass(frozen=True, slots=True)
class IgnoreRules:
    """The ``.tercetignore`` files in force in one folder, outermost first; git's own semantics.

    The innermost file with a say decides. A folder that is ignored is not entered, so that nothing
    below it can be taken back in. ``.gitignore`` is not consulted.
    """

    files: tuple[tuple[str, GitIgnoreSpec], ...] = ()
    """(folder below the root with its final slash, or ``""``; its patterns)."""
    faults: tuple[str, ...] = ()
    """One line for each pattern that could not be understood and was left out."""

    def ignores(self, path: str, *, folder: bool = False) -> bool:
        """Say whether a path below the root is ignored, its parents being taken in."""
        for prefix, spec in reversed(self.files):
            verdict = spec.check_file(path[len(prefix) :] + ("/" if folder else "")).include
            if verdict is not None:
                return verdict
        return False

    def entering(self, directory: str, shown: str) -> IgnoreRules:
        """Return the rules inside a folder: these, and its own file if it has one.

        Args:
            directory: Where it lies on disk.
            shown: The same below the root, with a final slash; ``""`` for the root itself.

        Raises:
            OSError: the file is there but cannot be read: the folder must then not be entered, for
                the file may say what is private.
        """
        try:
            with open(os.path.join(directory, IGNORE_FILE), "rb") as file:  # noqa: PTH118, PTH123 - names that are no UTF-8
                text = file.read().decode("utf-8-sig", "surrogateescape")
        except FileNotFoundError:
            return self
        spec, faults = _parse(text)
        return IgnoreRules((*self.files, (shown, spec)), tuple(faults))


def is_excluded(root: str, path: str) -> bool:
    """Say whether a walk from ``root`` would pass by this file, whatever its own name ends in.

    Raises:
        OSError: an ignore file on the way cannot be read.
    """
    *folders, _ = path.split("/")
    if not NEVER_ENTERED.isdisjoint(folders):
        return True
    rules = IgnoreRules().entering(root, "")
    shown = ""
    for name in folders:
        if rules.ignores(shown + name, folder=True):
            return True
        shown += f"{name}/"
        rules = rules.entering(os.path.join(root, shown), shown)  # noqa: PTH118 - names that are no UTF-8
    return rules.ignores(path)


def _parse(text: str) -> tuple[GitIgnoreSpec, list[str]]:
    # Costs tens of milliseconds, and most folders have no ignore file.
    from pathspec import GitIgnoreSpec

    good: list[str] = []
    faults: list[str] = []
    for line in text.replace("\r\n", "\n").split("\n"):
        try:
            GitIgnoreSpec.from_lines([line])
        except ValueError:
            faults.append(f"the pattern {line!r} is not understood and was left out")
        else:
            good.append(line)
    return GitIgnoreSpec.from_lines(good), faults
