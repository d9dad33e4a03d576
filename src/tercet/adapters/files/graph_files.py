"""Where built graphs lie: one private file a reach in the home, derived and thrown away freely."""

from __future__ import annotations

import asyncio
import json
from hashlib import sha256
from typing import TYPE_CHECKING, Any, cast

from tercet.adapters.files.atomic_write import write_atomically

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path


class GraphFiles:
    """``crossref-AGENT.json`` for the owner, ``crossref-AGENT.HASH.json`` for a session."""

    def __init__(self, home: Path, agent: str) -> None:
        """Name the home; nothing is read yet."""
        self._home = home
        self._agent = agent

    async def stamp(self, session_key: str | None) -> tuple[int, ...] | None:
        """Return time, size and number of the file; None when there is none."""
        return await asyncio.to_thread(_stamp, self._path(session_key))

    async def load(self, session_key: str | None) -> dict[str, Any] | None:
        """Return what was saved; None when there is nothing, or nothing that can be read."""
        return await asyncio.to_thread(_read, self._path(session_key))

    async def save(self, session_key: str | None, value: Mapping[str, Any]) -> None:
        """Replace it in one step, mode 0600.

        Raises:
            ConfigurationError, TransientError: it cannot be written.
        """
        await asyncio.to_thread(_write, self._path(session_key), value)

    async def change(self, holding: Sequence[str], change: Callable[[dict[str, Any]], Mapping[str, Any]]) -> None:
        """Put what ``change`` makes of it in place of every file of the agent that holds one of these ids.

        Raises:
            ConfigurationError, TransientError: one cannot be written.
        """
        await asyncio.to_thread(self._change, holding, change)

    def _change(self, holding: Sequence[str], change: Callable[[dict[str, Any]], Mapping[str, Any]]) -> None:
        wanted = [json.dumps(each, ensure_ascii=False).encode() for each in holding]
        for path in (self._path(None), *self._home.glob(f"crossref-{self._agent}.*.json")):
            data = _bytes(path)
            if any(each in data for each in wanted) and (value := _value(data)) is not None:
                _write(path, change(value))

    def _path(self, session_key: str | None) -> Path:
        # No agent's name holds a dot.
        mark = "" if session_key is None else f".{sha256(session_key.encode()).hexdigest()[:16]}"
        return self._home / f"crossref-{self._agent}{mark}.json"


def _stamp(path: Path) -> tuple[int, ...] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def _read(path: Path) -> dict[str, Any] | None:
    return _value(_bytes(path))


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""  # derived: the next build makes it anew


def _value(data: bytes) -> dict[str, Any] | None:
    try:
        value: object = json.loads(data)
    except ValueError:
        return None  # as above
    return cast("dict[str, Any]", value) if isinstance(value, dict) else None


def _write(path: Path, value: Mapping[str, Any]) -> None:
    # On one line: indented, a large one takes seconds to write.
    write_atomically(path, json.dumps(value, ensure_ascii=False).encode())
