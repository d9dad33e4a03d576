"""Who may look into a home: found by its modes, and closed to everyone but its owner."""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_OTHERS = 0o077


def open_to_others(home: Path) -> list[tuple[Path, int]]:
    """Return the home and what lies directly in it where others have rights, with the mode."""
    found: list[tuple[Path, int]] = []
    for path in (home, *sorted(home.iterdir())):
        seen = path.lstat()
        if not stat.S_ISLNK(seen.st_mode) and seen.st_mode & _OTHERS:
            found.append((path, stat.S_IMODE(seen.st_mode)))
    return found


def close_to_others(found: list[tuple[Path, int]]) -> None:
    """Take the rights of others away; the owner's stay."""
    for path, mode in found:
        path.chmod(mode & ~_OTHERS)
