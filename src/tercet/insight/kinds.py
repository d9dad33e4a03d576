"""What kind of memory file a path names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tercet.insight.salience import ItemKind

CORE_NAMES: Final = frozenset(
    {"memory.md", "agents.md", "user.md", "soul.md", "identity.md", "tools.md", "heartbeat.md", "dreams.md"}
)
"""Files that OpenClaw and Claude Code keep about agent and owner themselves."""
_DAY: Final = re.compile(r"(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)")


def kind_of(path: str) -> ItemKind:
    """Return ``core`` for an agent's own files, ``daily`` for a day's note, else ``topic``."""
    name = path.rpartition("/")[2]
    if name.casefold() in CORE_NAMES:
        return "core"
    return "daily" if _DAY.search(name) else "topic"
