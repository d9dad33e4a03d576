"""Transcripts of Claude Code, where a line of type ``user`` does not mean that anybody spoke."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from tercet.capture.transcript_entries import Collected, object_of, parts_of, string_of, text_of, time_of
from tercet.model import Message

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tercet.capture.transcript_entries import JsonObject, Line


_FLAGS = (("isSidechain", "sub-agent"), ("isCompactSummary", "summary"), ("isMeta", "meta"))


def read_claude(lines: Sequence[Line]) -> Collected:
    """Read the words of the user and the assistant in the order of the lines.

    Left out are sub-agents (side chains), the client's own additions (meta), summaries and tool
    results, which come as the user's; a line that a resumed session copied counts once.
    """
    collected = Collected()
    seen: set[str] = set()
    for line in lines:
        identity = string_of(line.entry.get("uuid"))
        why = _why_not(line.entry)
        if why is None and identity and identity in seen:
            why = "copied line"
        if why is not None:
            collected.skip(line, why)
            continue
        seen.add(identity)
        message = object_of(line.entry.get("message"))
        text = text_of(message.get("content"))
        role: Literal["user", "assistant"] = "user" if line.entry.get("type") == "user" else "assistant"
        if not text and role == "assistant":
            collected.answered()
        collected.add(line, Message(role, text, identity, time_of(line.entry.get("timestamp"))))
    return collected


def _why_not(entry: JsonObject) -> str | None:
    kind = string_of(entry.get("type"))
    if kind not in {"user", "assistant"}:
        return kind.replace("-", " ") or "no type"
    for flag, why in _FLAGS:
        if entry.get(flag) is True:
            return why
    message = object_of(entry.get("message"))
    if not message:
        return "no message"
    parts = parts_of(message.get("content"))
    kinds = {string_of(part.get("type")) for part in parts}
    return "tool result" if kind == "user" and "tool_result" in kinds and "text" not in kinds else None
