"""Where built graphs lie: one private file a reach in the home, derived and thrown away freely."""

from __future__ import annotations

import asyncio
import json
from hashlib import sha256
from typing import TYPE_CHECKING, Any, cast

from tercet.adapters.files.atomic_write import write_atomically

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


class GraphFiles:
    """``crossref-AGENT.json`` for the owner, ``crossref-AGENT.HASH.json`` for a session."""

    def __init__(self, home: Path, agent: str) -> None:
        """Name the home; nothing is read yet."""
        self._home = home
        self._agent = agent

    async def load(self, session_key: str | None) -> dict[str, Any] | None:
        """Return what was saved; None when there is nothing, or nothing that can be read."""
        return await asyncio.to_thread(_read, self._path(session_key))

    async def save(self, session_key: str | None, value: Mapping[str, Any]) -> None:
        """Replace it in one step, mode 0600.

        Raises:
            ConfigurationError, TransientError: it cannot be written.
        """
        data = json.dumps(value, ensure_ascii=False, indent=1).encode()
        await asyncio.to_thread(write_atomically, self._path(session_key), data)

    def _path(self, session_key: str | None) -> Path:
        # No agent's name holds a dot.
        mark = "" if session_key is None else f".{sha256(session_key.encode()).hexdigest()[:16]}"
        return self._home / f"crossref-{self._agent}{mark}.json"


def _read(path: Path) -> dict[str, Any] | None:
    try:
        value: object = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None  # derived: the next build makes it anew
    return cast("dict[str, Any]", value) if isinstance(value, dict) else None
