"""Session files of OpenClaw (version 3, a tree of entries) and pi (version 1, a list)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tercet.capture.transcript_entries import Collected, object_of, parts_of, string_of, text_of, time_of
from tercet.model import Message

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tercet.capture.transcript_entries import JsonObject, Line

_GATEWAY_MODELS = frozenset({"gateway-injected", "delivery-mirror"})


def read_tree(lines: Sequence[Line]) -> Collected:
    """Read a version 3 file along the path that ends in its last entry.

    A retry or an edit begins a branch; what the user said on an abandoned one was taken back. Text
    that the gateway wrote does not decide which branch is the last.
    """
    path = _last_path(lines)
    collected = Collected()
    for index, line in enumerate(lines):
        if index in path:
            _read_entry(line, collected)
        elif line.entry.get("type") != "session":
            collected.skip(line, "abandoned branch")
    return collected


def read_list(lines: Sequence[Line]) -> Collected:
    """Read a version 1 file in the order of its lines."""
    collected = Collected()
    for line in lines:
        if line.entry.get("type") != "session":
            _read_entry(line, collected)
    return collected


def _last_path(lines: Sequence[Line]) -> set[int]:
    """Return the indices of the entries from the root to the last leaf."""
    by_id: dict[str, int] = {}
    entries = [index for index, line in enumerate(lines) if line.entry.get("type") != "session"]
    for index in entries:
        by_id.setdefault(string_of(lines[index].entry.get("id")), index)
    by_id.pop("", None)
    before = dict(zip(entries[1:], entries, strict=False))
    leaves = [index for index in entries if not _is_gateway(object_of(lines[index].entry.get("message")))]
    at: int | None = next(reversed(leaves or entries), None)
    path: set[int] = set()
    while at is not None and at not in path:
        path.add(at)
        entry = lines[at].entry
        parent = string_of(entry.get("parentId"))
        if not parent and "parentId" in entry:
            break
        # A parent whose own line was broken: the entry above it in the file is the best there is.
        at = by_id.get(parent, before.get(at))
    return path


def _read_entry(line: Line, collected: Collected) -> None:
    kind = string_of(line.entry.get("type"))
    if kind != "message":
        collected.skip(line, kind.replace("_", " ") or "no type")
        return
    message = object_of(line.entry.get("message"))
    role = string_of(message.get("role"))
    when = time_of(message.get("timestamp"), line.entry.get("timestamp"))
    identity = string_of(line.entry.get("id"))
    content = message.get("content")
    if role == "user":
        collected.add(line, Message("user", text_of(content), identity, when))
    elif role == "toolResult":
        collected.skip(line, "tool result")
    elif role == "bashExecution":
        collected.skip(line, "shell command")
    elif role != "assistant":
        collected.skip(line, f"role {role!r}" if role else "no message")
    elif _is_gateway(message):
        collected.skip(line, "text of the gateway")
    elif message.get("stopReason") == "error":
        collected.skip(line, "failed reply")
    elif text := text_of(content):
        collected.add(line, Message("assistant", text, identity, when))
    else:
        if parts_of(content):
            collected.answered()
        collected.skip(line, "no words")


def _is_gateway(message: JsonObject) -> bool:
    return message.get("provider") == "openclaw" and string_of(message.get("model")) in _GATEWAY_MODELS
