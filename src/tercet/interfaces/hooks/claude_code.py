"""What to do at each event of Claude Code.

Before an answer (``SessionStart``, ``UserPromptSubmit``) the service is asked for the recalled
section, which goes into the context. After it (``Stop``, ``SessionEnd``, ``PreCompact``) what was
said goes to the service behind the agent's back, and nothing is printed: whatever a ``Stop`` hook
printed would make the turn go on. Other events are none of ours.

Source of names and fields: the type declarations of ``@anthropic-ai/claude-agent-sdk`` 0.3.332.
"""

from __future__ import annotations

import json
import os
from typing import Any, cast

from tercet.interfaces.hooks.places import home_folder, whose

MAX_CHARACTERS = 9_000
"""10,000 characters arrive whole, 50,000 as a preview of 2,000: stay well below."""
BUDGET_TOKENS = 1_200
RECALL_S = 3.0
"""How long an answer may have to wait for its memories."""

_CAPTURES = frozenset({"Stop", "SessionEnd", "PreCompact"})
_FRESH = frozenset({"startup", "clear", "compact"})
"""Beginnings with an empty context; a resumed or forked session still has what was recalled in it."""
_ASKED_BY_PEOPLE = frozenset({"user", "sdk"})
"""Sources of a prompt that somebody wrote; wake-ups and polls want no memories."""


def run_event(event: str, raw: bytes) -> bytes:
    """Handle one event; return what to print, empty for nothing.

    Args:
        event: As the hook's command line names it.
        raw: The event's JSON object; unknown fields are let be.

    Raises:
        ValueError, AttributeError: it is no JSON object.
        OSError: the service broke off.
    """
    payload = cast("dict[str, Any]", json.loads(raw))  # a list or number ends in the caller's net
    if payload.get("agent_id"):
        return b""  # what a sub-agent is told and says is no conversation with the user
    if event in _CAPTURES:
        _capture(_text(payload, "transcript_path"), _text(payload, "session_id"))
        return b""
    message = _message(event, payload)
    section = _recalled(message) if message else ""
    if not section:
        return b""
    output = {"hookEventName": event, "additionalContext": section}
    return json.dumps({"hookSpecificOutput": output}).encode("ascii")


def _message(event: str, payload: dict[str, Any]) -> str:
    """Return what to recall for; empty when nothing is to be recalled."""
    if event == "UserPromptSubmit":
        return _text(payload, "prompt") if payload.get("source", "user") in _ASKED_BY_PEOPLE else ""
    if event == "SessionStart" and payload.get("source", "startup") in _FRESH:
        project = os.path.basename(_text(payload, "cwd").rstrip("/\\"))  # noqa: PTH119 - pathlib costs a sixth of the hook
        about = " ".join(part for part in (project, _text(payload, "session_title")) if part)
        return f"{about}: decisions, preferences, what was done last" if about else ""
    return ""


def _recalled(message: str) -> str:
    from tercet.interfaces.hooks.service import running_service

    service = running_service(home_folder())
    if service is None:
        return ""
    answer = service.post("/v1/recall", {"message": message, "budget_tokens": BUDGET_TOKENS, **whose()}, RECALL_S)
    return within(_text(answer, "text"), MAX_CHARACTERS)


def _capture(transcript: str, session_id: str) -> None:
    from tercet.interfaces.hooks.background import in_background

    def work() -> None:
        # Loaded in the background too: reading transcripts is more than a hook has time for.
        from tercet.interfaces.hooks.capturing import capture_transcript

        capture_transcript(transcript, session_id)

    in_background(work)


def within(section: str, most: int) -> str:
    """Return a section of at most ``most`` characters: whole lines, its last line among them."""
    if len(section) <= most:
        return section
    *lines, closing = section.rstrip("\n").split("\n")
    left = most - len(closing)
    kept: list[str] = []
    for line in lines:
        left -= len(line) + 1
        if left < 0:
            break
        kept.append(line)
    return "\n".join([*kept, closing]) if kept else ""


def _text(values: dict[str, Any], name: str) -> str:
    value = values.get(name)
    return value if isinstance(value, str) else ""
