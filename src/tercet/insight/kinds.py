"""What kind of memory file a path names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tercet.insight.salience import ItemKind

CORE_NAMES: Final = frozenset(
    {"memory", "agents", "claude", "user", "soul", "identity", "tools", "heartbeat", "dreams"}
    | {"skill", "readme", "changelog", "contributing", "licence", "license"}
)
"""Names, up to their first dot, of files that an agent or a project keeps about itself."""
FORMS: Final = frozenset({"templates", "template", "_templates"})
"""Folders whose files are forms to fill in: how a memory is kept, not what it knows."""
_DAY: Final = re.compile(r"(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)")


def kind_of(path: str) -> ItemKind:
    """Return ``core`` for what an agent or project keeps about itself, ``daily`` for a day's note, else ``topic``."""
    *folders, name = path.split("/")
    if name.partition(".")[0].casefold() in CORE_NAMES or not FORMS.isdisjoint(map(str.casefold, folders)):
        return "core"
    return "daily" if _DAY.search(name) else "topic"
