"""Transcripts of agents, whatever their format, as the messages that were said."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias, cast

from tercet.capture.transcript_claude import read_claude
from tercet.capture.transcript_entries import Line, Skipped, string_of
from tercet.capture.transcript_plain import is_plain, read_plain
from tercet.capture.transcript_trees import read_list, read_tree
from tercet.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tercet.capture.transcript_entries import JsonObject
    from tercet.model import Message

TranscriptFormat: TypeAlias = Literal["openclaw-v3", "pi-v1", "claude-code", "plain"]

_READERS = {"openclaw-v3": read_tree, "pi-v1": read_list, "claude-code": read_claude, "plain": read_plain}
_TREE_VERSION = 3


@dataclass(frozen=True, slots=True)
class Transcript:
    """What a file says was said."""

    format: TranscriptFormat
    session_key: str | None
    """The key that the file itself names, as it stands there; most formats name none."""
    session_id: str
    """The host's id of the conversation, e.g. a UUID; empty when the file has none. It is no identity."""
    messages: tuple[Message, ...]
    """Of user and assistant, in order, raw: envelopes are not stripped yet."""
    skipped: tuple[Skipped, ...]
    """Lines that gave no message, by line."""


def read_transcript(lines: Iterable[str]) -> Transcript:
    """Read OpenClaw version 3, pi version 1, Claude Code, or plain role and content lines.

    A broken line is skipped and named; the rest is read.

    Raises:
        InvalidInputError: permanent; no line is of a known format, or the file is a trace of a run.
    """
    objects, broken = _parse(lines)
    form = _format_of(objects)
    collected = _READERS[form](objects)
    skipped = sorted([*broken, *collected.skipped], key=lambda one: one.line)
    return Transcript(
        form,
        _first_string(objects, ("sessionKey", "session_key")),
        _session_id(form, objects),
        tuple(collected.messages),
        tuple(skipped),
    )


def _parse(lines: Iterable[str]) -> tuple[list[Line], list[Skipped]]:
    objects: list[Line] = []
    broken: list[Skipped] = []
    for number, raw in enumerate(lines, start=1):
        text = raw.strip().lstrip("\ufeff")
        if not text:
            continue
        try:
            value = cast("object", json.loads(text))  # json.loads is typed Any
        except (ValueError, RecursionError) as error:
            broken.append(Skipped(number, f"not JSON ({str(error).partition(':')[0]})"))
            continue
        if isinstance(value, dict):
            objects.append(Line(number, cast("JsonObject", value)))  # keys of JSON objects are strings
        else:
            broken.append(Skipped(number, "not a JSON object"))
    return objects, broken


def _format_of(objects: Sequence[Line]) -> TranscriptFormat:
    for line in objects:
        entry = line.entry
        if "traceSchema" in entry:
            msg = f"Not a transcript: line {line.number} is of a trajectory (a trace of a run). Give the session file."
            raise InvalidInputError(msg)
        kind = string_of(entry.get("type"))
        if kind == "session":
            version = entry.get("version")
            return "openclaw-v3" if isinstance(version, int) and version >= _TREE_VERSION else "pi-v1"
        if kind == "message" and isinstance(entry.get("message"), dict):
            return "openclaw-v3" if "parentId" in entry else "pi-v1"
        if kind in {"user", "assistant"} and "message" in entry:
            return "claude-code"
        if is_plain(entry):
            return "plain"
    msg = (
        "Not a transcript: no line is a message of OpenClaw, pi, Claude Code, "
        'or of the form {"role": "user", "content": "..."}.'
    )
    raise InvalidInputError(msg)


def _session_id(form: TranscriptFormat, objects: Sequence[Line]) -> str:
    if form in {"openclaw-v3", "pi-v1"}:
        return _first_string([line for line in objects if line.entry.get("type") == "session"], ("id",)) or ""
    return _first_string(objects, ("sessionId", "session_id")) or ""


def _first_string(objects: Sequence[Line], names: Sequence[str]) -> str | None:
    for line in objects:
        for name in names:
            if found := string_of(line.entry.get(name)):
                return found
    return None
