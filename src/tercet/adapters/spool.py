"""Turns that could not be put in the inbox, each in one private file until they can."""

from __future__ import annotations

import asyncio
import json
import secrets
from datetime import datetime
from typing import TYPE_CHECKING, Any

from tercet.adapters.files.atomic_write import ensure_private_directory, write_atomically
from tercet.model import Message, Turn

if TYPE_CHECKING:
    from pathlib import Path


class TurnSpool:
    """A folder of 0600 files, one a turn, taken in oldest first."""

    def __init__(self, directory: Path) -> None:
        """Name the folder; it is made when something is put there."""
        self._directory = directory

    async def put(self, turn: Turn, received_at: datetime) -> None:
        """Write a turn durably.

        Raises:
            OSError, TercetError: the disk fails too.
        """
        await asyncio.to_thread(self._put, turn, received_at)

    async def waiting(self) -> list[tuple[str, Turn, datetime]]:
        """Return (file name, turn, when it was handed over), oldest first.

        A file that is no turn is set aside beside the others, as ``.unreadable``.
        """
        return await asyncio.to_thread(self._waiting)

    async def done(self, name: str) -> None:
        """Delete a turn that is in the inbox now."""
        await asyncio.to_thread((self._directory / name).unlink, missing_ok=True)

    def count(self) -> tuple[int, int]:
        """Return how many turns wait, and how many files could not be read."""
        return len(list(self._directory.glob("*.json"))), len(list(self._directory.glob("*.unreadable")))

    def _put(self, turn: Turn, received_at: datetime) -> None:
        ensure_private_directory(self._directory)
        value = {
            "sessionKey": turn.session_key,
            "receivedAt": received_at.isoformat(),
            "messages": [
                {
                    "role": message.role,
                    "text": message.text,
                    "id": message.id,
                    "timestamp": message.timestamp.isoformat() if message.timestamp else None,
                }
                for message in turn.messages
            ],
        }
        name = f"{received_at.timestamp():017.6f}-{secrets.token_hex(8)}.json"
        # Not every string a host hands over can be UTF-8 (half of a surrogate pair).
        write_atomically(self._directory / name, json.dumps(value).encode("ascii"))

    def _waiting(self) -> list[tuple[str, Turn, datetime]]:
        found: list[tuple[str, Turn, datetime]] = []
        for path in sorted(self._directory.glob("*.json")):
            try:
                found.append((path.name, *_turn(json.loads(path.read_bytes()))))
            except FileNotFoundError:
                continue  # another process has just taken it in
            except (ValueError, KeyError, TypeError, AttributeError):
                path.replace(path.with_suffix(".unreadable"))
        return found


def _turn(value: Any) -> tuple[Turn, datetime]:  # Any: JSON
    messages = tuple(
        Message(
            _known_role(each["role"]),
            str(each["text"]),
            str(each["id"]),
            datetime.fromisoformat(each["timestamp"]) if each["timestamp"] else None,
        )
        for each in value["messages"]
    )
    return Turn(str(value["sessionKey"]), messages), datetime.fromisoformat(value["receivedAt"])


def _known_role(role: Any) -> Any:  # Any: JSON in, one of the literals out
    if role not in {"user", "assistant", "tool", "system"}:
        raise ValueError(role)
    return role
