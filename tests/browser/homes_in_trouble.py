"""Homes with nothing in them, with an embedder that nobody answers for, and with a store in pieces."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from example_memory import WORKSPACE

from tercet import build, load_settings

if TYPE_CHECKING:
    from pathlib import Path

NOBODY = "http://127.0.0.1:9"
"""The discard port: nothing listens there."""


def make_empty_home(folder: Path) -> Path:
    """Return a home that was never used."""
    home = folder / "home"
    home.mkdir(mode=0o700)
    return home


def make_unreachable_home(folder: Path) -> Path:
    """Return a home whose settings name an Ollama that is not there."""
    home = make_empty_home(folder)
    settings = (
        f'[embedding]\nprovider = "ollama"\nmodel = "nomic-embed-text"\nurl = "{NOBODY}"\nquery_timeout_s = 1.0\n'
    )
    (home / "tercet.toml").write_text(settings, encoding="utf-8")
    _fill(home, folder)
    return home


def make_damaged_home(folder: Path) -> Path:
    """Return a home whose vector store lost every second of its bytes."""
    home = make_empty_home(folder)
    _fill(home, folder)
    broken = [path for path in (home / "lancedb").rglob("*") if path.is_file()]
    assert broken
    for path in broken:
        path.write_bytes(b"\x00 not a table \xff" * 7)
    return home


def make_unbuilt_home(folder: Path) -> Path:
    """Return a home with files and entries, and no graph of them yet."""
    home = make_empty_home(folder)
    _fill(home, folder)
    return home


def _fill(home: Path, folder: Path) -> None:
    workspace = folder / "workspace"
    shutil.copytree(WORKSPACE, workspace)
    with build(load_settings({"home": str(home)})) as memory:
        memory.index([str(workspace)])
        memory.remember("The bakery closes on Wednesdays.")
