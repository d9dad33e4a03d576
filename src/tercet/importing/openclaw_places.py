"""Pure: where an OpenClaw keeps its memories, out of its settings (``openclaw.json``)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tercet.capture.transcript_entries import object_of, parts_of, string_of
from tercet.importing.memory_lancedb import FALLBACK_AGENT, agent_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tercet.capture.transcript_entries import JsonObject

_VARIABLE: Final = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


@dataclass(frozen=True, slots=True)
class OpenClawPlaces:
    """What the settings say; "" where they leave it to the default."""

    workspace: str
    """Folder of an agent's Markdown files."""
    table: str
    """Folder or ``s3://`` address of memory-lancedb."""


def places_of(settings: object, agent: str, environment: Mapping[str, str]) -> OpenClawPlaces:
    """Return where the settings put an agent's memories, ``${NAME}`` replaced from the environment.

    The workspace that all agents have by default is the main agent's: another one's own memories lie
    in its own.
    """
    agents = object_of(object_of(settings).get("agents"))
    workspace = string_of(_entry_of(agents, agent).get("workspace"))
    if not workspace and agent == FALLBACK_AGENT:
        workspace = string_of(object_of(agents.get("defaults")).get("workspace"))
    plugins = object_of(object_of(object_of(settings).get("plugins")).get("entries"))
    table = string_of(object_of(object_of(plugins.get("memory-lancedb")).get("config")).get("dbPath"))
    return OpenClawPlaces(_filled(workspace, environment), _filled(table, environment))


def _entry_of(agents: JsonObject, agent: str) -> JsonObject:
    """Return an agent's own settings: an entry by id, in older files one of a list."""
    for name, entry in object_of(agents.get("entries")).items():
        if agent_of(name) == agent:
            return object_of(entry)
    for entry in parts_of(agents.get("list")):
        if agent_of(entry.get("id")) == agent:
            return entry
    return {}


def _filled(value: str, environment: Mapping[str, str]) -> str:
    return _VARIABLE.sub(lambda found: environment.get(found[1], found[0]), value.strip())
