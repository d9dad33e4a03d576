"""What the doctor looks at in a home: who may read it, and what was set aside as damaged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tercet.adapters.files.home_rights import close_to_others, open_to_others
from tercet.adapters.sqlite.connection import set_aside_path
from tercet.adapters.sqlite.schema import EMBEDDINGS
from tercet.model import Finding

if TYPE_CHECKING:
    from pathlib import Path


def check_home(home: Path, *, fix: bool) -> list[Finding]:
    """Say what of the home others may read, and with ``fix`` close it to them."""
    found = open_to_others(home)
    if not found:
        return [Finding("home", "ok", f"{home}, readable by you alone")]
    named = ", ".join(f"{path} (mode {mode:o})" for path, mode in found)
    if fix:
        close_to_others(found)
        return [Finding("home", "fixed", f"open to others were {named}; they are yours alone now")]
    return [Finding("home", "warning", f"open to others: {named}", "Run 'tercet doctor --fix', or chmod go-rwx.")]


def check_cache(home: Path, *, fix: bool) -> list[Finding]:
    """Say whether a damaged cache of vectors was set aside, and with ``fix`` delete it; blocking."""
    damaged = set_aside_path(home / EMBEDDINGS.file_name)
    if not damaged.exists():
        return []
    detail = f"it was damaged, and is set aside as {damaged.name}; its vectors are made again as they are needed"
    if fix:
        damaged.unlink(missing_ok=True)
        return [Finding("embedding cache", "fixed", f"{detail}; deleted now")]
    mend = "Run 'tercet doctor --fix', or delete that file: it holds nothing else."
    return [Finding("embedding cache", "warning", detail, mend)]
