"""Where the OpenClaw of this computer keeps its memories: named by the user, else by its settings, else usual."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tercet.errors import NotFoundError
from tercet.importing.memory_lancedb import FALLBACK_AGENT
from tercet.importing.openclaw_places import OpenClawPlaces, places_of
from tercet.importing.relaxed_json import read_relaxed_json

if TYPE_CHECKING:
    from collections.abc import Mapping

STATE_FOLDER = ".openclaw"
SETTINGS_FILE = "openclaw.json"
STATE_VARIABLE = "OPENCLAW_STATE_DIR"
SETTINGS_VARIABLE = "OPENCLAW_CONFIG_PATH"


@dataclass(frozen=True, slots=True)
class OpenClawSources:
    """What there is to take over; None for what is not there, or was not asked for."""

    workspace: Path | None = None
    """Folder of Markdown files."""
    table: str | None = None
    """Folder or address of the LanceDB database."""
    vectors: Path | None = None
    """``vectors.json`` of enhanced-memory."""


def find_sources(
    agent: str,
    environment: Mapping[str, str],
    *,
    state: str | None = None,
    workspace: str | None = None,
    table: str | None = None,
    vectors: str | None = None,
) -> OpenClawSources:
    """Return what the user names, or, if that is nothing, everything that the OpenClaw of ``state`` has.

    Args:
        agent: Whose workspace.
        environment: Of the process; ``OPENCLAW_STATE_DIR`` and ``OPENCLAW_CONFIG_PATH`` count.
        state: Folder of OpenClaw's state; None is the environment's, or ``~/.openclaw``.
        workspace: Folder of Markdown files; the ``vectors.json`` in it belongs to it.
        table: Folder or address of the old LanceDB database.
        vectors: A ``vectors.json``.

    Raises:
        NotFoundError: what is named is not there, or nothing is (permanent).
        InvalidInputError: the settings of OpenClaw cannot be read (permanent).
    """
    if workspace or table or vectors:
        folder = _named_folder(workspace) if workspace else None
        file = _named_file(vectors) if vectors else _vectors_in(folder)
        return OpenClawSources(folder, _named_table(table) if table else None, file)
    home = Path(state or environment.get(STATE_VARIABLE) or Path.home() / STATE_FOLDER).expanduser()
    places = _settings_of(home, agent, environment)
    folder = _existing(places.workspace, home / "workspace" if agent == FALLBACK_AGENT else home / f"workspace-{agent}")
    found = OpenClawSources(folder, _table_of(places.table, home), _vectors_in(folder))
    if found == OpenClawSources():
        msg = (
            f"No memories of an OpenClaw are at {home}: name its state folder with --state, "
            "or what to import with --workspace, --lancedb or --vectors."
        )
        raise NotFoundError(msg)
    return found


def _settings_of(home: Path, agent: str, environment: Mapping[str, str]) -> OpenClawPlaces:
    file = Path(environment.get(SETTINGS_VARIABLE) or home / SETTINGS_FILE).expanduser()
    try:
        text = file.read_text("utf-8-sig", errors="replace")
    except FileNotFoundError:
        return OpenClawPlaces("", "")
    return places_of(read_relaxed_json(text, str(file)), agent, environment)


def _existing(named: str, usual: Path) -> Path | None:
    if named:
        return _named_folder(named)
    return usual if usual.is_dir() else None


def _table_of(named: str, home: Path) -> str | None:
    if named:
        return _named_table(named)
    usual = home / "memory" / "lancedb"
    return str(usual) if usual.is_dir() else None


def _named_folder(given: str) -> Path:
    folder = Path(given).expanduser()
    if not folder.is_dir():
        msg = f"{folder} is no folder: give the folder of the Markdown files with --workspace."
        raise NotFoundError(msg)
    return folder


def _named_table(given: str) -> str:
    if "://" in given:
        return given
    folder = Path(given).expanduser()
    if not folder.is_dir():
        msg = f"{folder} is no folder: give the folder of the LanceDB database with --lancedb."
        raise NotFoundError(msg)
    return str(folder)


def _named_file(given: str) -> Path:
    file = Path(given).expanduser()
    if not file.is_file():
        msg = f"{file} is no file: give the vectors.json of enhanced-memory with --vectors."
        raise NotFoundError(msg)
    return file


def _vectors_in(workspace: Path | None) -> Path | None:
    file = workspace / "memory" / "vectors.json" if workspace else None
    return file if file and file.is_file() else None
