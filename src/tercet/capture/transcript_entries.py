"""The parts that the formats of transcripts have in common: lines, texts, times, the collected outcome."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TypeAlias, cast

from tercet.model import Message

JsonObject: TypeAlias = dict[str, object]

_SURROGATE = re.compile("[\ud800-\udfff]")
_MILLISECONDS_FROM = 1e11
"""A number of seconds above this lies in the year 5138: such a time is in milliseconds."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the file that is a JSON object."""

    number: int
    entry: JsonObject


@dataclass(frozen=True, slots=True)
class Skipped:
    """One line that gave no message."""

    line: int
    """1-based."""
    why: str


@dataclass(slots=True)
class Collected:
    """Messages so far, and what was left out; joins what a retry repeats."""

    messages: list[Message] = field(default_factory=list[Message])
    skipped: list[Skipped] = field(default_factory=list[Skipped])
    _unanswered: str | None = None
    """The user's last text while no reply to it came through."""

    def skip(self, line: Line, why: str) -> None:
        """Note a line that gives no message."""
        self.skipped.append(Skipped(line.number, why))

    def add(self, line: Line, message: Message) -> None:
        """Keep a message, unless it is the user's last one again, sent anew after a failed reply."""
        if not message.text.strip():
            self.skip(line, "no words")
            return
        if message.role == "user":
            if message.text == self._unanswered:
                self.skip(line, "repeated after a failed reply")
                return
            self._unanswered = message.text
        else:
            self._unanswered = None
        self.messages.append(message)

    def answered(self) -> None:
        """Note that a reply came that has no words, such as a tool call."""
        self._unanswered = None


def object_of(value: object) -> JsonObject:
    """Return a JSON object, or an empty one for anything else."""
    return cast("JsonObject", value) if isinstance(value, dict) else {}  # keys of JSON objects are strings


def string_of(value: object) -> str:
    """Return a string with lone surrogates replaced, or "" for anything else."""
    return _SURROGATE.sub("\ufffd", value) if isinstance(value, str) else ""


def parts_of(content: object) -> list[JsonObject]:
    """Return the parts of a message's content; a bare string is one part of text."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    if not isinstance(content, list):
        return []
    items = cast("list[object]", content)  # elements are looked at one by one
    return [{"type": "text", "text": item} if isinstance(item, str) else object_of(item) for item in items]


def text_of(content: object) -> str:
    """Return the words of a message's content: its text parts, one below the other."""
    texts = [string_of(part.get("text")) for part in parts_of(content) if part.get("type", "text") == "text"]
    return "\n\n".join(text for text in texts if text)


def time_of(*values: object) -> datetime | None:
    """Return the first value that is a time: ISO 8601 (UTC where no zone is given), or a Unix time."""
    for value in values:
        moment = _one_time(value)
        if moment is not None:
            return moment
    return None


def _one_time(value: object) -> datetime | None:
    try:
        if isinstance(value, str):
            moment = datetime.fromisoformat(value.strip())
            return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return datetime.fromtimestamp(value / 1000 if value > _MILLISECONDS_FROM else value, UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return None
