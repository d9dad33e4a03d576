"""Plain transcripts: a line is ``{"role": ..., "content": ...}``, with an id and a time where there is one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from tercet.capture.transcript_entries import Collected, string_of, text_of, time_of
from tercet.model import Message

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tercet.capture.transcript_entries import JsonObject, Line

_ROLES: dict[str, Literal["user", "assistant"]] = {
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "model": "assistant",
    "bot": "assistant",
}


def is_plain(entry: JsonObject) -> bool:
    """Whether a line has the shape of a plain message."""
    return isinstance(entry.get("role"), str) and ("content" in entry or "text" in entry)


def read_plain(lines: Sequence[Line]) -> Collected:
    """Read messages in the order of the lines; what is neither the user's nor the assistant's is left out."""
    collected = Collected()
    for line in lines:
        entry = line.entry
        if not is_plain(entry):
            collected.skip(line, "no message")
            continue
        role = _ROLES.get(string_of(entry["role"]).lower())
        if role is None:
            collected.skip(line, f"role {string_of(entry['role'])!r}")
            continue
        identity = string_of(entry.get("id")) or string_of(entry.get("message_id"))
        when = time_of(entry.get("timestamp"), entry.get("created_at"), entry.get("ts"), entry.get("time"))
        collected.add(line, Message(role, text_of(entry.get("content", entry.get("text"))), identity, when))
    return collected
